#if Collector
    internal import LogbookCore
    internal import LogbookTransactions

    extension CollectorService {
        func archived<Result>(
            _ body: () async throws(ArchiveError) -> Result
        ) async throws(Refusal) -> Result {
            do {
                return try await body()
            } catch { throw unavailable(error) }
        }

        /// As ``archived(_:)``, and its time is measured.
        func stored(
            _ body: () async throws(ArchiveError) -> ArchiveReceipt
        ) async throws(Refusal) -> ArchiveReceipt {
            let start = clock.monotonicNanoseconds()
            defer { metrics.archived(in: clock.monotonicNanoseconds() &- start) }
            return try await archived(body)
        }

        func unavailable(_ error: ArchiveError) -> Refusal {
            if case .transactionTooLarge(let id, let place) = error {
                // Whoever may read the tenant's transactions may know of this one.
                var reason = "the transaction \(id) is too large for an answer; ask for others than it, or the archive for it in SQL"
                if let place { reason += "; a list goes on behind it with cursor=\(place), and an export with after=\(place)" }
                return Refusal(413, "too_large", reason: reason, next: place?.description)
            }
            return Refusal(
                503, "unavailable", reason: "the archive cannot be used now; send the same again", headers: ["Retry-After": "5"],
                cause: error.description)
        }

        /// Bytes of the disk that SQLite's write-ahead log may need, also where the archive has room of its own: the pages that a large
        /// commit changes stand there first.
        static let journalBytes = 32 << 20

        /// Why there is no room now to store so many bytes; nil where there is, or none is to be kept.
        /// - Parameter isForArchive: Whether what is to be stored goes into the archive, so that room counts which it has in its own files.
        ///   It is asked for that, and to give back what it can, only while the disk is short, and once a second at most. Otherwise it goes
        ///   to where whole files are.
        func shortage(of bytes: Int = 0, isForArchive: Bool) async -> String? {
            guard let folder = isForArchive ? configuration.storageFolder : configuration.filesFolder, var free = freeBytes(folder),
                bytes > free - configuration.keepFreeBytes
            else { return nil }
            if isForArchive {
                let reusable = (try? await reusableBytes.answer()) ?? 0
                free = freeBytes(folder) ?? free
                if bytes <= free - configuration.keepFreeBytes { return nil }
                if free >= Self.journalBytes, reusable - bytes >= configuration.keepFreeBytes - free { return nil }
            }
            return """
                \(free) bytes are free at \(folder), and \(configuration.keepFreeBytes) are to stay so: what needs more is not taken until \
                there is more room
                """
        }

        /// - Parameter allowed: What the path takes, when it is more than this method.
        func check(_ request: CollectorRequest, method: String, allowed: String? = nil) throws(Refusal) {
            if request.method != method { throw Self.notAllowed(but: allowed ?? method) }
        }

        static func notAllowed(but allowed: String) -> Refusal {
            Refusal(405, "method_not_allowed", reason: "only \(allowed) is possible here", headers: ["Allow": allowed])
        }

        func check(_ request: CollectorRequest, offers types: @autoclosure () -> [String]) throws(Refusal) {
            guard let accept = request.header("Accept") else { return }
            let types = types()
            if MediaRange.field(accept, takesOneOf: types) { return }
            throw Refusal(
                406, "not_acceptable", field: "Accept", reason: "this collector answers in \(types.joined(separator: ", "))")
        }

        func check(charset: String?) throws(Refusal) {
            guard charset.map({ ["utf-8", "utf8", "us-ascii"].contains($0.lowercased()) }) ?? true else {
                throw Refusal(415, "unsupported_media_type", field: "Content-Type", reason: "send UTF-8")
            }
        }

        func parcelName(_ request: CollectorRequest) throws(Refusal) -> String? {
            guard let name = request.header(Self.parcelHeader) else { return nil }
            guard (1...Self.longestParcelName).contains(name.utf8.count),
                name.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
            else {
                throw Refusal(
                    400, "invalid", field: Self.parcelHeader,
                    reason: "a parcel's name has 1 to \(Self.longestParcelName) visible ASCII characters")
            }
            return name
        }
    }
#endif
