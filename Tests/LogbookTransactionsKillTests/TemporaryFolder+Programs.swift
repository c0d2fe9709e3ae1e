#if Collector && canImport(Glibc)
    import LogbookCore
    import LogbookTestKit
    import Testing

    extension TemporaryFolder {
        /// What SQLite's own shell answers, by line.
        func ask(_ database: String, _ sql: String) throws -> [String] {
            let end = try ChildProcess.run(["sqlite3", database, sql], output: self("answer"), by: .seconds(60))
            #expect(end == .exited(0), "\(sql)")
            return text("answer").split(separator: "\n").map(String.init)
        }
    }
#endif
