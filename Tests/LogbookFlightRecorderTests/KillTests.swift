#if canImport(Glibc)
    import Glibc
    import LogbookCore
    import LogbookTestKit
    import Testing

    @testable import LogbookFlightRecorder

    /// A program that logs from several threads, killed at random moments.
    @Suite struct KillTests {
        private static let kills = 200
        private static let threads = 3
        /// The victim's messages have at most 200 bytes, with the thread and the number before them; the other facts of its events
        /// take less than 250.
        private static let largestFrame = 512

        @Test func returningFromMainLeavesNothingToHandOver() throws {
            let folder = TemporaryFolder()
            try Victim(ring: folder("ring"), threads: 0).waitAndDrain()
            let file = folder.bytes("ring")
            #expect(RingFrame.all(in: file[RingHeader.bytes...]).count == 1)
            #expect(try FlightRecorder.recover(folder("ring")) == [])
        }

        @Test func aLimitOfTheFileSizeIsAnErrorAndNotTheEnd() throws {
            let folder = TemporaryFolder(), victim = try ChildProcess.builtProgram("FlightRecorderVictim")
            let limited = ["/bin/sh", "-c", #"ulimit -f 4; exec "$0" "$1" 0"#, victim, folder("ring")]
            #expect(try ChildProcess.run(limited, output: folder("said")) == .exited(1))
            #expect(folder.text("said").contains("(errno \(EFBIG))"))
            #expect(folder.bytes("ring").isEmpty)
        }

        private struct Totals {
            var acknowledged = 0
            var keptUnacknowledged = 0
            var wrapped = 0
        }

        @Test("200 random kills: nothing acknowledged is lost among the last events that the ring has room for")
        func killed() async throws {
            let totals = try await onThread { try Self.killVictims() }
            print(
                "kills: \(totals.acknowledged) events acknowledged, \(totals.keptUnacknowledged) kept that were not, "
                    + "\(totals.wrapped) rings were full")
            // Otherwise the rounds would have proved nothing.
            #expect(totals.acknowledged > 1000)
            #expect(totals.keptUnacknowledged > 0)
            #expect(totals.wrapped > 0)
        }

        private static func killVictims() throws -> Totals {
            let folder = TemporaryFolder(), random = LogRandomness.seeded(9)
            var totals = Totals()
            for round in 0..<kills {
                // Every other victim goes on in the ring that the one before it left.
                if round % 2 == 0 { unlink(folder("ring")) }
                let victim = try Victim(ring: folder("ring"), threads: threads)
                let first = victim.waitForAcknowledgement()
                // Some fill the ring also on a machine that is busy.
                usleep(UInt32(random.next() % 6000) + (round % 10 == 0 ? 100_000 : 0))
                let acknowledged = first + victim.killAndDrain()
                try #require(acknowledged.first != nil, "round \(round): the victim never came to log")
                try check(folder("ring"), acknowledged, round: round, &totals)
            }
            return totals
        }

        private static func check(
            _ ring: String, _ acknowledged: [Said], round: Int, _ totals: inout Totals
        ) throws {
            let recovered = try FlightRecorder.recover(ring)
            let epochs = recovered.map { $0.metadata[FlightRecorder.epochKey].flatMap(\.natural) ?? 0 }
            let ofThisVictim = zip(recovered, epochs).filter { $1 == epochs.max() }.map { Said($0.0.message) }
            let room = (FlightRecorder.capacities.lowerBound - largestFrame) / largestFrame
            let isWrapped = ofThisVictim.count == recovered.count && recovered.count >= room
            totals.acknowledged += acknowledged.count
            if isWrapped { totals.wrapped += 1 }
            for thread in 0..<threads {
                let kept = ofThisVictim.filter { $0.thread == thread }.map(\.number)
                let said = acknowledged.filter { $0.thread == thread }.map(\.number)
                guard let oldest = kept.first, let newest = kept.last else {
                    // Gone only if the others have filled the ring since.
                    #expect(said.isEmpty || isWrapped, "round \(round), thread \(thread): nothing kept of \(said.count)")
                    continue
                }
                #expect(kept == Array(oldest...newest), "round \(round), thread \(thread): not in order, or with a gap")
                #expect(oldest == 1 || isWrapped, "round \(round), thread \(thread): pushed out while there was room")
                #expect(newest >= said.max() ?? 0, "round \(round), thread \(thread): an acknowledged event is lost")
                if newest > said.max() ?? 0 { totals.keptUnacknowledged += 1 }
            }
            for message in recovered.map(\.message) {
                let said = Said(message)
                let expected = "\(said.thread) \(said.number) \(String(repeating: "x", count: said.number * 7 % 200))"
                #expect(message == expected)
            }
        }
    }

    /// What the victim says in a message and in an acknowledgement: `<thread> <number>`.
    struct Said {
        let thread: Int
        let number: Int

        init(_ text: some StringProtocol) {
            let parts = text.split(separator: " ")
            thread = parts.first.flatMap { Int($0) } ?? -1
            number = parts.dropFirst().first.flatMap { Int($0) } ?? -1
        }
    }

    /// A child process, built beside the tests.
    struct Victim {
        private let process: ChildProcess
        private let descriptor: Int32

        /// - Parameter written: Where its slow sink writes to, when it records losses in the file in place of a ring.
        init(ring: String, threads: Int, written: String? = nil) throws {
            let ends = Unshared.pipe()
            defer { close(ends[1]) }
            process = try ChildProcess(
                [ChildProcess.builtProgram("FlightRecorderVictim"), ring, "\(threads)"] + (written.map { [$0] } ?? []),
                outputDescriptor: ends[1])
            descriptor = ends[0]
        }

        func waitForAcknowledgement() -> [Said] { waitForLines().map { Said($0) } }
        func killAndDrain() -> [Said] { killAndDrainLines().map { Said($0) } }

        func waitForLines() -> [Substring] {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return poll(&waiting, 1, 60_000) == 1 ? read() : []
        }

        func killAndDrainLines() -> [Substring] {
            process.signal(SIGKILL)
            return waitAndDrain()
        }

        @discardableResult
        func waitAndDrain() -> [Substring] {
            process.wait()
            // Everything it wrote is in the pipe by now.
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            defer { close(descriptor) }
            return read()
        }

        /// Whole lines; an acknowledgement is one write, so there are no others.
        private func read() -> [Substring] {
            var bytes = [UInt8](repeating: 0, count: 1 << 20)
            let count = Glibc.read(descriptor, &bytes, bytes.count)
            guard count > 0 else { return [] }
            return String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n")
        }
    }

    extension LogValue {
        fileprivate var natural: UInt64? {
            switch self {
            case .unsigned(let number): number
            case .integer(let number): UInt64(exactly: number)
            default: nil
            }
        }
    }
#endif
