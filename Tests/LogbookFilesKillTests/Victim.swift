#if canImport(Glibc)
    import Glibc
    import Testing

    /// A `FilesVictim` process, built beside the tests.
    struct Victim {
        private let process: pid_t
        private let descriptor: Int32

        init(_ words: [String]) throws {
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
            defer { posix_spawn_file_actions_destroy(&actions) }
            let program = try Self.path()
            var arguments = ([program] + words).map { strdup($0) } + [nil]
            defer { arguments.forEach { free($0) } }
            var process = pid_t()
            let failure = posix_spawn(&process, program, &actions, nil, &arguments, environ)
            close(ends[1])
            try #require(failure == 0)
            self.process = process
            descriptor = ends[0]
        }

        private static func path() throws -> String {
            var path = [CChar](repeating: 0, count: Int(PATH_MAX))
            let length = readlink("/proc/self/exe", &path, path.count)
            try #require(length > 0)
            let tests = String(decoding: path[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
            return tests[..<tests.lastIndex(of: "/")!] + "/FilesVictim"
        }

        func waitForFirstWord() {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            _ = poll(&waiting, 1, 60_000)
        }

        func stop() { kill(process, SIGSTOP) }

        /// - Returns: The numbers it said; an acknowledgement is one write, so there is no half of one.
        func killAndDrain() -> [String] {
            kill(process, SIGKILL)
            return waitAndDrain().said
        }

        /// The victim ends by itself within its alarm.
        func waitAndDrain() -> (said: [String], wasKilled: Bool) {
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0 && errno == EINTR {}
            // Everything it wrote is in the pipe by now.
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            defer { close(descriptor) }
            var bytes = [UInt8](repeating: 0, count: 1 << 20)
            let count = Glibc.read(descriptor, &bytes, bytes.count)
            let text = String(decoding: bytes[..<max(0, count)], as: UTF8.self)
            return (text.split(separator: "\n").map(String.init), status & 0x7F == SIGKILL)
        }
    }
#endif
