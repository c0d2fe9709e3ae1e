#if Collector
    public import LogbookHTTP

    /// The archive that a text names.
    ///
    /// ```
    /// sqlite:/var/lib/logbook/archive.sqlite
    /// postgres://logbook@db.example.com:5432/logbook
    /// clickhouse://logbook@ch1.example.com:8443,ch2.example.com:8443/logbook?cluster=logs&secure=1
    /// ```
    /// ClickHouse on another machine needs `secure=1` for HTTPS, or `insecure=1` to be spoken to in the clear.
    public enum ArchiveURL {
        /// Opens it, blocking the calling thread until it is ready. Close it when it is not used any more.
        /// - Parameter clickHousePassword: For an address of ClickHouse that has none in it. PostgreSQL's own library finds one in
        ///   `PGPASSWORD` and in `~/.pgpass`.
        /// - Throws: ``ArchiveError/invalidAddress(_:)`` for a text that names no archive, and what the archive throws.
        public static func open(_ text: String, clickHousePassword: Secret? = nil) throws(ArchiveError) -> any Archive {
            for scheme in ["postgres://", "postgresql://"] where text.hasPrefix(scheme) { return try PostgresArchive(text) }
            if text.hasPrefix(ClickHouseAddress.scheme) { return try ClickHouseArchive(text, password: clickHousePassword) }
            if let path = sqlitePath(text), !path.isEmpty { return try SQLiteArchive(path: String(path)) }
            // Not the text itself: it may be an address with a password and a mistake in its scheme.
            throw .invalidAddress(
                "the archive must be given as sqlite:<path>, postgres://<user>@<host>/<database> or clickhouse://<user>@<host>/<database>")
        }

        /// The file of an archive in SQLite, empty where the text names none; nil for another archive.
        static func sqlitePath(_ text: String) -> Substring? {
            let scheme = "sqlite:"
            return text.hasPrefix(scheme) ? text.dropFirst(scheme.count) : nil
        }
    }
#endif
