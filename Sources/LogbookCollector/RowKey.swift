#if Collector
    internal import GRDB
    internal import LogbookCore
    internal import LogbookTransactions

    /// The key by which an archive's file has a row once, as three numbers: an index of the texts that say the same would take most of the
    /// time that a row takes.
    ///
    /// The first number is the beginning of a digest of a tenant and an installation, the others are the installation's own. A key of
    /// another form is a digest altogether.
    struct RowKey: Hashable {
        let origin: Int64
        let epoch: Int64
        let sequence: Int64

        init(origin: Int64, epoch: Int64, sequence: Int64) { (self.origin, self.epoch, self.sequence) = (origin, epoch, sequence) }

        /// Of a transaction's entry.
        /// - Parameter text: The key that ``EntryIdentity`` gives it.
        init(_ text: String, tenant: String, _ digests: inout Digests) {
            if let key = EntryKey(text) {
                origin = digests.origin(key.installation, tenant: tenant)
                (epoch, sequence) = (key.epoch, key.sequence)
            } else {
                (origin, epoch) = Digests.numbers("key", text, tenant)
                sequence = -1   // no installation's own
            }
        }

        /// Remembers the installation that was asked for last: one follows itself.
        struct Digests {
            private var latest: (installation: String, tenant: String, origin: Int64)?

            mutating func origin(_ installation: String, tenant: String) -> Int64 {
                if let latest, latest.installation.isSameText(as: installation), latest.tenant.isSameText(as: tenant) {
                    return latest.origin
                }
                let origin = Self.numbers("installation", installation, tenant).0
                latest = (installation, tenant, origin)
                return origin
            }

            /// Neither kind nor tenant can hold a line's end.
            fileprivate static func numbers(_ kind: String, _ text: String, _ tenant: String) -> (Int64, Int64) {
                let digest = HexadecimalDigest.bytes(of: "\(kind)\n\(tenant)\n\(text)".utf8)
                func number(_ bytes: ArraySlice<UInt8>) -> Int64 { bytes.reduce(0) { $0 << 8 | Int64($1) } }
                return (number(digest[..<8]), number(digest[8..<16]))
            }
        }

        /// For the migration of archives whose rows have no such key yet: `row_key(tenant, key, 0…2)` and `origin(tenant, installation)`.
        static var functions: [DatabaseFunction] {
            let digests = Locked(Digests())   // three numbers of each row, and rows that follow each other, are of one installation
            return [
                DatabaseFunction("row_key", argumentCount: 3, pure: true) { values in
                    guard let tenant = String.fromDatabaseValue(values[0]), let text = String.fromDatabaseValue(values[1])
                    else { return nil }
                    let key = digests.withLock { RowKey(text, tenant: tenant, &$0) }
                    return [key.origin, key.epoch, key.sequence][Int.fromDatabaseValue(values[2]) ?? 0]
                },
                DatabaseFunction("origin", argumentCount: 2, pure: true) { values in
                    guard let tenant = String.fromDatabaseValue(values[0]), let installation = String.fromDatabaseValue(values[1])
                    else { return nil }
                    return digests.withLock { $0.origin(installation, tenant: tenant) }
                },
            ]
        }
    }
#endif
