#if canImport(Glibc)
    import Glibc
    import LogbookCore
    import LogbookTestKit
    import Testing

    /// A program whose spool is on a disk whose power fails.
    @Suite(.serialized, .enabled(if: LoopDisk.isPossible, "needs a small file system of its own")) struct PowerLossTests {
        private static let rounds = 40

        private struct Totals: CustomStringConvertible {
            var accepted = 0, stored = 0, missing = 0, missingAmid = 0

            var description: String {
                "\(rounds) losses of power: \(accepted) events accepted, \(stored) stored; \(missing) are missing, \(missingAmid) of them "
                    + "before others of the same program"
            }
        }

        @Test("row 4: 40 losses of power take no event that was accepted as safe")
        func safe() async throws {
            let totals = try await onThread { try Self.run(["power"]) }
            print("a spool, each event safe: \(totals)")
            #expect(totals.accepted > 100)
            #expect(totals.missing == 0)
        }

        /// What shows that the other test could fail.
        @Test("row 4: of events that the kernel alone has, losses of power take the last ones, and none from between others")
        func unsafe() async throws {
            let totals = try await onThread { try Self.run([]) }
            print("a spool, events in the kernel's hands: \(totals)")
            #expect(totals.missing > 0)
            #expect(totals.missingAmid == 0)
        }

        private static func run(_ durability: [String]) throws -> Totals {
            let disk = try LoopDisk(), folder = TemporaryFolder(), random = LogRandomness.seeded(4), port = try FreePorts.take(1)[0]
            let victim = try ChildProcess.builtProgram("RemoteVictim")
            // Nobody listens: what is accepted stays where it is, and each next program begins where the one before lost its power.
            for epoch in 1...rounds {
                let sender = try ChildProcess(
                    [victim, "send", disk.path + "/spool", "\(port)", "\(epoch)"] + durability, output: folder("accepted-\(epoch)"),
                    errors: folder("errors"))
                folder.waitForWords(in: "accepted-\(epoch)", of: sender)
                try disk.losePower(under: sender, random)
            }
            let receiver = try ChildProcess([victim, "receive", folder.path, "\(port)"], output: folder("listening"))
            folder.waitForWords(in: "listening", of: receiver)
            let drained = try ChildProcess.run(
                [victim, "drain", disk.path + "/spool", "\(port)", "\(rounds + 1)"], errors: folder("errors"), by: .seconds(180))
            #expect(drained == .exited(0), "\(folder.text("errors"))")
            receiver.signal(SIGKILL)
            receiver.wait(by: .seconds(30))

            let lines = folder.text("stored").split(separator: "\n").map(String.init), stored = Set(lines)
            #expect(stored.count == lines.count, "something was stored twice")
            var totals = Totals(stored: stored.count)
            for epoch in 1...rounds {
                let accepted = folder.text("accepted-\(epoch)").split(separator: "\n").map { "I-\(epoch)-\($0)" }
                let last = accepted.lastIndex { stored.contains($0) } ?? -1
                totals.accepted += accepted.count
                totals.missing += accepted.count { !stored.contains($0) }
                totals.missingAmid += accepted.prefix(last + 1).count { !stored.contains($0) }
            }
            return totals
        }
    }
#endif
