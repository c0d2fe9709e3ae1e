internal import LogbookCore
internal import LogbookFormat

/// Removes what is older than it may be, at the start and every hour, and the oldest of what is more than may be stored, at the start and
/// every ten seconds.
struct Retention: Sendable {
    let archive: any Archive
    /// What is older goes; nil keeps what is of any age.
    let keep: Duration?
    /// What is stored takes so many bytes at most, about; nil for any number.
    var keepBytes: Int?
    var files: FileRetention?
    let clock: LogClock
    let metrics: CollectorMetrics
    /// Lets so much time pass; throws when the task is cancelled.
    var pause: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    /// Tells whoever runs the collector.
    var report: @Sendable (_ origin: String, _ remark: String) -> Void = { LogDiagnostics.report($0, $1) }
    let doubt = Locked(ClockDoubt())
    let account = Locked(Account())
    /// Whether there is nothing to do.
    var keepsAll: Bool { keep == nil && keepBytes == nil && files == nil }

    /// How long the size of what is stored is not looked at.
    static let lookInterval = Duration.seconds(10)
    private static let hour = Duration.seconds(3600)
    /// How long one look removes, before there is a turn for what is too old, and for telling.
    private static let longestLook = Duration.seconds(60)
    /// How long what was removed for the size is added up before it is told again.
    static let remarkSpacing = Duration.seconds(600)

    /// Removes what is too old now. Nothing while the clock is in doubt: what is removed does not come back when the clock does.
    /// - Returns: How much of the archive it was.
    @discardableResult
    func run() async throws(ArchiveError) -> Int {
        if keep == nil && files == nil { return 0 }
        let now = clock.now(), uptime = clock.monotonicNanoseconds()
        switch doubt.withLock({ $0.look(at: now, uptime: uptime) }) {
        case .believed: break
        case .doubted(let days, let isNew):
            if isNew {
                report(
                    "retention",
                    "the clock went \(days) days further than the time that has passed; nothing is removed before it has been so for a day")
            }
            return 0
        }
        if let files {
            let (count, failures) = await files.run(at: now)
            metrics.removedFiles(count)
            for failure in failures { report("retention of files", failure) }
        }
        guard let keep else { return 0 }
        let oldest = now.adding(.zero - keep), step = archive.removalStep
        var removed = 0
        while !Task.isCancelled {
            let count = try await archive.remove(receivedBefore: oldest, limit: step)
            removed += count
            metrics.removed(count)
            if count < step { break }
        }
        return removed
    }

    /// Goes on until the task is cancelled. Where something fails the size is looked at again ten seconds later, and what is too old an
    /// hour later. Of failures one after the other the first is told, and one an hour.
    func runUntilCancelled() async {
        var isFailing = false, nextHour: UInt64 = 0
        while !Task.isCancelled {
            let uptime = clock.monotonicNanoseconds()
            let isHour = keepBytes == nil || uptime >= nextHour
            if isHour { nextHour = uptime + Self.hour.nanosecondsAhead }
            do throws(ArchiveError) {
                if isHour { try await run() }
                try await limitSize()
                isFailing = false
            } catch {
                if Task.isCancelled { break }
                if isHour || !isFailing { report("collector", error.description) }
                isFailing = true
            }
            do { try await pause(keepBytes == nil ? Self.hour : Self.lookInterval) } catch { break }
        }
        tellWhatWasRemoved(isLast: true)
    }
}

// MARK: By size

extension Retention {
    /// What there is to tell of what was removed for the size.
    struct Account {
        enum Trouble {
            case sizeIsUnknown
            case nothingElseMayGo
        }

        /// Transactions and log events since it was told the last time.
        var removed = 0
        /// All of them were received before.
        var end = LogTime.distantPast
        /// By the monotonic clock, in nanoseconds.
        var toldAt: UInt64?
        /// That was told, and has not ended.
        var trouble: Trouble?

        mutating func add(_ count: Int, before end: LogTime) {
            if count > 0 { (removed, self.end) = (removed + count, max(self.end, end)) }
        }
    }

    /// Of the bytes that may be stored, the part that is left where there are more: otherwise a few rows would go with every look.
    static func target(of keepBytes: Int) -> Int { keepBytes / 20 * 19 }

    /// Where more is stored than may be, removes the oldest until only ``target(of:)`` is: of transactions and log events together those
    /// that were received first, a transaction as it was received last.
    ///
    /// The clock is not doubted here: whatever it says, what has the earliest time goes first. What was received while the clock was ahead
    /// of what it says now goes when nothing else is left. What comes after the begin of the call stays, and with it the whole transaction
    /// that it belongs to: where nothing else is left and it is still too much, that is told once.
    ///
    /// Senders wait for a step at a time. What is stored meanwhile takes room as well, so where it comes faster than the oldest goes, it is
    /// the disk's free room (``CollectorConfiguration/keepFreeBytes``) that ends it. After a minute the rest is left to the next look.
    /// - Returns: How many transactions and log events were removed.
    @discardableResult
    func limitSize() async throws(ArchiveError) -> Int {
        guard let keepBytes else { return 0 }
        guard var stored = try await archive.storedBytes() else {
            note(.sizeIsUnknown, "this archive cannot tell how much it stores: nothing is removed for its size")
            return 0
        }
        var removed = 0
        if stored > keepBytes {
            let start = clock.now(), deadline = clock.monotonicNanoseconds() + Self.longestLook.nanosecondsAhead
            var pace = RemovalPace(from: stored, to: Self.target(of: keepBytes), most: archive.removalStep - 1)
            var end = LogTime.distantPast, isCleared = true
            while stored > pace.target, !Task.isCancelled, clock.monotonicNanoseconds() < deadline {
                if isCleared {
                    guard let next = try await nextEnd(behind: end, start: start, count: pace.step) else {
                        if stored > keepBytes { noteThatNothingElseMayGo(stored, keepBytes) }
                        break
                    }
                    end = next
                }
                // One more than there may be, so that it is seen where those were all.
                let limit = pace.step + 1, count = try await archive.remove(receivedBefore: end, limit: limit)
                isCleared = count < limit
                removed += count
                metrics.removedForSize(count)
                account.withLock { $0.add(count, before: end) }
                stored = try await archive.storedBytes() ?? 0
                pace.note(isEmpty: count == 0, leaving: stored)
            }
        }
        if stored <= keepBytes { account.withLock { $0.trouble = nil } }
        tellWhatWasRemoved()
        return removed
    }

    /// Up to where the oldest go next, a little further than up to `end`, so that none goes much before one that is older; nil when nothing
    /// is left that may go.
    /// - Parameters:
    ///   - start: What was received then or later stays, unless the clock was ahead.
    ///   - count: How many are to go, about.
    private func nextEnd(behind end: LogTime, start: LogTime, count: Int) async throws(ArchiveError) -> LogTime? {
        let moment = Duration.microseconds(1)   // an archive knows no shorter ones
        if end < start {
            let next = try await archive.timeOfOldest(count, from: end)
            return min(next?.adding(moment) ?? start, start)
        }
        // What is later than now was received while the clock was ahead.
        return try await archive.timeOfOldest(count, from: max(end, clock.now().adding(moment)))?.adding(moment)
    }

    private func noteThatNothingElseMayGo(_ stored: Int, _ keepBytes: Int) {
        note(
            .nothingElseMayGo,
            """
            \(stored) bytes are stored, more than the \(keepBytes) of --keep-size, although all has gone that may: what is left came a \
            moment ago, belongs to transactions that go on, or is what an archive knows of erased users
            """)
    }

    private func note(_ trouble: Account.Trouble, _ remark: String) {
        let isNew = account.withLock { account in
            defer { account.trouble = trouble }
            return account.trouble != trouble
        }
        if isNew { report("size of the archive", remark) }
    }

    /// - Parameter isLast: Whether nobody will tell it later.
    private func tellWhatWasRemoved(isLast: Bool = false) {
        let uptime = clock.monotonicNanoseconds()
        let due = account.withLock { account -> (count: Int, end: LogTime)? in
            if account.removed == 0 { return nil }
            if !isLast, let toldAt = account.toldAt, uptime < toldAt + Self.remarkSpacing.nanosecondsAhead { return nil }
            let due = (account.removed, account.end)
            (account.removed, account.end, account.toldAt) = (0, .distantPast, uptime)
            return due
        }
        guard let due, let keepBytes else { return }
        var time: [UInt8] = []
        ISO8601.append(due.end, digits: 6, in: .utc, to: &time)
        report(
            "retention by size",
            """
            removed \(due.count) transactions and log events, the oldest, that were received before \
            \(String(decoding: time, as: UTF8.self)): more was stored than the \(keepBytes) bytes of --keep-size
            """)
    }
}
