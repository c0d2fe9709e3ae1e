// HOT PATH — a line nobody listens to costs one relaxed load and one compare; the message is not evaluated.
internal import CLogbookSystem
public import Synchronization

// How something is said: whether anybody may hear it, and then to whom it goes.
extension LogService {
    /// Whether a message of this level may have a listener: the first look of every call. Where rules, raises or the levels of
    /// tasks let some messages of a level through, it says yes; ``isEnabled(_:category:file:)`` knows better.
    @inlinable
    public func mayHear(_ level: LogLevel) -> Bool { level.rawValue >= messageFloor.load(ordering: .relaxed) }

    /// Like ``mayHear(_:)``, without being misled by the levels that other tasks carry.
    package func mayHearInThisTask(_ level: LogLevel) -> Bool {
        guard mayHear(level) else { return false }
        guard LevelScope.isAnyOpen, LogContext.current?.levelScope == nil else { return true }
        return level.rawValue >= audience.commonFloor
    }

    /// Whether a message of this level, said here, has a listener: for work that is only worth doing then. Filters are not asked.
    public func isEnabled(_ level: LogLevel, category: String? = nil, file: StaticString = #fileID) -> Bool {
        guard mayHear(level) else { return false }
        if Inside.isInterrupted { return true }   // the call that follows is counted
        let audience = audience, context = context(for: audience)
        let carried = audience.wantsContext ? context?.messageMetadata.category : nil
        let names = EventNames(source: LogSource(file: file), category: category ?? carried)
        return audience.mayHear(level, from: names, occasion(for: audience, context))
    }

    /// Says something at a level chosen at run time; ``info(_:metadata:error:file:function:line:)`` and its siblings are the
    /// everyday form.
    ///
    /// A signal handler may call it with a literal, where every listener is queued and hears it by its level alone, no task carries anything
    /// (metadata, a transaction, a level), and the queues keep up: one that has interrupted this library on its own thread is not written, but
    /// counted as ``DropReason/reentrant`` with every registration that would have heard it. Everything else takes memory: text with values
    /// in it, an event for an immediate provider, what lies between the callers and the queues when that is full. A handler that has
    /// interrupted `malloc` would wait for itself. What a crash should leave behind is written by the ``CrashRecord``.
    @inlinable
    public func log(
        _ level: LogLevel, _ message: @autoclosure () -> LogMessage, metadata: @autoclosure () -> LogMetadata = [:],
        error: (any Error)? = nil, file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
        guard mayHear(level) else { return }
        // Evaluated here, not handed on as closures: those would be made before the first look.
        let isSure = level.rawValue >= sureFloor.load(ordering: .relaxed)
        let admission = isSure ? .granted : admission(of: level, from: LogSource(file: file, function: function, line: line))
        if admission == .refused { return }
        let metadata = metadata()
        if admission == .open, !admits(level, metadata, from: LogSource(file: file, function: function, line: line)) { return }
        let message = message()
        // Decided when the program is compiled, nearly everywhere.
        if let site = CallSite(file, function, line) {
            if error == nil, metadata.hasNoEntries { submit(level, message, site) } else { submit(level, message, metadata, error, site) }
        } else {
            submit(level, message, metadata, error, from: LogSource(file: file, function: function, line: line))
        }
    }

    /// The same for text, or any value, that is at hand as a variable. Of a ``LogDescribableError`` it is what that says of itself. An
    /// error that is logged so is the message alone: `error:` is for the one by which receivers find its type
    /// (`error("no answer", error: error)`).
    @inlinable
    @_disfavoredOverload
    public func log<Value>(
        _ level: LogLevel, _ value: @autoclosure () -> Value, metadata: @autoclosure () -> LogMetadata = [:],
        error: (any Error)? = nil, file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
        log(
            level, LogMessage(describing: value()), metadata: metadata(), error: error, file: file,
            function: function, line: line)
    }

    /// Passes on what was said elsewhere, as a reader of another program's log or a bridge to another logging system does.
    /// Message, metadata and error are evaluated only when somebody may listen, once.
    /// - Parameters:
    ///   - error: What is known about the error that was handed to the call.
    ///   - time: When it was said. When it is not given, it is said now, and in what the task carries.
    public func relay(
        _ level: LogLevel, _ message: @autoclosure () -> LogMessage, metadata: @autoclosure () -> LogMetadata = [:],
        error: @autoclosure () -> LogErrorDetails? = nil, at time: LogTime? = nil, source: LogSource = .unknown
    ) {
        relay(level, message(), metadata: metadata(), marked: error().map { MarkedError($0) }, at: time, source: source)
    }

    /// The same of an error that may say itself which of its parts are private.
    package func relay(
        _ level: LogLevel, _ message: @autoclosure () -> LogMessage, metadata: @autoclosure () -> LogMetadata,
        marked error: @autoclosure () -> MarkedError?, at time: LogTime?, source: LogSource
    ) {
        guard mayHear(level) else { return }
        let admission = admission(of: level, from: source, isSaidNow: time == nil)
        if admission == .refused { return }
        let metadata = metadata()
        if admission == .open, !admits(level, metadata, from: source, isSaidNow: time == nil) { return }
        say(level, message(), metadata, error(), at: time, source)
    }

    /// Whether a provider of this service bears the mark, or one that is leaving it: what that provider passes on, this service has said
    /// already.
    /// - Parameter mark: As ``LogRegistration/currentMark`` was inside the provider.
    package func isHeard(by mark: UInt64) -> Bool {
        if mark == 0 { return false }
        let (staying, departing, remnants) = listening.withLock { ($0.registrations, $0.departing, $0.remnants) }
        return staying.contains { $0.bears(mark) } || departing.contains { $0.bears(mark) }
            || remnants.contains { $0.bears(mark) && !$0.isOver }
    }

    /// What is known about a message before its metadata is.
    @usableFromInline
    enum Admission { case granted, refused, open }

    /// The second look: at the source, and at what is raised or carried by the task. It is open where the category may decide.
    @usableFromInline
    func admission(of level: LogLevel, from source: LogSource, isSaidNow: Bool = true) -> Admission {
        if level.rawValue >= sureFloor.load(ordering: .relaxed) { return .granted }
        if isRefusedAsInterrupting(level) { return .refused }
        let audience = audience
        if audience.hasRules { return .open }
        let occasion = occasion(for: audience, isSaidNow ? context(for: audience) : nil)
        return audience.mayHear(level, from: EventNames(source: source, category: nil), occasion) ? .granted : .refused
    }

    /// The third look, at the category as well.
    @usableFromInline
    func admits(_ level: LogLevel, _ metadata: LogMetadata, from source: LogSource, isSaidNow: Bool = true) -> Bool {
        let audience = audience, context = isSaidNow ? context(for: audience) : nil
        let carried = audience.wantsContext ? context?.messageMetadata.category : nil
        let names = EventNames(source: source, category: metadata.category ?? carried)
        return audience.mayHear(level, from: names, occasion(for: audience, context))
    }

    @usableFromInline
    func submit(_ level: LogLevel, _ message: consuming LogMessage, _ site: CallSite) {
        if sayAtOnce(level, message, site) { return message.giveBackBuffer() }
        submit(level, message, LogMetadata(), nil, site)
    }

    /// The same from a place that is none of the everyday ones.
    @usableFromInline
    @inline(never)
    func submit(
        _ level: LogLevel, _ message: consuming LogMessage, _ metadata: LogMetadata, _ error: (any Error)?, from source: LogSource
    ) {
        if !isRefusedAsInterrupting(level) { say(level, message, metadata, error.map { MarkedError($0) }, at: nil, source) }
        message.giveBackBuffer()
    }

    /// Says an interpolated message that only queues hear, by their levels alone: nearly every one.
    /// - Returns: False when there is more to it; nothing was said.
    @inline(__always)
    private func sayAtOnce(_ level: LogLevel, _ message: borrowing LogMessage, _ site: CallSite) -> Bool {
        guard let buffer = message.heldBuffer, let address = UnsafeRawPointer(bitPattern: distributorAddress.load(ordering: .acquiring)),
            !Inside.isInterrupted, !LogContext.isAnyOpen, !LevelScope.isAnyOpen, logbook_nesting_get().registration == 0,
            let names = site.words
        else { return false }
        // Without counting references: all callers would count in one place. The service keeps the distributor as long as it lives.
        return Unmanaged<Distributor>.fromOpaque(address)._withUnsafeGuaranteedRef { distributor in
            buffer._withUnsafeGuaranteedRef { buffer in
                let hearing = distributor.hearing(level), words = buffer.words.words
                guard hearing.isDecided, distributor.lineage.isCurrent, !buffer.isMarked, words.count <= EventRecord.maximumWords
                else { return false }
                Inside.begin()   // nobody could make room for a handler that has interrupted a record
                defer { Inside.end() }
                return distributor.push(
                    words, level: level, hearing: hearing, time: distributor.now, sequence: nextSequence(), thread: LogThread.currentNumber,
                    file: names.file, function: names.function, line: site.line)
            }
        }
    }

    /// The same with metadata or an error, or what takes more than a record.
    @usableFromInline
    @inline(never)
    func submit(
        _ level: LogLevel, _ message: consuming LogMessage, _ metadata: LogMetadata, _ error: (any Error)?, _ site: CallSite
    ) {
        if isRefusedAsInterrupting(level) { return }
        if error == nil, sayPlainly(level, message, metadata, site) {
            message.giveBackBuffer()
            return
        }
        say(level, message, metadata, error.map { MarkedError($0) }, at: nil, site.source)
        message.giveBackBuffer()
    }

    /// Says a message that only queues hear, by their levels alone, with metadata of plain values: without a lock, and without memory
    /// of its own.
    /// - Returns: False when there is more to it; nothing was said.
    @inline(__always)
    private func sayPlainly(_ level: LogLevel, _ message: borrowing LogMessage, _ metadata: LogMetadata, _ site: CallSite) -> Bool {
        guard let address = UnsafeRawPointer(bitPattern: distributorAddress.load(ordering: .acquiring)),
            !LogContext.isAnyOpen, !LevelScope.isAnyOpen, logbook_nesting_get().registration == 0,
            let names = site.words
        else { return false }
        // Without counting a reference: all callers would count in one place. The service keeps it as long as it lives.
        return Unmanaged<Distributor>.fromOpaque(address)._withUnsafeGuaranteedRef { distributor in
            let hearing = distributor.hearing(level)
            guard hearing.isDecided, distributor.lineage.isCurrent,
                let memberWords = metadata.isEmpty ? 0 : MemberWords.size(of: metadata)
            else { return false }
            Inside.begin()   // nobody could make room for a handler that has interrupted a record
            defer { Inside.end() }
            return message.withPieces { pieces in
                let words = pieces.words
                guard words &+ memberWords <= EventRecord.maximumWords else { return false }
                return distributor.push(
                    pieces, words: words, metadata, memberWords: memberWords, mayRelieve: message.literal == nil, level: level,
                    hearing: hearing, time: distributor.now, sequence: nextSequence(), thread: LogThread.currentNumber, file: names.file,
                    function: names.function, line: site.line)
            } ?? false
        }
    }

    /// Says something to the providers of these names alone, if they listen; nil for everybody. For rooms that have asked
    /// ``mayHear(_:)``.
    package func say(
        _ level: LogLevel, _ message: LogMessage, _ metadata: LogMetadata, from source: LogSource,
        onlyTo names: Set<String>?
    ) {
        if isRefusedAsInterrupting(level) { return }
        say(level, message, metadata, nil, at: nil, source, onlyTo: names)
    }

    /// Counts what a signal handler says while its thread is inside the library.
    @inline(__always)
    private func isRefusedAsInterrupting(_ level: LogLevel, isEntry: Bool = false) -> Bool {
        guard _slowPath(Inside.isInterrupted) else { return false }
        _ = nextSequence()
        interrupted.count(level, isEntry: isEntry)
        return true
    }

    /// Enters what was counted into everybody's accounts: of who would have heard it, and of who would not.
    func settleInterruptedCalls() {
        interrupted.settle { kind, count in
            let audience = audience, occasion = occasion(for: audience, nil)
            let run = LossRun(count, of: LossRun(sequence: latestSequence, time: clock.now()))
            for listener in audience.listeners {
                let names = EventNames(source: .unknown, category: nil)
                let verdict = listener.terms.verdict(on: kind.level, from: names, isEntry: kind.isEntry, occasion)
                if verdict.isHeard {
                    listener.registration.lose(.reentrant, run)
                } else {
                    listener.registration.pass(over: verdict.ground, count: count)
                }
            }
            counts.place(count)
        }
    }

    /// - Parameter mayWait: False for an event of the service's own, which the task that happens to say it has nothing to do with: it goes
    ///   nowhere rather than wait for a queue that is full.
    func say(
        _ level: LogLevel, _ message: LogMessage, _ metadata: LogMetadata, _ error: MarkedError?, at time: LogTime?,
        _ source: LogSource, onlyTo providers: Set<String>? = nil, mayWait: Bool = true
    ) {
        Inside.begin()
        defer { Inside.end() }
        let audience = audience, context = time == nil ? context(for: audience) : nil
        var metadata = metadata
        if audience.wantsContext, let context { metadata = context.messageMetadata.merging(metadata) }
        let category = audience.category(in: metadata), occasion = occasion(for: audience, context)
        if hidesNothing(message, metadata, error, from: audience) {
            let event = stamp(level, message.plainText, metadata, time: time, source: source, error: error?.details)
            deliver(event, to: audience, category, occasion, onlyTo: providers, mayWait: mayWait)
        } else {
            let stamped = stamp(level, "", [:], time: time, source: source)
            let event = PrivateEvent(stamped, message.marked(audience.privacy.rules.unmarkedTexts), metadata, error: error)
            deliver(event, to: audience, category, occasion, onlyTo: providers, mayWait: mayWait)
        }
    }

    /// One with an error is a `warning`: it is an error of the use case, often a person's mistake, not one of the program.
    private static func level(ofEntryWithError hasError: Bool) -> LogLevel { hasError ? .warning : .info }

    /// Transaction entries take the same way as every event.
    /// - Parameter errorText: The entry's error description, where parts of it are marked.
    package func log(
        _ entry: TransactionEntry, errorText: LogMessage? = nil, source: LogSource, onlyTo providers: Set<String>? = nil
    ) {
        let level = Self.level(ofEntryWithError: entry.errorCode != nil || entry.errorDescription != nil)
        guard level.rawValue >= entryFloor.load(ordering: .relaxed), !isRefusedAsInterrupting(level, isEntry: true) else { return }
        Inside.begin()
        defer { Inside.end() }
        let entry = entry.said(at: clock.monotonicNanoseconds())
        let audience = audience, context = context(for: audience)
        let metadata = audience.wantsContext ? context?.metadata ?? [:] : [:]
        let category = audience.category(in: metadata), occasion = occasion(for: audience, context)
        if hidesNothing(errorText ?? entry.errorDescription.map(LogMessage.init(text:)), metadata, nil, from: audience) {
            let event = LogEvent(
                sequence: nextSequence(), time: clock.now(), level: level, message: entry.description, metadata: metadata,
                thread: LogThread.currentNumber, source: source, transaction: entry, error: nil,
                nesting: logbook_nesting_get().depth
            ).within(.highest)
            deliver(event, to: audience, category, occasion, onlyTo: providers)
        } else {
            let stamped = stamp(level, "", [:], time: nil, source: source)
            let unmarked = audience.privacy.rules.unmarkedTexts
            let text = errorText?.marked(unmarked) ?? entry.errorDescription.map { MarkedText($0, unmarked) }
            deliver(PrivateEvent(stamped, metadata, entry: entry, text), to: audience, category, occasion, onlyTo: providers)
        }
    }

    /// Says an entry about the service's own device that only queues hear, by its level alone: without a lock, and without memory of its
    /// own.
    /// - Returns: False when there is more to it; nothing was said.
    func sayAtOnce(
        _ kind: TransactionEntry.Kind, error code: Int?, id: String, usecase: Int, madeAt: UInt64, _ file: StaticString,
        _ function: StaticString, _ line: UInt32
    ) -> Bool {
        let level = Self.level(ofEntryWithError: code != nil)
        guard level.rawValue >= entryFloor.load(ordering: .relaxed) else { return true }
        guard let address = UnsafeRawPointer(bitPattern: distributorAddress.load(ordering: .acquiring)),
            !Inside.isInterrupted, !LogContext.isAnyOpen, !LevelScope.isAnyOpen, logbook_nesting_get().depth == 0,
            let names = CallSite(file, function, line)?.words
        else { return false }
        return Unmanaged<Distributor>.fromOpaque(address)._withUnsafeGuaranteedRef { distributor in
            let hearing = distributor.hearing(ofEntries: level)
            guard hearing.isDecided, distributor.lineage.isCurrent else { return false }
            return id.lendingUTF8 { id in
                guard id.count <= EntryRecord.maximumIDBytes else { return false }
                Inside.begin()   // nobody could make room for a handler that has interrupted a record
                let entry = EntryRecord(
                    usecase: usecase, kind: kind, errorCode: code, uptime: clock.monotonicNanoseconds(), madeAt: madeAt)
                defer { Inside.end() }
                return distributor.push(
                    entry, id: id, level: level, hearing: hearing, time: distributor.now, sequence: nextSequence(),
                    thread: LogThread.currentNumber, file: names.file, function: names.function, line: line)
            }
        }
    }

    /// What the task carries, if that makes a difference.
    func context(for audience: Audience) -> LogContext? {
        (audience.wantsContext && LogContext.isAnyOpen) || LevelScope.isAnyOpen ? readContext() : nil
    }

    func occasion(for audience: Audience, _ context: LogContext?) -> ListeningTerms.Occasion {
        ListeningTerms.Occasion(
            raises: audience.raises, uptime: audience.raises.isEmpty ? 0 : clock.monotonicNanoseconds(),
            taskLevel: context?.levelScope?.level)
    }

    private func stamp(
        _ level: LogLevel, _ message: String, _ metadata: LogMetadata, time: LogTime?, source: LogSource,
        error: LogErrorDetails? = nil
    ) -> LogEvent {
        let sequence = nextSequence(), time = time ?? clock.now(), nesting = logbook_nesting_get().depth
        let thread = LogThread.currentNumber
        let event = error == nil
            ? LogEvent(
                sequence: sequence, time: time, level: level, message: message, metadata: metadata, thread: thread, source: source,
                nesting: nesting)
            : LogEvent(
                sequence: sequence, time: time, level: level, message: message, metadata: metadata, thread: thread, source: source,
                transaction: nil, error: error, nesting: nesting)
        return event.within(.highest)
    }

    private func deliver(
        _ event: LogEvent, to audience: Audience, _ category: String?, _ occasion: ListeningTerms.Occasion,
        onlyTo providers: Set<String>? = nil, mayWait: Bool = true
    ) {
        let givingOut = GivingOut(among: audience.witnesses), areQueuesFirst = areQueuesFirst(among: audience)
        let placement = audience.queued.isEmpty || audience.immediate.isEmpty ? nil : Placement(parties: 2)
        var isOnItsWay = false
        func handToQueues() {
            isOnItsWay = hand(
                event, toQueuesOf: audience, category, occasion, onlyTo: providers, placement: placement, mayWait: mayWait)
        }
        if areQueuesFirst { handToQueues() }
        for listener in audience.immediate where listener.hears(event, in: category, occasion, onlyTo: providers) {
            listener.registration.take(event)
        }
        if !areQueuesFirst { handToQueues() }
        if !isOnItsWay || placement?.isDone() == true { counts.place() }
        givingOut?.ends()
    }

    /// A provider that hangs on the thread that logs keeps the event from no queue. Where a queue may let that thread wait, the others do
    /// not wait with it.
    func areQueuesFirst(among audience: Audience) -> Bool {
        audience.queued.isEmpty || audience.immediate.isEmpty || distributor?.mayHoldUp != true
    }

    /// - Returns: Whether it is on its way to a queue: who takes it there says when it is placed.
    private func hand(
        _ event: LogEvent, toQueuesOf audience: Audience, _ category: String?, _ occasion: ListeningTerms.Occasion,
        onlyTo providers: Set<String>?, placement: Placement?, mayWait: Bool
    ) -> Bool {
        if audience.queued.isEmpty { return false }
        var hearers: [LogRegistration] = []
        for listener in audience.queued where listener.hears(event, in: category, occasion, onlyTo: providers) {
            guard listener.registration.admits(event) else { continue }
            if hearers.isEmpty { hearers.reserveCapacity(audience.queued.count) }
            hearers.append(listener.registration)
        }
        return hand(event, to: hearers, placement: placement, mayWait: mayWait)
    }

    /// Lets the queues of these registrations have an event that they hear.
    /// - Returns: As the other.
    func hand(_ event: LogEvent, to hearers: [LogRegistration], placement: Placement?, mayWait: Bool) -> Bool {
        if hearers.isEmpty { return false }
        guard let distributor else {
            for hearer in hearers { hearer.take(event) }
            return false
        }
        let spoken = SpokenEvent(event, hearers: hearers, placement: placement)
        if mayWait { distributor.push(spoken) } else { distributor.pushWithoutWaiting(spoken) }
        return true
    }
}
