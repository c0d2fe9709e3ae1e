#if Collector
    internal import LogbookCore
    internal import LogbookGzip
    internal import LogbookTransactions

    extension CollectorService {
        func takeTransactions(_ request: CollectorRequest, of caller: CollectorToken) async throws(Refusal) -> CollectorAnswer {
            guard let type = request.header("Content-Type").flatMap({ TransactionSetMediaType($0) }),
                type.format == "json"
            else {
                throw Refusal(
                    415, "unsupported_media_type", field: "Content-Type",
                    reason: "send application/<prefix>apptxnset-v\(TransactionSetVersion.v0_0_2.rawValue)+json")
            }
            guard let version = type.version else {
                let known = TransactionSetVersion.allCases.map(\.rawValue).joined(separator: ", ")
                throw Refusal(
                    415, "unsupported_media_type", field: "Content-Type",
                    reason: "this collector reads the versions \(known)")
            }
            try check(charset: type.charset)
            try check(
                request,
                offers: TransactionSetVersion.allCases.map { TransactionSetMediaType(prefix: type.prefix, version: $0).essence }
                    + ["application/json"])
            let parcel = try parcelName(request)
            return try await withBody(of: request, from: caller) { body throws(Refusal) in
                let set: TransactionSet
                do throws(TransactionSetError) { set = try TransactionSet.decode(body, version) } catch {
                    throw Refusal(error)
                }
                try checkDevices(of: set)
                let parcel = TransactionParcel(
                    tenant: caller.tenant, parcel: parcel, set: set, received: clock.now())
                let receipt = try await stored { () async throws(ArchiveError) in try await archive.store(parcel) }
                metrics.saw(ClientTimes(set.transactions.flatMap { $0.entries.map(\.time) }, now: parcel.received))
                metrics.count(receipt, rejected: 0, of: caller.tenant)
                var headers: [String: String] = parcel.parcel.map { [Self.parcelHeader: $0] } ?? [:]
                if receipt.conflicting > 0 {
                    report("collector entries", Self.remark(on: receipt, of: caller.tenant))
                    headers[Self.conflictingHeader] = String(receipt.conflicting)   // no body: the original client stumbles over one
                }
                return CollectorAnswer(status: 202, headers: headers)
            }
        }

        /// What a set says once of a device may have to be kept with each of its entries, and an element with entries of many devices comes
        /// to as many elements: so a small body could take very much more room and time than it has come with.
        private func checkDevices(of set: TransactionSet) throws(Refusal) {
            let apart = set.withDevicesApart, most = TransactionSetLimits().transactions
            if apart.transactions.count > most {
                throw Refusal(
                    413, "too_large",
                    reason: """
                        a set holds at most \(most) transactions, one with entries of several devices once for each; send it in parts
                        """)
            }
            if apart.deviceBytesOfEntries > configuration.maximumBodyBytes {
                throw Refusal(
                    413, "too_large",
                    reason: """
                        what the set says of devices comes to more than \(configuration.maximumBodyBytes) bytes with each of its entries; \
                        send it in parts
                        """)
            }
            if set.idBytesOfEntries > configuration.maximumBodyBytes {
                throw Refusal(
                    413, "too_large",
                    reason: """
                        the transactions' ids come to more than \(configuration.maximumBodyBytes) bytes with each of their entries; send the \
                        set in parts
                        """)
            }
        }

        /// Which entries were not stored, and nothing of what they say.
        private static func remark(on receipt: ArchiveReceipt, of tenant: String) -> String {
            let named = receipt.conflicts.map { "\($0.key) of \($0.transaction)" }.joined(separator: ", ")
            return """
                entries of the tenant \(tenant) are not stored, since other ones have their ids: \(receipt.conflicting) of them, such as \
                \(named)
                """
        }

        func takeLogs(_ request: CollectorRequest, of caller: CollectorToken) async throws(Refusal) -> CollectorAnswer {
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
            return try await withBody(of: request, from: caller) { body throws(Refusal) in
                let lines = LogLines(body)
                if lines.isTooMany {
                    throw Refusal(413, "too_large", reason: "a batch holds at most \(LogLines.maximumCount) events")
                }
                if lines.isTooManyValues {
                    throw Refusal(
                        413, "too_large", reason: "a batch holds at most \(LogLines.maximumValues) values of JSON; send it in parts")
                }
                if lines.items.isEmpty, let first = lines.faults.first {
                    metrics.rejected(lines.faultCount, of: caller.tenant)
                    throw Refusal(422, "invalid", field: first.field, reason: first.reason)
                }
                let batch = LogBatch(
                    tenant: caller.tenant, parcel: parcel, items: lines.items, received: clock.now())
                let receipt = try await stored { () async throws(ArchiveError) in try await archive.store(batch) }
                metrics.saw(ClientTimes(lines.items.map(\.event.time), now: batch.received))
                metrics.count(receipt, rejected: lines.faultCount, of: caller.tenant)
                var answer = JSONText()
                answer.add("parcel", parcel)
                answer.add("accepted", receipt.accepted)
                answer.add("duplicates", receipt.duplicates)
                answer.add("rejected", lines.faultCount)
                if receipt.erased > 0 { answer.add("erased", receipt.erased) }
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

        /// A body of so many bytes or more, or one that is inflated, is looked at away from the event loop, which others wait for.
        static let longBytes = 64 << 10

        /// For how long a body of gzip that is here waits for the room to be inflated; then it is asked for again.
        private static let inflatingPatience = Duration.seconds(5)

        /// Reads and inflates the body while its bytes are counted against what may be in memory.
        ///
        /// While it comes it takes what was announced, or what has come where nothing was, and no more: senders may be slow. Room for what a
        /// body of gzip may become is taken when all of it is here. A body is let in only where the largest can be inflated beside it, so
        /// those that wait never have all the room among themselves, nor all of their tenant's part, and one of them can always go on.
        private func withBody(
            of request: CollectorRequest, from caller: CollectorToken, _ body: ([UInt8]) async throws(Refusal) -> CollectorAnswer
        ) async throws(Refusal) -> CollectorAnswer {
            let limit = configuration.maximumBodyBytes
            let isGzip = try isGzip(request)
            let tooLarge = Refusal(413, "too_large", reason: "a body holds at most \(limit) bytes, inflated as well")
            let announced = announcedBytes(request)
            if let announced, announced > limit { throw tooLarge }
            guard let share = bodyRoom.take(announced ?? 0, of: caller.tenant, leaving: limit) else { throw Self.busy }
            defer { share.resize(to: 0) }
            let bytes: [UInt8]
            do {
                bytes = try await request.body(upTo: limit) { announced != nil || share.grow(by: $0, leaving: limit) }
            } catch BodyError.tooLarge {
                throw tooLarge
            } catch BodyError.noRoom {
                throw Self.busy
            } catch let refusal as Refusal {
                throw refusal
            } catch {
                throw Self.brokenOff
            }
            if !isGzip, bytes.count < Self.longBytes { return try await body(bytes) }
            let inflating = Gzip.mostContent(of: bytes.count, limit: limit)
            if isGzip, await !share.grow(by: inflating, within: Self.inflatingPatience) { throw Self.busy }
            return try await elsewhere { () async throws(Refusal) in
                guard isGzip else { return try await body(bytes) }
                let inflated: [UInt8]
                do throws(GzipError) {
                    inflated = try Gzip.inflate(bytes, limit: limit)
                } catch {
                    switch error {
                    case .tooLarge: throw tooLarge
                    case .corrupt: throw Self.notGzip
                    case .outOfMemory: throw Self.busy
                    }
                }
                share.resize(to: bytes.count + inflated.count)
                if inflated.count > bytes.count {
                    try request.grow(inflated.count - bytes.count, inflated.count)
                    try await checkRoom(for: inflated.count)
                }
                return try await body(inflated)
            }
        }

        func isGzip(_ request: CollectorRequest) throws(Refusal) -> Bool {
            switch request.header("Content-Encoding")?.lowercased().filter({ $0 != " " }) ?? "identity" {
            case "gzip": return true
            case "identity", "": return false
            default:
                throw Refusal(
                    415, "unsupported_encoding", field: "Content-Encoding", reason: "send gzip or identity",
                    headers: ["Accept-Encoding": "gzip, identity"])
            }
        }

        func announcedBytes(_ request: CollectorRequest) -> Int? { request.header("Content-Length").flatMap { Int($0) } }

        static let brokenOff = Refusal(400, "malformed", reason: "the body broke off")
        static let notGzip = Refusal(400, "malformed", reason: "the body is no gzip, or damaged")
        static let busy = Refusal(
            503, "busy", reason: "too many bodies are on their way; send the same again", headers: ["Retry-After": "1"])
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
#endif
