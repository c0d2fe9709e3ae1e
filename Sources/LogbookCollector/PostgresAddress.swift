#if Collector
    internal import CLogbookPostgres
    internal import LogbookHTTP

    /// Where a PostgreSQL database is and who asks: a URI as libpq takes it. Printed, it shows no password.
    ///
    /// Several hosts may stand in it: `postgres://logbook@a:5432,b:5432/logs?target_session_attrs=read-write`.
    struct PostgresAddress: Sendable, Hashable, CustomStringConvertible {
        /// The whole URI, password included.
        let uri: Secret
        /// `postgres://logbook@db.example.com:5432/logs`.
        let description: String

        init(_ text: String) throws(ArchiveError) {
            // libpq's own words on a URI it cannot read quote it, password and all.
            guard let options = PQconninfoParse(text, nil) else {
                throw .invalidAddress(
                    "the archive's address is no URI that PostgreSQL understands; write postgres://user@host:5432/database")
            }
            defer { PQconninfoFree(options) }
            var values: [String: String] = [:]
            var option = options
            while let keyword = option.pointee.keyword {
                if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
                option += 1
            }
            uri = Secret(text)
            let hosts = (values["host"] ?? values["hostaddr"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
            let ports = (values["port"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
            let places = hosts.enumerated().map { index, host in
                let port = ports.count == 1 ? ports[0] : index < ports.count ? ports[index] : ""
                return port.isEmpty ? String(host) : "\(host):\(port)"
            }
            description =
                "postgres://" + (values["user"].map { "\($0)@" } ?? "") + places.joined(separator: ",")
                + (values["dbname"].map { "/\($0)" } ?? "")
        }
    }
#endif
