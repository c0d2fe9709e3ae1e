#if Collector
    internal import LogbookCore
    internal import LogbookFormat
    internal import LogbookTransactions

    extension CollectorService {
        /// Whether what is sent would be stored.
        func health() async -> CollectorAnswer {
            var body = JSONText()
            if await shortage(isForArchive: true) != nil {
                body.add("status", "unavailable")
                body.add("reason", "there is no room to store anything now")
                return .json(503, body, headers: ["Retry-After": "60"])
            }
            do {
                try await archiveHealth.answer()
                body.add("status", "ok")
                return .json(200, body)
            } catch {
                body.add("status", "unavailable")
                let isBusy = error == .beingWrittenAnew
                body.add("reason", isBusy ? "the archive's file is written anew, after an erasure" : "the archive cannot be written")
                return .json(503, body, headers: ["Retry-After": "5"])
            }
        }

        func stats(of caller: CollectorToken) async throws(Refusal) -> CollectorAnswer {
            guard let turn = await countTurns.wait(for: 1, of: caller.tenant, within: pagePatience) else { throw Self.manyAnswers }
            defer { turn.resize(to: 0) }
            let counts = try await archived { () async throws(ArchiveError) in try await archive.counts(tenant: caller.tenant) }
            let tally = metrics.tally(of: caller.tenant)
            var archived = JSONText()
            archived.add("transactions", counts.transactions)
            archived.add("entries", counts.entries)
            archived.add("log_events", counts.logEvents)
            archived.add("parcels", counts.parcels)
            var sinceStart = JSONText()
            sinceStart.add("requests", tally.deliveries)
            sinceStart.add("accepted", tally.accepted)
            sinceStart.add("duplicates", tally.duplicates)
            sinceStart.add("conflicting", tally.conflicting)
            sinceStart.add("rejected", tally.rejected)
            var body = JSONText()
            body.add("archive", archived)
            body.add("since_start", sinceStart)
            return .json(200, body)
        }

        func transaction(_ id: String, of caller: CollectorToken) async throws(Refusal) -> CollectorAnswer {
            let found = try await held(for: caller.tenant) { largest throws(ArchiveError) in
                let found = try await archive.transaction(id, tenant: caller.tenant, largest: largest)
                return TransactionPage(transactions: found.map { [$0] } ?? [])
            }
            if found.page.transactions.isEmpty { throw Refusal(404, "not_found", reason: "no transaction has this id") }
            let type = TransactionSetMediaType(prefix: "vnd.logbook.", version: .v0_0_2, charset: "UTF-8")
            return Self.answer(type.description, TransactionSet(transactions: found.page.transactions).encodeForReaders(), found.share)
        }

        /// A page of transactions: `{"apptxns":[…],"next":"…"}`, `next` null on the last.
        func transactions(_ request: CollectorRequest, of caller: CollectorToken) async throws(Refusal) -> CollectorAnswer {
            let query = try query(request, of: caller, alsoTaking: ["limit", "cursor"])
            try check(request, offers: ["application/json"])
            let found = try await held(for: query.tenant) { largest throws(ArchiveError) in
                try await archive.transactions(query.upTo(largest))
            }
            var body = TransactionSet(transactions: found.page.transactions).encodeForReaders()
            body.removeLast()
            body += #","next":"#.utf8
            if let next = found.page.next { body.append(jsonString: next.description) } else { body += "null".utf8 }
            body.append(0x7D)
            return Self.answer("application/json", body, found.share)
        }

        /// A page that is read when there is room for it.
        private func held(
            for tenant: String, _ read: (_ largest: Int) async throws(ArchiveError) -> TransactionPage
        ) async throws(Refusal) -> HeldPage {
            let found = try await archived { () async throws(ArchiveError) in
                try await pageRooms.page(for: tenant, within: pagePatience, read)
            }
            guard let found else { throw Self.manyAnswers }
            return found
        }

        private static let manyAnswers = Refusal(
            503, "busy", reason: "too many answers are on their way; ask again", headers: ["Retry-After": "1"])

        /// A long body goes in pieces, so that it is known when all of it has been taken, but for the last one.
        private static func answer(_ type: String, _ body: [UInt8], _ share: ByteRoom.Share) -> CollectorAnswer {
            var answer = CollectorAnswer(status: 200, headers: ["Content-Type": type, "X-Content-Type-Options": "nosniff"])
            if body.count <= longBytes {
                answer.body = body
                return answer
            }
            share.resize(to: body.count)
            answer.headers["Content-Length"] = String(body.count)
            answer.stream = { write in
                defer { share.resize(to: 0) }
                for piece in body.pieces(of: Self.longBytes) { try await write(Array(piece)) }
            }
            return answer
        }

        /// Everything that the query names, a page at a time, so that it takes no more memory than a page, or one transaction, however much
        /// it is.
        func export(_ request: CollectorRequest, of caller: CollectorToken) async throws(Refusal) -> CollectorAnswer {
            var query = try query(request, of: caller, alsoTaking: ["format", "after"])
            query.limit = archive.exportStep
            let values = PercentEncoding.query(request.query) ?? [:]
            guard let format = TransactionExport(rawValue: values["format"] ?? TransactionExport.jsonl.rawValue) else {
                throw Refusal(400, "invalid", field: "format", reason: "the format is jsonl or csv")
            }
            try check(request, offers: [format.mediaType])
            // The first page before the answer begins: what cannot be read is still a refusal then.
            let asked = query
            let first = try await held(for: asked.tenant) { largest throws(ArchiveError) in
                try await archive.transactions(asked.upTo(largest))
            }
            return CollectorAnswer(
                status: 200,
                headers: [
                    "Content-Type": format.contentType, "X-Content-Type-Options": "nosniff",
                    "Content-Disposition": "attachment; filename=\"transactions.\(format.rawValue)\"",
                ], stream: pages(of: asked, from: first, as: format))
        }

        private func pages(
            of query: TransactionQuery, from first: HeldPage, as format: TransactionExport
        ) -> CollectorAnswer.Stream {
            // It is taken out when it is written: what the closure itself has it has until the export's end.
            let first = Locked<HeldPage?>(first)
            let archive = archive, rooms = pageRooms
            return { write in
                // Whoever writes the answer does so on the event loop.
                try await withTaskExecutorPreference(globalConcurrentExecutor) {
                    var page = first.withLock { $0.take() }
                    try await write(format.head)
                    var query = query
                    while let cursor = try await Self.write(&page, as: format, to: write) {
                        query.cursor = cursor
                        page = try await Self.page(query, archive, rooms)
                    }
                }
            }
        }

        /// Writes a page, which nobody has afterwards.
        /// - Returns: Where the next one begins; nil when this was the last.
        private static func write(
            _ held: inout HeldPage?, as format: TransactionExport, to write: ([UInt8]) async throws -> Void
        ) async throws -> TransactionCursor? {
            guard let taken = held.take() else { return nil }
            for (index, transaction) in taken.page.transactions.enumerated() {
                try await format.write(transaction, at: taken.page.place(of: index), to: write)
            }
            taken.share.resize(to: 0)
            return taken.page.next
        }

        /// A later page of an export, which waits for its room.
        private static func page(
            _ query: TransactionQuery, _ archive: any Archive, _ rooms: PageRooms
        ) async throws(ArchiveError) -> HeldPage {
            do throws(ArchiveError) {
                let page = try await rooms.page(for: query.tenant, within: nil) { largest throws(ArchiveError) in
                    try await archive.transactions(query.upTo(largest))
                }
                guard let page else { preconditionFailure("who waits however long it takes has room in the end") }
                return page
            } catch {
                // The answer has begun: without its end the client knows that it is not all.
                LogDiagnostics.report("collector", "an export was broken off: \(error)")
                throw error
            }
        }

        func erase(_ user: String, of caller: CollectorToken) async throws(Refusal) -> CollectorAnswer {
            let now = clock.now(), stored = TransactionSession.storedUser(user) ?? ""
            let removed = try await archived { () async throws(ArchiveError) in
                try await archive.erase(user: stored, tenant: caller.tenant, at: now)
            }
            // Who it was is nobody's business any more.
            LogDiagnostics.report("collector", "a user of the tenant \(caller.tenant) was erased: \(removed) transactions")
            var body = JSONText()
            body.add("erased", removed)
            return .json(200, body)
        }

        // MARK: Queries

        private func query(
            _ request: CollectorRequest, of caller: CollectorToken, alsoTaking names: [String]
        ) throws(Refusal) -> TransactionQuery {
            guard let values = PercentEncoding.query(request.query) else {
                throw Refusal(400, "malformed", field: "query", reason: "the query is not well formed, or says something twice")
            }
            var query = TransactionQuery(tenant: caller.tenant)
            for (name, value) in values {
                func refusal(_ reason: String) -> Refusal { Refusal(400, "invalid", field: name, reason: reason) }
                switch name {
                case "usecase":
                    guard let number = Int(value) else { throw refusal("a use case is a whole number") }
                    query.usecase = number
                case "user": query.user = TransactionSession.storedUser(value) ?? ""
                case "from", "to":
                    guard let time = Self.time(value) else {
                        throw refusal("a time is as in 2026-11-21T09:29:20Z, or whole seconds since 1970")
                    }
                    if name == "from" { query.from = time } else { query.to = time }
                case "error":
                    query.error = value == "any" ? .any : Int(value).map { .code($0) } ?? .text(value)
                    if value.isEmpty { throw refusal("an error is any, a code, or a part of its description") }
                case "limit" where names.contains(name):
                    guard let limit = Int(value), TransactionQuery.limits.contains(limit) else {
                        throw refusal("a page has \(TransactionQuery.limits.lowerBound) to \(TransactionQuery.limits.upperBound) transactions")
                    }
                    query.limit = limit
                case "cursor" where names.contains(name), "after" where names.contains(name):
                    guard let cursor = TransactionCursor(value) else {
                        throw refusal("a cursor is what an answer said as next, or a line of an export as cursor")
                    }
                    query.cursor = cursor
                default:
                    if !names.contains(name) { throw refusal("nothing here is asked for by this name") }
                }
            }
            return query
        }

        private static func time(_ text: String) -> LogTime? {
            if let seconds = Int64(text) {
                let (nanoseconds, isTooMuch) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
                return isTooMuch ? nil : LogTime(nanoseconds: nanoseconds)
            }
            return ISO8601.time(text)
        }
    }

    extension TransactionQuery {
        /// The same of transactions that are no larger.
        fileprivate func upTo(_ largest: Int) -> TransactionQuery {
            var query = self
            query.largest = largest
            return query
        }
    }
#endif
