#if canImport(Glibc)
    import Glibc
    import LogbookCore
    import LogbookTestKit
    import Testing

    /// A program that sends and one that receives, both killed at random moments.
    @Suite struct KillTests {
        private static let rounds = 240

        private struct Totals: CustomStringConvertible {
            var rounds = 0, sendersKilled = 0, receiversKilled = 0, accepted = 0, stored = 0, seen = 0

            var description: String {
                "\(rounds) rounds: \(sendersKilled) senders and \(receiversKilled) receivers killed; "
                    + "\(accepted) events accepted, \(stored) stored, \(seen) seen on the wire"
            }
        }

        @Test("47, 54, row 1: 240 rounds of killing sender and receiver lose nothing, store nothing twice, and saw some twice")
        func bothAreKilled() async throws {
            let totals = try await onThread { try Self.run() }
            print("kills: \(totals)")
            #expect(totals.rounds >= 200)   // a machine that is too slow for them has shown less than this test says
            #expect(totals.sendersKilled > 60 && totals.receiversKilled > 60)
            #expect(totals.accepted > 2000)
            #expect(totals.seen > totals.stored)   // otherwise no kill came between storing and answering
        }

        private static func run() throws -> Totals {
            let folder = TemporaryFolder(), random = LogRandomness.seeded(47), port = try FreePorts.take(1)[0]
            let spool = folder.path + "/spool"
            let deadline = LogDeadline.seconds(800), victim = try ChildProcess.builtProgram("RemoteVictim")
            var totals = Totals(), epoch: UInt64 = 0
            var sender: ChildProcess?, receiver: ChildProcess?

            func start() throws {
                if receiver == nil {
                    receiver = try ChildProcess(
                        [victim, "receive", folder.path, "\(port)"], output: folder.path + "/listening",
                        errors: folder.path + "/receiver-errors")
                    folder.waitForWords(in: "listening", of: receiver, by: deadline)
                }
                if sender == nil {
                    epoch += 1
                    sender = try ChildProcess(
                        [victim, "send", spool, "\(port)", "\(epoch)"], output: folder.path + "/accepted-\(epoch)",
                        errors: folder.path + "/sender-errors")
                    folder.waitForWords(in: "accepted-\(epoch)", of: sender, by: deadline)
                }
            }
            func sizeOfSeen() -> Int { folder.status("seen")?.bytes ?? 0 }
            /// Until the receiver has something to answer: however slow the machine is, some kills come between storing and answering. It
            /// would take ever longer where a sender that begins had more to do first the more is in its spool.
            func waitForArrival(since size: Int) {
                while sizeOfSeen() == size, !deadline.hasPassed { usleep(100) }
            }
            func end(_ process: inout ChildProcess?) {
                process?.signal(SIGKILL)
                process?.wait(by: .seconds(30))
                process = nil
            }

            for round in 0..<rounds where !deadline.hasPassed {
                try start()
                if round % 4 == 1 {
                    waitForArrival(since: sizeOfSeen())
                    usleep(UInt32(random.next() % 3000))   // as long as the receiver takes to answer
                } else {
                    usleep(UInt32(random.next() % 12_000))
                }
                totals.rounds += 1
                if round % 3 != 1 {
                    end(&sender)
                    totals.sendersKilled += 1
                }
                if round % 3 != 0 {
                    end(&receiver)
                    totals.receiversKilled += 1
                }
            }
            end(&sender)
            try start()
            end(&sender)
            let drained = try ChildProcess.run(
                [victim, "drain", spool, "\(port)", "\(epoch + 1)"], errors: folder.path + "/drain-errors", by: .seconds(180))
            #expect(drained == .exited(0), "\(folder.text("drain-errors"))")
            end(&receiver)

            var accepted: Set<String> = []
            for epoch in 1...epoch {
                let words = folder.text("accepted-\(epoch)")
                for word in words.split(separator: "\n") { accepted.insert("I-\(epoch)-\(word)") }
            }
            let stored = folder.text("stored").split(separator: "\n").map(String.init)
            let missing = accepted.subtracting(stored)
            #expect(missing.isEmpty, "\(missing.count) are missing, such as \(missing.sorted().prefix(5))")
            #expect(Set(stored).count == stored.count, "something was stored twice")
            #expect(folder.names(in: "spool").filter { !$0.hasSuffix(".lane") } == [])
            totals.accepted = accepted.count
            totals.stored = stored.count
            totals.seen = folder.text("seen").split(separator: "\n").count
            return totals
        }
    }
#endif
