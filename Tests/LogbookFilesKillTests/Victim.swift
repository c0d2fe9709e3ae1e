#if canImport(Glibc)
    import Glibc
    import LogbookCore
    import LogbookTestKit
    import Testing

    /// A `FilesVictim` process, built beside the tests.
    struct Victim {
        private let process: ChildProcess
        private let descriptor: Int32

        /// - Parameter arranger: A program and its words that become the victim.
        init(_ words: [String], under arranger: [String] = []) throws {
            let ends = Unshared.pipe()
            defer { close(ends[1]) }
            process = try ChildProcess(
                arranger + [ChildProcess.builtProgram("FilesVictim")] + words, outputDescriptor: ends[1])
            descriptor = ends[0]
        }

        func waitForFirstWord() {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            _ = poll(&waiting, 1, 60_000)
        }

        func stop() { process.signal(SIGSTOP) }

        /// - Returns: What it said before the power of its disk failed.
        func losePower(of disk: LoopDisk, _ random: LogRandomness) throws -> [String] {
            try disk.losePower(under: process, random)
            return waitAndDrain().said
        }

        /// - Returns: The numbers it said; an acknowledgement is one write, so there is no half of one.
        func killAndDrain() -> [String] {
            process.signal(SIGKILL)
            return waitAndDrain().said
        }

        /// The victim ends by itself within its alarm, of ten minutes at most.
        func waitAndDrain() -> (said: [String], wasKilled: Bool) {
            let end = process.wait(by: .seconds(660))
            // Everything it wrote is in the pipe by now.
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            defer { close(descriptor) }
            var bytes = [UInt8](repeating: 0, count: 1 << 20)
            let count = Glibc.read(descriptor, &bytes, bytes.count)
            let text = String(decoding: bytes[..<max(0, count)], as: UTF8.self)
            return (text.split(separator: "\n").map(String.init), end == .killed(by: SIGKILL))
        }
    }
#endif
