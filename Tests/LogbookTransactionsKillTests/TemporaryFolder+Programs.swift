#if Collector && canImport(Glibc)
    import Glibc
    import LogbookCore
    import LogbookTestKit
    import Testing

    extension TemporaryFolder {
        /// Waits until a program has written something into this file, or has ended.
        func waitForWords(in name: String, of process: ChildProcess?, by deadline: LogDeadline = .seconds(120)) {
            while bytes(name).isEmpty, process?.end == nil, !deadline.hasPassed { usleep(500) }
        }

        /// What SQLite's own shell answers, by line.
        func ask(_ database: String, _ sql: String) throws -> [String] {
            let end = try ChildProcess.run(["sqlite3", database, sql], output: self("answer"), by: .seconds(60))
            #expect(end == .exited(0), "\(sql)")
            return text("answer").split(separator: "\n").map(String.init)
        }
    }
#endif
