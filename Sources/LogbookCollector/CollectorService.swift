#if Collector
    internal import LogbookCore
    internal import LogbookHTTP
    internal import LogbookTransactions

    /// What a collector answers, apart from the server that carries requests and answers.
    ///
    /// A request is looked at from the outside in: form, token, path, method, scope, limits, types, size, contents. Its body is not
    /// read before its token is known to be right. An answer of success is given only after the archive has committed.
    struct CollectorService: Sendable {
        static let parcelHeader = "Logbook-Parcel"
        /// Of a set that is taken, how many entries are not stored since other ones stand under their keys; absent for none.
        static let conflictingHeader = "Logbook-Conflicting"
        static let longestParcelName = 256
        private static let longestTarget = 2048

        let configuration: CollectorConfiguration
        let archive: any Archive
        let clock: LogClock
        let metrics = CollectorMetrics()
        let bodyRoom: ByteRoom
        let pageRooms: PageRooms
        /// Turns to count what is stored, which may take long: one of a tenant at a time, and two of all.
        let countTurns = ByteRoom(bytes: 2, isShared: { true })
        let archiveHealth: ArchiveInquiry<Void>
        let reusableBytes: ArchiveInquiry<Int>
        let tokens: @Sendable () -> KnownTokens
        private let tokenCheck: TokenCheck
        private let limiter: Locked<RateLimiter>?
        private let refusals: Locked<RateLimiter>
        private let quota: Locked<DailyQuota>?
        /// Keeps what was counted, one time after the other; nil while nothing does.
        private let saving = Locked<Task<Void, Never>?>(nil)
        /// Free on the disk that a path is on; nil when nobody says.
        var freeBytes: @Sendable (_ path: String) -> Int? = { FreeSpace.bytes(at: $0) }
        /// How long who asks for a page waits for its room; then it is to be asked for again.
        var pagePatience = Duration.seconds(5)
        /// Says something to whoever runs the collector.
        var report: @Sendable (_ origin: String, _ remark: String) -> Void = { LogDiagnostics.report($0, $1) }

        init(
            configuration: CollectorConfiguration, archive: any Archive, clock: LogClock = .system
        ) throws(CollectorError) {
            self.configuration = configuration
            self.archive = archive
            self.clock = clock
            archiveHealth = ArchiveInquiry(ofHealthOf: archive, clock: clock)
            reusableBytes = ArchiveInquiry(ofRoomOf: archive, clock: clock)
            tokenCheck = TokenCheck(scheme: configuration.authScheme, parameter: configuration.authTokenParameter)
            let tokens = try Self.tokens(of: configuration, clock: clock)
            self.tokens = tokens
            let isShared: @Sendable () -> Bool = { tokens().areOfSeveral }
            bodyRoom = ByteRoom(bytes: configuration.maximumBodyBytesInFlight, isShared: isShared)
            pageRooms = PageRooms(bytes: configuration.maximumAnswerBytesInFlight, isShared: isShared)
            limiter = configuration.maximumRequestsPerMinute.map { Locked(RateLimiter(perMinute: $0)) }
            refusals = Locked(RateLimiter(perMinute: configuration.maximumRefusalsPerMinute))
            let (bytes, ofAll) = (configuration.maximumBytesPerDay, configuration.maximumBytesPerDayOfAll)
            quota = bytes == nil && ofAll == nil ? nil : Locked(DailyQuota(bytes: bytes ?? .max, ofAll: ofAll ?? .max))
        }

        /// All tokens that are taken, as they are when that is asked.
        static func tokens(
            of configuration: CollectorConfiguration, clock: LogClock
        ) throws(CollectorError) -> @Sendable () -> KnownTokens {
            let single = configuration.token.map { CollectorToken($0) }
            guard let path = configuration.tokenFile else {
                let known = KnownTokens(single.map { [$0] } ?? [])
                return { known }
            }
            let file = try TokenFile(path: path, besides: single, clock: clock)
            return { file.tokens() }
        }

        func answer(_ request: CollectorRequest) async -> CollectorAnswer {
            let underWay = metrics.begin()
            var answer: CollectorAnswer
            do throws(Refusal) {
                answer = try await route(request)
            } catch {
                let id = Refusal.makeID()
                report(error.origin, error.remark(id))
                answer = error.answer(id)
            }
            beginSaving()
            if request.isForHead { answer = answer.head }
            guard let stream = answer.stream else {
                underWay.end(status: answer.status)
                return answer
            }
            let status = answer.status
            answer.stream = { write in
                try await stream(write)
                underWay.end(status: status)
            }
            return answer
        }

        /// Counts what tenants have sent today before the collector was started.
        func loadQuota() async {
            guard let quota else { return }
            await learnQuota(quota, on: DailyQuota.day(of: clock.now()))
        }

        /// Keeps what was counted since the last time, and hears what other collectors have kept. No answer waits for it: what is stored is
        /// safe, whatever becomes of the account.
        private func beginSaving() {
            guard let quota else { return }
            saving.withLock { task in
                guard task == nil, let first = quota.withLock({ $0.takeUnsaved(isAll: false) }) else { return }
                task = Task {
                    var next: (day: Int64, bytes: [String: Int])? = first
                    while let unsaved = next {
                        let isKept = await keep(unsaved.bytes, on: unsaved.day, of: quota)
                        if isKept { await learnQuota(quota, on: unsaved.day) }
                        next = saving.withLock { task in
                            // What could not be kept is tried again with the next answer.
                            let more = quota.withLock { isKept ? $0.takeUnsaved(isAll: false) : nil }
                            if more == nil { task = nil }
                            return more
                        }
                    }
                }
            }
        }

        /// Returns once nothing is being kept that was counted before.
        func quotaIsSaved() async {
            let task = saving.withLock { $0 }
            await task?.value
        }

        /// Keeps all that was counted, after the last answer.
        func saveQuota() async {
            await quotaIsSaved()
            guard let quota, let unsaved = quota.withLock({ $0.takeUnsaved(isAll: true) }) else { return }
            _ = await keep(unsaved.bytes, on: unsaved.day, of: quota)
        }

        /// - Returns: Whether it is kept; otherwise it is to be kept the next time.
        private func keep(_ bytes: [String: Int], on day: Int64, of quota: Locked<DailyQuota>) async -> Bool {
            do throws(ArchiveError) {
                try await archive.addBytesSent(bytes, on: day)
                return true
            } catch {
                LogDiagnostics.report("collector", error.description)
                quota.withLock { $0.returnUnsaved(bytes, of: day) }
                return false
            }
        }

        private func learnQuota(_ quota: Locked<DailyQuota>, on day: Int64) async {
            do throws(ArchiveError) {
                let bytes = try await archive.bytesSent(on: day)
                quota.withLock { $0.learn(bytes, on: day) }
            } catch {
                LogDiagnostics.report("collector", "what was sent today elsewhere, or before the start, counts for no quota: \(error)")
            }
        }

        private func route(_ request: CollectorRequest) async throws(Refusal) -> CollectorAnswer {
            if request.path.utf8.count + request.query.utf8.count > Self.longestTarget {
                throw Refusal(414, "too_long", reason: "a path with its query has at most \(Self.longestTarget) bytes")
            }
            // Which of the two says how long the body is would be for everybody between to guess.
            if request.header("Transfer-Encoding") != nil, request.header("Content-Length") != nil {
                throw Refusal(
                    400, "malformed", reason: "a request says its length in one way", headers: ["Connection": "close"])
            }
            if request.path == "/health" {
                try check(request, method: "GET")
                return await health()
            }
            let caller = try caller(of: request)
            try checkRate(of: caller)
            let takesSets = configuration.transactionPaths.contains(request.path), isListed = request.path == "/v1/transactions"
            if isListed, request.method == "GET" {
                try check(caller, may: .read)
                return try await elsewhere { () async throws(Refusal) in try await transactions(request, of: caller) }
            }
            if isListed, !takesSets { throw Self.notAllowed(but: "GET") }   // sets go elsewhere
            if takesSets {
                try check(request, method: "POST", allowed: isListed ? "GET, POST" : "POST")
                return try await admitting(request, from: caller) { request throws(Refusal) in
                    try await takeTransactions(request, of: caller)
                }
            }
            switch request.path {
            case "/v1/logs":
                try check(request, method: "POST")
                return try await admitting(request, from: caller) { request throws(Refusal) in try await takeLogs(request, of: caller) }
            case "/v1/stats":
                try check(request, method: "GET")
                try check(caller, may: .read)
                return try await stats(of: caller)
            case "/v1/export":
                try check(request, method: "GET")
                // How long it is, which the head alone would have to say, nobody knows before its end.
                if request.isForHead { throw Self.notAllowed(but: "GET") }
                try check(caller, may: .read)
                return try await elsewhere { () async throws(Refusal) in try await export(request, of: caller) }
            case "/metrics":
                try check(request, method: "GET")
                try check(caller, may: .metrics)
                return CollectorAnswer(
                    status: 200,
                    headers: [
                        "Content-Type": "text/plain; version=0.0.4; charset=utf-8", "X-Content-Type-Options": "nosniff",
                    ], body: Array(metrics.text().utf8))
            default: break
            }
            if request.path == "/v1/files" || request.path.hasPrefix("/v1/files/") {
                guard let folder = configuration.filesFolder else {
                    throw Refusal(404, "not_found", reason: "this collector keeps no files; start it with --files")
                }
                try check(request, method: request.path == "/v1/files" ? "POST" : "PUT")
                return try await admitting(request, from: caller, isForArchive: false) { request throws(Refusal) in
                    try await takeFile(request, of: caller, FileShelf(path: FileShelf.path(of: caller.tenant, in: folder)))
                }
            }
            if let id = request.name(under: "/v1/transactions/") {
                try check(request, method: "GET")
                try check(caller, may: .read)
                return try await elsewhere { () async throws(Refusal) in try await transaction(id, of: caller) }
            }
            if let user = request.name(under: "/v1/users/") {
                try check(request, method: "DELETE")
                try check(caller, may: .erase)
                return try await erase(user, of: caller)
            }
            throw Refusal(404, "not_found", reason: "there is nothing at this path")
        }

        /// Away from the event loop, which others wait for.
        func elsewhere<Result, Failure: Error>(_ body: () async throws(Failure) -> Result) async throws(Failure) -> Result {
            try await withTaskExecutorPreference(globalConcurrentExecutor) { () async throws(Failure) in try await body() }
        }

        // MARK: Who may come, and how often

        private func caller(of request: CollectorRequest) throws(Refusal) -> CollectorToken {
            let tokens = tokens().all
            // A collector without any token was told to be open.
            if tokens.isEmpty { return CollectorToken("") }
            guard let token = tokenCheck.token(in: request.header("Authorization"), among: tokens) else {
                let now = clock.monotonicNanoseconds()
                if let seconds = refusals.withLock({ $0.wait(for: request.address, at: now) }) {
                    throw Refusal(
                        429, "too_many_requests", reason: "too many requests with a wrong or missing token",
                        headers: ["Retry-After": String(seconds)])
                }
                throw Refusal(
                    401, "unauthorized", reason: "the token is missing or wrong",
                    headers: ["WWW-Authenticate": "Bearer"])
            }
            return token
        }

        private func check(_ caller: CollectorToken, may scope: CollectorToken.Scope) throws(Refusal) {
            if caller.scopes.contains(scope) { return }
            throw Refusal(403, "forbidden", reason: "the token does not allow this; it takes the scope \(scope.rawValue)")
        }

        private func checkRate(of caller: CollectorToken) throws(Refusal) {
            let now = clock.monotonicNanoseconds()
            guard let seconds = limiter?.withLock({ $0.wait(for: caller.digest, at: now) }) else { return }
            throw Refusal(
                429, "too_many_requests", reason: "more requests than this token may make; send the same again later",
                headers: ["Retry-After": String(seconds)])
        }

        /// Bytes of a body after which quota and room are looked at again: others send at the same time, and not every body says its length.
        static let lookAgainBytes = 4 << 20

        /// What a request takes at least: also without a body its name is kept, or a file is.
        static let leastBytes = 256

        /// Takes a request, if what it brings may come in at all. Its body is counted as it comes, and ends with a refusal where it is too
        /// much. What it is inflated to counts where it is taken, for so much room it takes then; what is refused counts as it came, and so
        /// does a file that was kept before. What the collector cannot take, for no fault of the sender's, takes nothing of the tenant's
        /// day: it will come again.
        /// - Parameter isForArchive: Whether it goes there; room for a file is looked at where it is written.
        private func admitting(
            _ request: CollectorRequest, from caller: CollectorToken, isForArchive: Bool = true,
            _ take: (CollectorRequest) async throws(Refusal) -> CollectorAnswer
        ) async throws(Refusal) -> CollectorAnswer {
            try check(caller, may: .write)
            let limit = isForArchive ? configuration.maximumBodyBytes : configuration.maximumFileBytes
            // What is too long is refused for that.
            let announced = announcedBytes(request).map { $0 > limit ? 0 : $0 } ?? 0
            try checkDay(holds: announced)
            try checkQuota(of: caller, toSend: announced)
            if isForArchive { try await checkRoom(for: announced) }
            let arrival = Locked(DailyQuota.Arrival()), growth = Locked(DailyQuota.Arrival())
            @Sendable func count(_ bytes: Int, in part: Locked<DailyQuota.Arrival>) {
                let now = clock.now()
                quota?.withLock { quota in part.withLock { quota.add(bytes, to: &$0, for: caller.tenant, at: now) } }
            }
            var admitted = request
            admitted.pieces = { take in
                var arrived = 0, unseen = 0
                try await request.pieces { piece in
                    unseen += piece.count
                    if unseen >= Self.lookAgainBytes {
                        unseen = 0
                        try checkDay(holds: arrived + piece.count)
                        try checkQuota(of: caller, toSend: max(announced - arrived, piece.count), after: [arrival, growth])
                        if isForArchive { try await checkRoom(for: max(announced, arrived + piece.count)) }
                    }
                    arrived += piece.count
                    metrics.received(piece.count)
                    count(piece.count, in: arrival)
                    try await take(piece)
                }
            }
            admitted.grow = { more, bytes throws(Refusal) in
                try checkDay(holds: bytes)
                try checkQuota(of: caller, toSend: more, after: [arrival, growth])
                count(more, in: growth)
            }
            admitted.giveGrowthBack = {
                quota?.withLock { quota in
                    growth.withLock { part in
                        quota.end(part, for: caller.tenant, isKept: false)
                        part = DailyQuota.Arrival()
                    }
                }
            }
            func end(_ part: Locked<DailyQuota.Arrival>, isKept: Bool) {
                quota?.withLock { quota in quota.end(part.withLock { $0 }, for: caller.tenant, isKept: isKept) }
            }
            do throws(Refusal) {
                let answer = try await take(admitted)
                let brought = arrival.withLock { $0.bytes }
                if brought < Self.leastBytes { count(Self.leastBytes - brought, in: arrival) }
                for part in [arrival, growth] { end(part, isKept: true) }
                return answer
            } catch {
                end(arrival, isKept: !error.isOurs)
                end(growth, isKept: false)
                throw error
            }
        }

        /// What is longer than a whole day's quota is never taken, however often it comes again: whoever hears so sends it in parts.
        private func checkDay(holds bytes: Int) throws(Refusal) {
            let each = configuration.maximumBytesPerDay ?? .max, all = configuration.maximumBytesPerDayOfAll ?? .max
            guard bytes > min(each, all) else { return }
            let who = all < each ? "all tenants together" : "a tenant"
            throw Refusal(413, "too_large", reason: "\(who) may send at most \(min(each, all)) bytes in a day")
        }

        /// - Parameter parts: What the same request has brought before.
        private func checkQuota(
            of caller: CollectorToken, toSend bytes: Int, after parts: [Locked<DailyQuota.Arrival>] = []
        ) throws(Refusal) {
            let now = clock.now(), own = parts.map { part in part.withLock { $0 } }
            guard let wait = quota?.withLock({ $0.wait(for: caller.tenant, toSend: bytes, after: own, at: now) }) else { return }
            let who = wait.isOfAll ? "with this all tenants together send more than they may" : "with this the tenant sends more than it may"
            throw Refusal(
                429, "quota_used_up", reason: "\(who) in a day; send the same again later",
                headers: ["Retry-After": String(wait.seconds)])
        }

        func checkRoom(for bytes: Int) async throws(Refusal) {
            if let shortage = await shortage(of: bytes, isForArchive: true) { throw Refusal(shortage: shortage) }
        }
    }

    extension CollectorRequest {
        /// What stands after `prefix`, as the last part of the path; nil for another path, or when nothing does.
        fileprivate func name(under prefix: String) -> String? {
            guard path.hasPrefix(prefix), path.utf8.count > prefix.utf8.count else { return nil }
            return path.dropFirst(prefix.count).percentDecoded()
        }
    }
#endif
