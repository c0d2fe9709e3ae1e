public import LogbookCore
public import LogbookDelivery
public import LogbookFiles
public import LogbookHTTP

/// Uploads a log's files when they roll, and what earlier runs have left, and deletes each once the receiver has it.
///
/// ```swift
/// let uploader = try LogUploader(of: "/var/log/checkout", to: UploadRequest(url: "https://logs.example.com/files/{id}", method: .put))
/// let file = try FileLogProvider(
///     in: "/var/log/checkout", rolling: RollingPolicy(awaitsDelivery: true), onArchive: uploader.onArchive)
/// ```
/// Oldest first, at least once: a file whose answer was lost is sent again under the same id. Programs that upload the same log,
/// such as `logbook ship`, never send one file at the same time. What the uploader has to say goes to its handler and to
/// ``LogDiagnostics``, never into the log it is sending.
public final class LogUploader: Sendable {
    let couriers: [Courier]
    private let request: CurrentRequest
    private let gate: UploadGate
    private let lookAgain: @Sendable () -> Void
    private let forgive: @Sendable () -> Void
    private let letGo: @Sendable () -> Void
    private let lineage = ProcessLineage.current
    private let isPassingOver: @Sendable () -> Bool
    /// The log's active file.
    private let path: String
    private let waiting: @Sendable () throws(FileLogProviderError) -> [LogArchive]
    private let unlisted: @Sendable () throws(FileLogProviderError) -> [String]
    private let onEvent: @Sendable (UploadEvent) -> Void

    /// Looks for files at once.
    ///
    /// Give the log `rolling: RollingPolicy(awaitsDelivery: true), onArchive: uploader.onArchive`: then each file is sent when it
    /// rolls, and deleted only once it has arrived, or, the oldest first, when more than ``RollingPolicy/maximumUndeliveredBytes``
    /// (1 GiB) wait. Without these two the log's own limits may delete a file first, and the uploader looks for files only every
    /// `policy.interval`.
    ///
    /// - Parameters:
    ///   - folder: Made, for this user alone, when there is none yet.
    ///   - name: The log's name: `app` for `app.log`.
    ///   - request: How a file becomes a request; ``update(_:)`` changes it later.
    ///   - conditions: When files may be uploaded. They are asked before every attempt, and before each piece of a file.
    ///   - concurrency: Files on their way at the same time at most, `1...8`.
    ///   - policy: How patient the uploader is; every `interval`, 60 seconds by default, it looks for files that nobody
    ///     told it about. A policy of your own says its `interval`: without one it looks at the start alone.
    ///   - onEvent: Called on threads of the uploader: return promptly.
    /// - Throws: ``FileLogProviderError`` when the name or the folder cannot be.
    public convenience init(
        of folder: String, name: String = "app", to request: UploadRequest, conditions: UploadConditions = .none,
        concurrency: Int = 2, policy: DeliveryPolicy = DeliveryPolicy(interval: .seconds(60)),
        transport: any HTTPTransport = CurlTransport.shared, onEvent: (@Sendable (UploadEvent) -> Void)? = nil
    ) throws(FileLogProviderError) {
        try self.init(
            of: folder, name: name, to: request, conditions: conditions, concurrency: concurrency, policy: policy,
            transport: transport, files: SystemFileSystem(), clock: .system, randomness: .system, onEvent: onEvent)
    }

    init(
        of folder: String, name: String, to request: UploadRequest, conditions: UploadConditions, concurrency: Int,
        policy: DeliveryPolicy, transport: any HTTPTransport, files: some FileSystem, clock: LogClock,
        randomness: LogRandomness, onEvent: (@Sendable (UploadEvent) -> Void)?
    ) throws(FileLogProviderError) {
        requireValid((1...8).contains(concurrency), "LogUploader: concurrency must be 1...8")
        request.check()
        conditions.check()
        let tell = onEvent ?? { _ in }
        let current = CurrentRequest(request)
        let gate = UploadGate(conditions, clock: clock)
        let shelf = try ArchiveShelf(of: name, in: folder, files: files)
        let unreadable = UnreadableFiles(clock: clock, onEvent: tell)
        let sources = (0..<concurrency).map { _ in
            ArchiveParcels(shelf, request: current, gate: gate, unreadable: unreadable, onEvent: tell)
        }
        let pause = SharedPause()
        couriers = sources.map { source in
            Courier(
                name: "upload \(name).log", source: source,
                destination: CurrentFileDestination(inForce: current, halve: { source.halve($0) }),
                transport: transport, policy: policy, clock: clock, randomness: randomness
            ) { event in
                pause.hear(event)
                if let event = UploadEvent(event) { tell(event) }
            }
        }
        self.request = current
        self.gate = gate
        self.onEvent = tell
        path = shelf.path
        lookAgain = { for source in sources { source.lookAgain() } }
        forgive = { for source in sources { source.forgive() } }
        letGo = { for source in sources { source.close() } }
        isPassingOver = { sources.contains { $0.passesOver } }
        waiting = { () throws(FileLogProviderError) in try shelf.waiting().archives }
        unlisted = { () throws(FileLogProviderError) in try shelf.unlisted() }
        pause.unite(couriers)
        sayWhatIsUnlisted(in: folder, name)
        wake()
    }

    private func sayWhatIsUnlisted(in folder: String, _ name: String) {
        let unlisted = unlistedFiles
        guard let first = unlisted.first else { return }
        LogDiagnostics.report(
            "upload \(name).log",
            "\(folder): .\(name).manifest does not list \(unlisted.count) files that look like archives, such as \(first), and they are not sent; "
                + "put the manifest back that was beside them")
    }

    /// Hand this to the ``FileLogProvider`` as its `onArchive`. The log keeps the uploader then: nobody else has to.
    public var onArchive: @Sendable (LogArchiveEvent) -> Void {
        { [self] event in
            switch event {
            case .archived, .compressed: wake()
            case .droppedUndelivered(let archive, let events):
                onEvent(.droppedByRetention(id: archive.id, events: events))
            case .deleted, .keptBeyondLimits: break
            }
        }
    }

    /// There may be something to upload.
    public func wake() {
        lookAgain()
        for courier in couriers { courier.wake() }
    }

    /// What waits now goes without regard to the conditions: something happened that somebody should see soon.
    public func hurry() {
        do {
            gate.hurry(try waiting())
        } catch {
            LogDiagnostics.report("upload", "what waits goes when its conditions hold, and not now: \(error)")
        }
        wake()
    }

    /// Puts another address, token or other terms in force, and sends again what was refused or set aside. What is on its way is judged
    /// as it was sent; if it does not arrive it goes again under these terms, from the beginning of its file.
    public func update(_ request: UploadRequest) {
        request.check()
        let isAnotherReceiver = self.request.change(to: request)
        forgive()
        for courier in couriers { courier.reconfigured(forAnotherReceiver: isAnotherReceiver) }
    }

    /// Sends again what was set aside, by this program or by an earlier run of it.
    public func retrySetAside() {
        forgive()
        wake()
    }

    /// Files that nobody has received yet, those that were set aside included. 0 also where the folder cannot be looked through, which
    /// ``deliver(by:)`` says.
    public var waitingCount: Int { (try? waiting().count) ?? 0 }

    /// Names of files that look like the log's archives, and that its `.app.manifest` does not list: it may have been lost, or left behind
    /// when the folder was copied. They are not sent, and not counted in ``waitingCount``. Empty also where that cannot be found out.
    public var unlistedFiles: [String] { (try? unlisted()) ?? [] }

    /// Whether files were passed over that another uploader, a compressor, or a program that writes has in hand.
    package var passesOver: Bool { isPassingOver() }

    /// Returns once everything that waits, may be sent and can be read has been received or set aside; ``waitingCount`` says what is left.
    /// What this program compresses at the moment is waited for; what another program has in hand is that one's to send.
    /// - Throws: ``CourierError``; what was not received stays. ``CourierError/sourceUnreadable(reason:)``, at once, when the folder or
    ///   the log's `.app.manifest` cannot be read: it says which files are the log's.
    public func deliver(by deadline: LogDeadline) throws(CourierError) {
        var ended: UInt64
        repeat {
            ended = CompressionsInHand.ended
            for courier in couriers {
                do throws(FileLogProviderError) { _ = try waiting() } catch { throw .sourceUnreadable(reason: error.description) }
                do throws(CourierError) { try courier.deliver(by: deadline) } catch {
                    throw error.counting(waitingCount, otherwise: compression)
                }
            }
        } while passesOver && CompressionsInHand.wait(forMoreThan: ended, of: path, until: deadline)
        if passesOver, let compression { throw .deadlinePassed(pending: waitingCount, reason: compression) }
    }

    /// What keeps a file back that no receiver has said anything about. Nil where nothing is being compressed.
    private var compression: String? { CompressionsInHand.isAny(of: path) ? "a file is still being compressed" : nil }

    /// Starts nothing new, waits for what is on its way, and gives that up at the deadline; it is sent again at the next start, or by
    /// another uploader of the log.
    public func shutdown(by deadline: LogDeadline) {
        guard lineage.isCurrent else { return }   // a forked child's parent goes on
        for courier in couriers { courier.beginShutdown(by: deadline) }   // before one is waited for: the others would go on meanwhile
        for courier in couriers { courier.shutdown(by: deadline) }
        letGo()
    }
}

extension UploadEvent {
    /// Nil for what the source says itself.
    init?(_ event: CourierEvent) {
        switch event {
        case .attempting(let parcel): self = .attempting(id: parcel)
        case .willRetry(let parcel, let after, let reason, let status, _):
            self = .willRetry(id: parcel, after: after, reason: reason, status: status)
        case .misconfigured(let parcel, let reason, let status): self = .refused(id: parcel, reason: reason, status: status)
        case .delivered, .split, .rejected: return nil
        }
    }
}

extension CourierError {
    /// The same with so many files: a courier of files that go in pieces counts those. A courier that has not come to a receiver's answer
    /// gives no reason.
    fileprivate func counting(_ files: Int, otherwise reason: String?) -> CourierError {
        switch self {
        case .deadlinePassed(_, let given): .deadlinePassed(pending: files, reason: given ?? reason)
        case .misconfigured(_, let reason): .misconfigured(pending: files, reason: reason)
        case .heldBack(_, let reason): .heldBack(pending: files, reason: reason)
        case .stopped: .stopped(pending: files)
        case .sourceUnreadable, .calledFromOwnThread: self
        }
    }
}
