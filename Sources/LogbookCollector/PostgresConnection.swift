#if Collector
    internal import CLogbookPostgres
    internal import LogbookCore
    internal import LogbookHTTP
    #if canImport(Darwin)
        internal import Darwin
    #elseif canImport(Glibc)
        internal import Glibc
    #elseif canImport(Musl)
        internal import Musl
    #endif

    /// One connection to PostgreSQL, used by one thread. Every wait on it ends.
    final class PostgresConnection {
        /// What a statement has given back.
        struct Outcome {
            var rows: [[String?]] = []
            /// Rows inserted, changed or deleted; of a query, rows found.
            var count = 0
        }

        /// Until the connection stands.
        static let connectSeconds = 10
        /// After which the server gives a statement up.
        static let statementLimit = Duration.seconds(30)
        /// How much longer the server may keep silent before it is taken for dead.
        private static let patience = Duration.seconds(5)

        private let handle: OpaquePointer
        /// Days that had partitions of their own when they were last looked for; see ``PostgresArchive``.
        var knownDays: [PostgresArchive.Table: Set<Int64>] = [:]

        init(_ address: PostgresAddress) throws(PostgresFailure) {
            // Later ones win: what the address says about time limits counts, what the tables need does not change.
            let words = [
                ("connect_timeout", "\(Self.connectSeconds)"), ("application_name", "logbook"), ("keepalives_idle", "10"),
                ("keepalives_interval", "5"), ("keepalives_count", "3"), ("dbname", address.uri.revealed), ("client_encoding", "UTF8"),
            ]
            var keywords: [UnsafePointer<CChar>?] = words.map { UnsafePointer(strdup($0.0)) } + [nil]
            var values: [UnsafePointer<CChar>?] = words.map { UnsafePointer(strdup($0.1)) } + [nil]
            defer { for text in keywords + values { free(UnsafeMutablePointer(mutating: text)) } }
            guard let handle = PQconnectdbParams(&keywords, &values, 1) else { throw .lost("out of memory") }
            self.handle = handle
            guard PQstatus(handle) == CONNECTION_OK else { throw .lost(Self.message(of: handle)) }
            // Notices of the kind "exists already, skipping" would go to standard error.
            _ = PQsetNoticeProcessor(handle, { _, _ in }, nil)
            PQsetnonblocking(handle, 1)
            let limit = Self.statementLimit.wholeNanoseconds / 1_000_000
            // Compiled, a query that goes through a partition per day takes many times as long as without.
            try execute(
                """
                SET statement_timeout = \(limit); SET lock_timeout = \(limit); SET idle_in_transaction_session_timeout = \(2 * limit);
                SET synchronous_commit = on; SET default_transaction_isolation = 'read committed'; SET timezone = 'UTC';
                SET datestyle = 'ISO'; SET jit = off; SET search_path = logbook
                """)
        }

        deinit { PQfinish(handle) }

        var isUsable: Bool { PQstatus(handle) == CONNECTION_OK && PQtransactionStatus(handle) == PQTRANS_IDLE }

        // MARK: Statements

        /// - Parameters:
        ///   - parameters: The values of `$1`, `$2` and so on; with none, there may be several statements.
        ///   - limit: After which the server is taken for dead.
        @discardableResult
        func execute(
            _ sql: String, _ parameters: [String?] = [], limit: Duration = PostgresConnection.statementLimit
        ) throws(PostgresFailure) -> Outcome {
            let deadline = LogDeadline.after(limit + Self.patience)
            let isSent: Int32
            if parameters.isEmpty {
                isSent = PQsendQuery(handle, sql)
            } else {
                let values = parameters.map { $0.map { UnsafePointer(strdup($0)!) } }
                defer { for value in values { free(UnsafeMutablePointer(mutating: value)) } }
                isSent = PQsendQueryParams(handle, sql, Int32(values.count), nil, values, nil, nil, 0)
            }
            guard isSent == 1 else { throw .lost(Self.message(of: handle)) }
            while true {
                let isLeft = PQflush(handle)
                if isLeft < 0 { throw .lost(Self.message(of: handle)) }
                if isLeft == 0 { break }
                try wait(for: POLLIN | POLLOUT, until: deadline)
                // The server may have to be rid of an answer before it reads on.
                guard PQconsumeInput(handle) == 1 else { throw .lost(Self.message(of: handle)) }
            }
            var outcome = Outcome()
            var failure: PostgresFailure?
            while true {
                while PQisBusy(handle) == 1 {
                    try wait(for: POLLIN, until: deadline)
                    guard PQconsumeInput(handle) == 1 else { throw .lost(Self.message(of: handle)) }
                }
                guard let result = PQgetResult(handle) else { break }
                defer { PQclear(result) }
                switch PQresultStatus(result) {
                case PGRES_TUPLES_OK: outcome = Self.outcome(of: result)
                case PGRES_COMMAND_OK: outcome = Outcome(count: Self.count(of: result))
                default: failure = failure ?? Self.failure(of: result)
                }
            }
            if PQstatus(handle) != CONNECTION_OK { throw .lost(failure?.reason ?? Self.message(of: handle)) }
            if let failure { throw failure }
            return outcome
        }

        /// `BEGIN … COMMIT`, or `ROLLBACK` when the body throws.
        func transaction<Result>(_ body: () throws(PostgresFailure) -> Result) throws(PostgresFailure) -> Result {
            try execute("BEGIN")
            let result: Result
            do throws(PostgresFailure) {
                result = try body()
            } catch {
                // A connection that cannot even do this is not used again.
                _ = try? execute("ROLLBACK")
                throw error
            }
            do throws(PostgresFailure) {
                try execute("COMMIT")
            } catch .lost(let reason) {
                throw .uncertain(reason)
            } catch {
                throw error
            }
            return result
        }

        private func wait(for events: Int32, until deadline: LogDeadline) throws(PostgresFailure) {
            var descriptor = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
            let left = deadline.remaining ?? .zero
            let found = poll(&descriptor, 1, Int32(clamping: left.wholeNanoseconds / 1_000_000 + 1))
            if found < 0, errno != EINTR { throw .lost(String(cString: strerror(errno))) }
            if found == 0, deadline.hasPassed { throw .lost("the server does not answer") }
        }

        private static func outcome(of result: OpaquePointer) -> Outcome {
            let columns = PQnfields(result)
            let rows = (0..<PQntuples(result)).map { row in
                (0..<columns).map { column in
                    PQgetisnull(result, row, column) == 1 ? nil : String(cString: PQgetvalue(result, row, column))
                }
            }
            return Outcome(rows: rows, count: rows.count)
        }

        private static func count(of result: OpaquePointer) -> Int { Int(String(cString: PQcmdTuples(result))) ?? 0 }

        private static func failure(of result: OpaquePointer) -> PostgresFailure {
            func field(_ code: UnicodeScalar) -> String? { PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) } }
            // The detail may quote values, so it is left out.
            guard let code = field("C") else { return .lost(line(PQresultErrorMessage(result))) }
            return .refused(code: code, reason: field("M") ?? "")
        }

        private static func message(of handle: OpaquePointer) -> String { line(PQerrorMessage(handle)) }

        /// In one line, as it is put into logs.
        private static func line(_ text: UnsafePointer<CChar>?) -> String {
            guard let text else { return "" }
            return String(cString: text).split(separator: "\n").map { $0.filter { $0 != "\t" } }.joined(separator: "; ")
        }
    }
#endif
