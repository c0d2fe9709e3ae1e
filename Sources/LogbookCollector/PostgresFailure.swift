#if Collector
    /// Why a statement of PostgreSQL has no result.
    enum PostgresFailure: Error, Equatable {
        /// No connection, or one that broke: the server will undo what was not committed.
        case lost(String)
        /// The connection broke after `COMMIT` was sent: it was carried out, or it was not.
        case uncertain(String)
        /// The server's own answer, with its SQLSTATE; or what is found wrong with one, without.
        case refused(code: String, reason: String)

        var reason: String {
            switch self {
            case .lost(let reason): "PostgreSQL: \(reason)"
            case .uncertain(let reason): "PostgreSQL: the connection broke while it stored: \(reason)"
            case .refused("", let reason): "PostgreSQL: \(reason)"
            case .refused(let code, let reason): "PostgreSQL: \(reason) (SQLSTATE \(code))"
            }
        }

        /// Whether the same may work at once: nothing of it was committed, and the cause is a broken connection, a server that stops,
        /// or another transaction.
        var passes: Bool {
            switch self {
            case .lost: true
            case .uncertain: false
            case .refused(let code, _): Self.passing.contains(code)
            }
        }

        /// Serialization failure, deadlock, the server stops, crashed or starts.
        private static let passing: Set<String> = ["40001", "40P01", "57P01", "57P02", "57P03"]
    }
#endif
