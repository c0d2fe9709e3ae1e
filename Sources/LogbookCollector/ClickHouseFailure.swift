#if Collector
    /// Why a query of ClickHouse has no result.
    enum ClickHouseFailure: Error, Equatable {
        /// No answer: what was asked for may have been done.
        case unreachable(String)
        /// The server's own answer. What an insert has stored until then stays.
        case refused(code: Int?, reason: String)

        var reason: String {
            switch self {
            case .unreachable(let reason): "ClickHouse: \(reason)"
            case .refused(_, let reason): "ClickHouse: \(reason)"
            }
        }

        /// The code for a table that is not there.
        static let unknownTable = 60

        /// Whether the same may work at once, perhaps at another of its servers.
        var passes: Bool {
            switch self {
            case .unreachable: true
            case .refused(let code, _): code.map(Self.passing.contains) ?? false
            }
        }

        /// No data source; end of stream; timeout; socket timeout; network error; no ZooKeeper; read-only table; too many parts; all
        /// connection tries failed; unknown status of an insert; ZooKeeper's own trouble.
        private static let passing: Set<Int> = [32, 74, 159, 209, 210, 225, 242, 252, 279, 285, 319, 999]
    }
#endif
