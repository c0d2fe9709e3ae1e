#if Collector
    internal import LogbookCore
    internal import LogbookGzip
    internal import LogbookTransactions

    /// What a collector answers, apart from the server that carries requests and answers.
    ///
    /// A request is looked at from the outside in: token, path, method, types, size, form. Its body is not read before its token is
    /// known to be right. An answer of success is given only after the archive has committed.
    struct CollectorService: Sendable {
        static let parcelHeader = "Logbook-Parcel"
        private static let longestParcelName = 256

        let configuration: CollectorConfiguration
        let archive: any Archive
        let clock: LogClock
        private let tokenCheck: TokenCheck?
        private let tally = Locked(CollectorTally())
        private let bytesInFlight = Locked(0)

        init(configuration: CollectorConfiguration, archive: any Archive, clock: LogClock = .system) {
            self.configuration = configuration
            self.archive = archive
            self.clock = clock
            tokenCheck = configuration.token.map {
                TokenCheck(token: $0, scheme: configuration.authScheme, parameter: configuration.authTokenParameter)
            }
        }

        func answer(_ request: CollectorRequest) async -> CollectorAnswer {
            do throws(Refusal) {
                return try await route(request)
            } catch {
                return error.answer
            }
        }

        /// An answer that ends the handling of a request wherever it is.
        struct Refusal: Error {
            let answer: CollectorAnswer

            init(_ status: Int, _ error: String, field: String? = nil, reason: String, headers: [String: String] = [:])
            {
                answer = .refusal(status, error, field: field, reason: reason, headers: headers)
            }
        }

        private func route(_ request: CollectorRequest) async throws(Refusal) -> CollectorAnswer {
            if request.path == "/health" {
                try check(request, method: "GET")
                return await health()
            }
            if let tokenCheck, !tokenCheck.accepts(request.header("Authorization")) {
                LogDiagnostics.report("collector", "a request with a wrong or missing token was refused")
                throw Refusal(
                    401, "unauthorized", reason: "the token is missing or wrong",
                    headers: ["WWW-Authenticate": "Bearer"])
            }
            if configuration.transactionPaths.contains(request.path) {
                try check(request, method: "POST")
                return try await takeTransactions(request)
            }
            if request.path == "/v1/logs" {
                try check(request, method: "POST")
                return try await takeLogs(request)
            }
            if request.path == "/v1/files" || request.path.hasPrefix("/v1/files/") {
                guard let folder = configuration.filesFolder else {
                    throw Refusal(404, "not_found", reason: "this collector keeps no files; start it with --files")
                }
                return try await takeFile(request, FileShelf(path: folder))
            }
            if request.path == "/v1/stats" {
                try check(request, method: "GET")
                return try await stats()
            }
            if let id = request.path.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false).transactionID
            {
                try check(request, method: "GET")
                return try await transaction(id)
            }
            throw Refusal(404, "not_found", reason: "there is nothing at this path")
        }

        // MARK: Taking

        private func takeTransactions(_ request: CollectorRequest) async throws(Refusal) -> CollectorAnswer {
            guard let type = request.header("Content-Type").flatMap({ TransactionSetMediaType($0) }),
                type.format == "json"
            else {
                throw Refusal(
                    415, "unsupported_media_type", field: "Content-Type",
                    reason: "send application/<prefix>apptxnset-v0.0.1+json")
            }
            guard let version = type.version else {
                let known = TransactionSetVersion.allCases.map(\.rawValue).joined(separator: ", ")
                throw Refusal(
                    415, "unsupported_media_type", field: "Content-Type",
                    reason: "this collector reads the versions \(known)")
            }
            try check(charset: type.charset)
            let offered = TransactionSetVersion.allCases.map {
                TransactionSetMediaType(prefix: type.prefix, version: $0).essence
            }
            try check(request, offers: offered + ["application/json"])
            let parcel = try parcelName(request)
            return try await withBody(of: request) { body throws(Refusal) in
                let set: TransactionSet
                do throws(TransactionSetError) { set = try TransactionSet.decode(body, version) } catch {
                    throw Refusal(error)
                }
                let parcel = TransactionParcel(parcel: parcel, set: set, received: clock.now())
                let receipt = try await archived { () async throws(ArchiveError) in try await archive.store(parcel) }
                count(receipt, rejected: 0)
                return CollectorAnswer(status: 202, headers: parcel.parcel.map { [Self.parcelHeader: $0] } ?? [:])
            }
        }

        private func takeLogs(_ request: CollectorRequest) async throws(Refusal) -> CollectorAnswer {
            let type = (request.header("Content-Type") ?? "").split(separator: ";").map {
                $0.filter { $0 != " " }.lowercased()
            }
            guard let essence = type.first, LogLines.mediaTypes.contains(essence) else {
                throw Refusal(
                    415, "unsupported_media_type", field: "Content-Type", reason: "send \(LogLines.mediaTypes[0])")
            }
            try check(charset: type.dropFirst().first { $0.hasPrefix("charset=") }?.dropFirst(8).filter { $0 != "\"" })
            try check(request, offers: LogLines.mediaTypes + ["application/json"])
            let parcel = try parcelName(request)
            return try await withBody(of: request) { body throws(Refusal) in
                let lines = LogLines(body)
                if lines.isTooMany {
                    throw Refusal(413, "too_large", reason: "a batch holds at most \(LogLines.maximumCount) events")
                }
                if lines.items.isEmpty, let first = lines.faults.first {
                    throw Refusal(422, "invalid", field: first.field, reason: first.reason)
                }
                let batch = LogBatch(parcel: parcel, items: lines.items, received: clock.now())
                let receipt = try await archived { () async throws(ArchiveError) in try await archive.store(batch) }
                count(receipt, rejected: lines.faultCount)
                var answer = JSONText()
                answer.add("parcel", parcel)
                answer.add("accepted", receipt.accepted)
                answer.add("duplicates", receipt.duplicates)
                answer.add("rejected", lines.faultCount)
                if !lines.faults.isEmpty {
                    answer.add(
                        "faults",
                        lines.faults.map { fault in
                            var text = JSONText()
                            text.add("field", fault.field)
                            text.add("reason", fault.reason)
                            return text
                        })
                }
                return .json(200, answer, headers: parcel.map { [Self.parcelHeader: $0] } ?? [:])
            }
        }

        private static let digestHeader = "Logbook-SHA256"

        /// A whole file: `PUT /v1/files/<id>`, or `POST /v1/files` with the id in `Logbook-Parcel`.
        private func takeFile(_ request: CollectorRequest, _ shelf: FileShelf) async throws(Refusal) -> CollectorAnswer {
            let isNamed = request.path != "/v1/files"
            try check(request, method: isNamed ? "PUT" : "POST")
            let id = isNamed ? String(request.path.dropFirst("/v1/files/".count)) : try parcelName(request) ?? ""
            guard FileShelf.isValid(id) else {
                throw Refusal(
                    400, "invalid", field: isNamed ? "path" : Self.parcelHeader,
                    reason: "a file's id has 1 to \(FileShelf.longestID) letters, digits, dots, dashes, underscores or @")
            }
            try check(request, offers: ["application/json"])
            let isGzip = try isGzip(request)
            let tooLarge = Refusal(
                413, "too_large", reason: "a file holds at most \(configuration.maximumFileBytes) bytes, inflated as well")
            if let announced = announcedBytes(request), announced > configuration.maximumFileBytes { throw tooLarge }
            guard reserve(ArrivingFile.pieceBytes) else { throw Self.busy }
            defer { release(ArrivingFile.pieceBytes) }
            let file = shelf.receive(
                id, isGzip: isGzip, maximumBytes: configuration.maximumFileBytes,
                digest: isGzip ? nil : request.header(Self.digestHeader))
            do {
                var rest: [UInt8] = []
                try await request.pieces { piece in
                    rest += piece
                    guard rest.count >= ArrivingFile.pieceBytes else { return }
                    try await file.append(rest)
                    rest.removeAll(keepingCapacity: true)
                }
                let kept = try await file.finish(with: rest)
                var answer = JSONText()
                answer.add("file", id)
                answer.add("bytes", kept.bytes)
                answer.add("duplicates", kept.isNew ? 0 : 1)
                return .json(200, answer, headers: [Self.parcelHeader: id])
            } catch {
                await file.abandon()
                switch error as? ArrivingFile.Failure {
                case .tooLarge: throw tooLarge
                case .damaged:
                    throw Refusal(
                        503, "damaged", field: Self.digestHeader, reason: "the body is not what was announced; send it again")
                case .notGzip: throw Self.notGzip
                case .outOfMemory: throw Self.busy
                case .unavailable(let failure): throw unavailable(failure)
                case nil: throw Self.brokenOff
                }
            }
        }

        /// Reads and inflates the body while its bytes are counted against what may be in memory.
        private func withBody(
            of request: CollectorRequest, _ body: ([UInt8]) async throws(Refusal) -> CollectorAnswer
        ) async throws(Refusal) -> CollectorAnswer {
            let limit = configuration.maximumBodyBytes
            let isGzip = try isGzip(request)
            let tooLarge = Refusal(413, "too_large", reason: "a body holds at most \(limit) bytes, inflated as well")
            let announced = announcedBytes(request)
            if let announced, announced > limit { throw tooLarge }
            // A gzip body may grow to the limit; one of unknown length as well.
            let reserved = isGzip ? limit : announced ?? limit
            guard reserve(reserved) else { throw Self.busy }
            defer { release(reserved) }
            var bytes: [UInt8]
            do {
                bytes = try await request.body(upTo: limit)
            } catch is BodyError {
                throw tooLarge
            } catch {
                throw Self.brokenOff
            }
            if isGzip {
                do {
                    bytes = try Gzip.inflate(bytes, limit: limit)
                } catch {
                    switch error {
                    case .tooLarge: throw tooLarge
                    case .corrupt: throw Self.notGzip
                    case .outOfMemory: throw Self.busy
                    }
                }
            }
            return try await body(bytes)
        }

        private func isGzip(_ request: CollectorRequest) throws(Refusal) -> Bool {
            switch request.header("Content-Encoding")?.lowercased().filter({ $0 != " " }) ?? "identity" {
            case "gzip": return true
            case "identity", "": return false
            default:
                throw Refusal(
                    415, "unsupported_encoding", field: "Content-Encoding", reason: "send gzip or identity",
                    headers: ["Accept-Encoding": "gzip, identity"])
            }
        }

        private func announcedBytes(_ request: CollectorRequest) -> Int? { request.header("Content-Length").flatMap { Int($0) } }

        private static let brokenOff = Refusal(400, "malformed", reason: "the body broke off")
        private static let notGzip = Refusal(400, "malformed", reason: "the body is no gzip, or damaged")
        private static let busy = Refusal(
            503, "busy", reason: "too many bodies are on their way; send the same again", headers: ["Retry-After": "1"])

        private func reserve(_ bytes: Int) -> Bool {
            bytesInFlight.withLock { inFlight in
                // One body always fits, however the limits are set.
                guard inFlight == 0 || inFlight + bytes <= configuration.maximumBodyBytesInFlight else { return false }
                inFlight += bytes
                return true
            }
        }

        private func release(_ bytes: Int) { bytesInFlight.withLock { $0 -= bytes } }

        // MARK: Telling

        private func health() async -> CollectorAnswer {
            var body = JSONText()
            do {
                try await archive.checkWritable()
                body.add("status", "ok")
                return .json(200, body)
            } catch {
                LogDiagnostics.report("collector", error.description)
                body.add("status", "unavailable")
                body.add("reason", "the archive cannot be written")
                return .json(503, body, headers: ["Retry-After": "5"])
            }
        }

        private func stats() async throws(Refusal) -> CollectorAnswer {
            let counts = try await archived { () async throws(ArchiveError) in try await archive.counts(tenant: nil) }
            let tally = tally.withLock { $0 }
            var archived = JSONText()
            archived.add("transactions", counts.transactions)
            archived.add("entries", counts.entries)
            archived.add("log_events", counts.logEvents)
            archived.add("parcels", counts.parcels)
            var sinceStart = JSONText()
            sinceStart.add("requests", tally.deliveries)
            sinceStart.add("accepted", tally.accepted)
            sinceStart.add("duplicates", tally.duplicates)
            sinceStart.add("rejected", tally.rejected)
            var body = JSONText()
            body.add("archive", archived)
            body.add("since_start", sinceStart)
            return .json(200, body)
        }

        private func transaction(_ id: String) async throws(Refusal) -> CollectorAnswer {
            let found = try await archived { () async throws(ArchiveError) in try await archive.transaction(id, tenant: Tenant.standard) }
            guard let found else { throw Refusal(404, "not_found", reason: "no transaction has this id") }
            let type = TransactionSetMediaType(prefix: "vnd.logbook.", version: .v0_0_2, charset: "UTF-8")
            return CollectorAnswer(
                status: 200, headers: ["Content-Type": type.description, "X-Content-Type-Options": "nosniff"],
                body: TransactionSet(transactions: [found]).encode(.v0_0_2))
        }

        private func count(_ receipt: ArchiveReceipt, rejected: Int) {
            tally.withLock { tally in
                tally.deliveries += 1
                tally.accepted += receipt.accepted
                tally.duplicates += receipt.duplicates
                tally.rejected += rejected
            }
        }

        // MARK: Checks

        private func archived<Result>(
            _ body: () async throws(ArchiveError) -> Result
        ) async throws(Refusal) -> Result {
            do {
                return try await body()
            } catch { throw unavailable(error) }
        }

        private func unavailable(_ error: ArchiveError) -> Refusal {
            LogDiagnostics.report("collector", error.description)
            return Refusal(
                503, "unavailable", reason: "the archive cannot be used now; send the same again",
                headers: ["Retry-After": "5"])
        }

        private func check(_ request: CollectorRequest, method: String) throws(Refusal) {
            guard request.method == method else {
                throw Refusal(
                    405, "method_not_allowed", reason: "only \(method) is possible here", headers: ["Allow": method])
            }
        }

        private func check(_ request: CollectorRequest, offers types: [String]) throws(Refusal) {
            guard MediaRange.field(request.header("Accept"), takesOneOf: types) else {
                throw Refusal(
                    406, "not_acceptable", field: "Accept",
                    reason: "this collector answers in \(types.joined(separator: ", "))")
            }
        }

        private func check(charset: String?) throws(Refusal) {
            guard charset.map({ ["utf-8", "utf8", "us-ascii"].contains($0.lowercased()) }) ?? true else {
                throw Refusal(415, "unsupported_media_type", field: "Content-Type", reason: "send UTF-8")
            }
        }

        private func parcelName(_ request: CollectorRequest) throws(Refusal) -> String? {
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

    /// What a collector has done since it started.
    private struct CollectorTally: Sendable {
        var deliveries = 0
        var accepted = 0
        var duplicates = 0
        var rejected = 0
    }

    extension CollectorService.Refusal {
        fileprivate init(_ error: TransactionSetError) {
            switch error {
            case .notJSON(let reason): self.init(400, "malformed", reason: reason)
            case .missing(let path): self.init(422, "invalid", field: path, reason: error.description)
            case .invalid(let path, _): self.init(422, "invalid", field: path, reason: error.description)
            case .tooLarge(let path, _): self.init(413, "too_large", field: path, reason: error.description)
            }
        }
    }

    extension [Substring] {
        /// The id in `/v1/transactions/<id>`, split at its first two slashes.
        fileprivate var transactionID: String? {
            guard count == 3, self[0].isEmpty, self[1] == "v1", self[2].hasPrefix("transactions/") else { return nil }
            let id = self[2].dropFirst("transactions/".count)
            return id.isEmpty ? nil : id.removingPercentEncoding
        }
    }

    extension Substring {
        fileprivate var removingPercentEncoding: String? {
            var bytes: [UInt8] = []
            var rest = utf8[...]
            while let byte = rest.popFirst() {
                guard byte == 0x25 else {
                    bytes.append(byte)
                    continue
                }
                guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
                else { return nil }
                bytes.append(value)
                rest = rest.dropFirst(2)
            }
            return String(validating: bytes, as: UTF8.self)
        }
    }
#endif
