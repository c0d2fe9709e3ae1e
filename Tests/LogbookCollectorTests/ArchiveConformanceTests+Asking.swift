#if Collector && canImport(Glibc)
    import Foundation
    @testable import LogbookCollector
    import LogbookCore
    import LogbookTestKit
    import LogbookTransactions
    import Testing

    /// What Plugins-Docs/AskAnArchive.md asks, to the letter.
    private struct QuestionsGuide {
        typealias Table = [[String]]

        /// SQL that makes the table of steps, by what makes it.
        private(set) var steps: [Substring: String] = [:]
        /// In their order, with what the guide says they find, names of columns first; nil for what finds nothing.
        private(set) var questions: [(sql: String, answer: Table?)] = []

        init() throws {
            let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
            let page = try String(contentsOfFile: root + "/Plugins-Docs/AskAnArchive.md", encoding: .utf8)
            for (place, part) in page.components(separatedBy: "\n```").enumerated() where place % 2 == 1 {
                let words = part.prefix { $0 != "\n" }.split(separator: " "), text = String(part.drop { $0 != "\n" }.dropFirst())
                switch (words.first, words.count) {
                case ("sql", 2): steps[words[1]] = text
                case ("sql", _): questions.append((text, nil))
                case ("text", _): questions[questions.count - 1].answer = Self.table(text)
                default: break
                }
            }
        }

        /// Rows of what stands between bars. A number is the same however many zeros stand behind its point.
        static func table(_ text: String) -> Table {
            text.split(separator: "\n").map { row in
                row.split(separator: "|", omittingEmptySubsequences: false).map { Double($0).map { "\($0)" } ?? String($0) }
            }
        }

        /// What SQLite's own program finds with `questions.sql`, which asks them all.
        /// - Parameter words: Of its command line.
        func askSQLite(_ words: [String], in folder: TemporaryFolder) throws -> [Table] {
            let end = "-- that is all --"
            folder.write(questions.map { "\($0.sql);\n.print '\(end)'\n" }.joined(), to: "questions.sql")
            let ended = try ChildProcess.run(
                ["sqlite3", "-header"] + words + [".read questions.sql"], in: folder.path, output: folder("answers"),
                errors: folder("errors"))
            try #require(ended == .exited(0) && folder.text("errors").isEmpty, "\(folder.text("errors"))")
            return folder.text("answers").components(separatedBy: end + "\n").dropLast().map(Self.table)
        }
    }

    /// What an archive is asked in SQL.
    extension ArchiveConformanceTests {
        /// The logins of the guide (D9 of the specification), and those of whom half saw another variant of a form.
        private static var asked: [TransactionRecord] {
            func run(
                _ id: String, _ usecase: Int, session: String, variant: String? = nil, _ steps: [(event: Int, seconds: Double)]
            ) -> TransactionRecord {
                TransactionRecord(
                    id: id, usecase: usecase, deviceMake: "KVM", deviceOS: "Debian", deviceOSVersion: "12", variant: variant,
                    appVersion: "1.4.0", session: session, installation: "till-7",
                    entries: steps.map { event, seconds in
                        EntryRecord(
                            event: event, errorCode: id == "L5" && event == 7 ? -1001 : nil,
                            time: LogTime(nanoseconds: Int64((seconds * 1e9).rounded())))
                    })
            }
            let logins = [
                run("L1", 1, session: "one", [(0, 1000), (2, 1012.5), (3, 1012.7), (6, 1012.9), (7, 1013.1)]),
                run(
                    "L2", 1, session: "one",
                    [(0, 1100), (2, 1130), (3, 1130.3), (5, 1130.4), (7, 1130.6), (2, 1141), (3, 1141.2), (6, 1141.5), (7, 1141.8)]),
                run("L3", 1, session: "one", [(0, 1200), (1, 1207)]),
                run("L4", 1, session: "one", [(0, 1300)]),
                run("L5", 1, session: "two", [(0, 1400), (2, 1405), (7, 1465)]),
            ]
            return logins + [("A", 120), ("B", 140)].flatMap { variant, submitted in
                (0..<200).map { number in
                    run(
                        "\(variant)\(number)", 2, session: "three", variant: variant,
                        [(0, 2000 + Double(number)), (number < submitted ? 2 : 1, 2003 + Double(number))])
                }
            }
        }

        private static func archiveOfTheGuide(
            _ kind: ArchiveKind
        ) async throws -> (archive: any Archive, address: String, guide: QuestionsGuide) {
            let (archive, address) = try await ArchiveServers.open(kind), records = asked
            let set = TransactionSet(transactions: records)
            let receipt = try await archive.store(TransactionParcel(parcel: "P", set: set, received: LogTime(seconds: 3000)))
            #expect(receipt.accepted == records.reduce(0) { $0 + $1.entries.count })
            let guide = try QuestionsGuide()
            try #require(guide.questions.count { $0.answer != nil } == 8)
            return (archive, address, guide)
        }

        @Test("A4: fill times, round trips, where time goes, abandonment, retries, errors and variants are asked of any archive's export, as the guide says", arguments: ArchiveKind.available)
        func anExportIsAsked(_ kind: ArchiveKind) async throws {
            let (archive, _, guide) = try await Self.archiveOfTheGuide(kind), folder = TemporaryFolder()
            try await RunningCollector.with(archive) { collector in
                let exported = try await collector.send("GET", "/v1/export?format=csv")
                #expect(exported.status == 200)
                folder.write(exported.body, to: "exported.csv")
            }
            folder.write(try #require(guide.steps["exported"]), to: "steps.sql")
            let found = try await onThread {
                try guide.askSQLite(["steps.sqlite", ".import --csv exported.csv exported", ".read steps.sql"], in: folder)
            }
            #expect(found == guide.questions.map { $0.answer ?? [] })
        }

        @Test("A4: an export's times are taken in as they are, also at the very end of a second")
        func theEndOfASecondIsNotTheNext() async throws {
            let archive = try await ArchiveServers.open(.sqlite).archive, folder = TemporaryFolder(), guide = try QuestionsGuide()
            let entry = EntryRecord(event: 1, time: LogTime(nanoseconds: 1_000_999_600_000))
            _ = try await archive.store(Golden.parcel(TransactionRecord(id: "T", usecase: 1, entries: [entry])))
            try await RunningCollector.with(archive) { collector in
                let exported = try await collector.send("GET", "/v1/export?format=csv")
                folder.write(exported.body, to: "exported.csv")
            }
            folder.write(try #require(guide.steps["exported"]), to: "steps.sql")
            let ended = try await onThread {
                try ChildProcess.run(
                    ["sqlite3", "steps.sqlite", ".import --csv exported.csv exported", ".read steps.sql", "SELECT seconds FROM steps"],
                    in: folder.path, output: folder("answers"), errors: folder("errors"))
            }
            #expect(ended == .exited(0) && folder.text("answers") == "1000.9996\n", "\(folder.text("errors"))")
        }

        @Test("A4: an archive in SQLite is asked where it is, while its collector runs")
        func anArchiveInSQLiteIsAsked() async throws {
            let (archive, address, guide) = try await Self.archiveOfTheGuide(.sqlite), folder = TemporaryFolder()
            folder.write(try #require(guide.steps["sqlite"]), to: "steps.sql")
            let found = try await onThread {
                try guide.askSQLite(["-readonly", String(address.dropFirst("sqlite:".count)), ".read steps.sql"], in: folder)
            }
            #expect(found == guide.questions.map { $0.answer ?? [] })
            withExtendedLifetime(archive) {}
        }

        @Test("A4: an archive in PostgreSQL is asked where it is", .enabled(if: PostgresServer.isPossible, "needs the Debian package postgresql-15"))
        func anArchiveInPostgresIsAsked() async throws {
            let (_, address, guide) = try await Self.archiveOfTheGuide(.postgres)
            let found = try await onThread { () -> [QuestionsGuide.Table] in
                let connection = try PostgresConnection(PostgresAddress(address))
                try connection.execute(try #require(guide.steps["postgres"]))
                return try guide.questions.map { question in
                    let rows = try connection.execute(question.sql).rows
                    return QuestionsGuide.table(rows.map { $0.map { $0 ?? "" }.joined(separator: "|") }.joined(separator: "\n"))
                }
            }
            #expect(found == guide.questions.map { Array(($0.answer ?? []).dropFirst()) })
        }
    }
#endif
