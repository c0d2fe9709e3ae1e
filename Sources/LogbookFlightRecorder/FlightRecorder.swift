internal import LogbookFormat
public import LogbookCore
internal import Synchronization

/// Keeps the last events of a program in a file, through `kill -9`, for the next start to hand over.
///
/// ```swift
/// let recorder = try FlightRecorder(path: "/var/lib/shop/shop.flight")
/// let file = service.register(try FileLogProvider(in: "/var/log/shop"), from: .warning)
/// recorder.handOver(to: service, only: [file])        // what the last run said before it was killed
/// service.register(recorder, from: .verbose)          // hears what the other providers are spared
/// ```
/// When `log` returns the event is with the kernel, without a system call: it survives any end of the process, and is lost only with
/// the machine. The file is a ring of fixed size: new events take the place of the oldest. At least the newest `capacityBytes` minus
/// one record are kept; an event takes its line of JSON and about 40 bytes.
///
/// On tmpfs (`/dev/shm`), ext4 and XFS the ring keeps the room that it took on the disk when it was made. On btrfs, ZFS and bcachefs, which
/// write to a new place each time, and on overlayfs (a container's own files), which may lie on one, `log` makes a system call, and an
/// event for which a full disk has no room is dropped as ``DropReason/inputOutputError``.
///
/// An end at which everything became safe (``LogService/shutdown(by:)``, or an exit or a signal whose flush reached every provider)
/// leaves nothing to hand over but what was said while it was under way: that may have reached nobody else, and is handed over, some of
/// it for the second time. A hand-over leaves nothing. Register it for immediate delivery: a queue in front would keep the newest events
/// in memory. Do not shorten the file while it is in use.
///
/// An event is kept as the recorder's registration sees it. One that shows what was marked private, where that is
/// ``PrivacyMode/revealed``, is handed over in clear only to registrations that are, too: for all others its texts and every member are
/// private as a whole (`<private>`), as the marks are not kept.
public final class FlightRecorder: SafeEndWitness {
    /// In the metadata of a recovered event: `recovered` is true, `recovered_epoch` and `recovered_sequence` say of which run and
    /// under which number it was said first. They stand first, so that no format leaves them out; a member of the event's own that has
    /// such a name follows with a number behind it, `recovered_2`.
    public static let recoveredKey = "recovered"
    public static let epochKey = "recovered_epoch"
    public static let sequenceKey = "recovered_sequence"
    private static let markKeys = [recoveredKey, epochKey, sequenceKey]

    /// What the ring may hold, in bytes: 64 KiB to 1 GiB.
    public static let capacities = 64 << 10...1 << 30

    private struct State {
        /// Nil once it was shut down.
        var ring: RecorderRing?
        var ledger = LogLedger()
        var waiting: [RecordedEvent]
        /// Whether the ring still holds events of earlier runs that nobody was given.
        var owesHandOver: Bool
        /// For each event that is being given out at the moment, which record was the newest when that began.
        var givingOut: [UInt64] = []
    }
    private let state: Locked<State>
    private let path: String
    private let file: RecorderFile
    /// With the ring, the first page, and room to tell that a file is larger than any ring.
    private static let maximumFileBytes = capacities.upperBound + RingHeader.bytes
    private let lineage = ProcessLineage.current
    private let lostInChild = Atomic<UInt64>(0)
    /// The newest record of the runs before this one.
    private let latestRecovered: UInt64
    private let format = JSONLineFormat()

    /// Opens the file, or makes it, for this user alone.
    ///
    /// - Parameters:
    ///   - capacityBytes: What the ring holds, ``capacities``; rounded up to whole pages of 4 KiB. A file of another size takes the
    ///     new one when nothing in it waits to be handed over. The opening takes about twice as much memory for a moment; what waits
    ///     to be handed over takes its own size until then, and about three times as much again while it is handed over.
    ///   - origin: Names this run in what the next start recovers; give it the origin of the other providers where they have one.
    /// - Throws: When the file is not ours to write, or there is no room for it. A damaged ring is begun anew, and reported to
    ///   ``LogDiagnostics``.
    public init(
        path: String, capacityBytes: Int = 1 << 20, origin: LogOrigin = .ephemeral()
    ) throws(FlightRecorderError) {
        guard Self.capacities.contains(capacityBytes) else { throw .invalidCapacity(bytes: capacityBytes) }
        let wanted = (capacityBytes + 4095) / 4096 * 4096
        self.path = path
        file = try Self.open(path, for: .writing)
        do throws(FlightRecorderError) {
            let recorded = RecordedEvents(try Self.content(of: file, at: path))
            try Self.check(recorded.verdict, at: path)
            // A ring with something to hand over keeps its size; one that somebody cut shorter than any ring cannot go on.
            let goesOn = recorded.isRing && (recorded.capacity == wanted
                || !recorded.waiting.isEmpty && Self.capacities.contains(recorded.capacity))
            let capacity = goesOn ? recorded.capacity : wanted
            let base: UnsafeMutableRawPointer
            do throws(RecorderFile.Failure) { base = try file.map(RingHeader.bytes + capacity, anew: !goesOn) } catch {
                throw FlightRecorderError(error, at: path)
            }
            let ring = RecorderRing(
                mapping: base, writtenTo: file.writtenByCalls, capacity: capacity, position: goesOn ? recorded.position : 0,
                number: goesOn ? recorded.latestNumber : 0, epoch: origin.epoch)
            if !goesOn {
                do throws(SystemError) { try ring.begin() } catch {
                    ring.unmap()
                    file.giveRoomBack()
                    throw FlightRecorderError.cannotMakeRoom(path: path, bytes: RingHeader.bytes + capacity, errno: error.number)
                }
            }
            latestRecovered = ring.number
            state = Locked(
                State(ring: ring, waiting: recorded.waiting, owesHandOver: goesOn && !recorded.waiting.isEmpty))
        } catch {
            file.close()
            throw error
        }
    }

    private static func open(_ path: String, for purpose: RecorderFile.Purpose) throws(FlightRecorderError) -> RecorderFile {
        do throws(RecorderFile.Failure) { return try RecorderFile(path, for: purpose, maximumBytes: maximumFileBytes) } catch {
            throw FlightRecorderError(error, at: path)
        }
    }

    private static func content(of file: RecorderFile, at path: String) throws(FlightRecorderError) -> [UInt8] {
        do throws(RecorderFile.Failure) { return try file.content() } catch { throw FlightRecorderError(error, at: path) }
    }

    private static func check(_ verdict: RingHeader.Verdict, at path: String) throws(FlightRecorderError) {
        switch verdict {
        case .blank, .ring: break
        case .foreign: throw .notAFlightRecorder(path: path)
        case .newer(let version): throw .writtenByNewerVersion(path: path, version: version)
        case .damaged: LogDiagnostics.report("flight recorder \(path)", "the file is damaged; it is begun anew")
        }
    }

    deinit { close() }

    // MARK: Recording

    public func log(_ event: LogEvent) {
        guard lineage.isCurrent else {
            lostInChild.add(1, ordering: .relaxed)
            return
        }
        var line: [UInt8] = []
        line.reserveCapacity(256)
        format.append(event, to: &line)
        line.removeLast()   // the line break
        let failure = state.withLock { state -> SystemError? in
            state.ledger.submit()
            do throws(SystemError) {
                switch try state.ring?.append(line, showsPrivate: event.showsPrivate) {
                case true?: state.ledger.deliver(1)
                case false?: state.ledger.drop(1, .oversize)
                case nil: state.ledger.drop(1, .alreadyShutDown)
                }
                return nil
            } catch {
                state.ledger.drop(1, .inputOutputError)
                return error
            }
        }
        if let failure { LogDiagnostics.report("flight recorder \(path)", "an event is lost: \(failure)") }
    }

    /// What was logged is as safe as this provider can make it already.
    public func flush(by deadline: LogDeadline) throws {}

    /// Takes nothing more. What is to be handed over stays: only ``LogService/shutdown(by:)`` knows whether everything became safe, and
    /// leaves nothing then, except what this run was to hand over itself and did not.
    public func shutdown(by deadline: LogDeadline) throws { close() }
    public static var usualDelivery: LogDelivery? { .immediate }

    /// Events beyond a quarter of the ring are dropped as ``DropReason/oversize``. In a forked child the account begins anew.
    public var ledger: LogLedger? {
        guard lineage.isCurrent else {
            let lost = lostInChild.load(ordering: .relaxed)
            return LogLedger(submitted: lost, dropped: lost == 0 ? [:] : [.forkChild: lost])
        }
        return state.withLock { $0.ledger }
    }

    package func givingOutBegins() -> UInt64 {
        guard lineage.isCurrent else { return 0 }
        return state.withLock { state in
            let mark = state.ring?.number ?? 0
            state.givingOut.append(mark)
            return mark
        }
    }

    package func givingOutEnds(_ mark: UInt64) {
        guard lineage.isCurrent else { return }
        state.withLock { state in
            if let place = state.givingOut.firstIndex(of: mark) { state.givingOut.remove(at: place) }
        }
    }

    /// The records before those of the events that are being given out: their calls are over.
    package var givenOut: UInt64 { state.withLock { state in state.givingOut.min() ?? state.ring?.number ?? 0 } }

    package func programEndsSafely(through mark: UInt64) {
        guard lineage.isCurrent else { return }
        state.withLock { state in
            guard let ring = state.ring, mark > latestRecovered else { return }
            // What earlier runs said is still to be handed over; what this one had said by then has reached everybody.
            // Where the disk does not take it, that comes again.
            if state.owesHandOver { try? ring.forget(after: latestRecovered, through: mark) } else { try? ring.settle(through: mark) }
        }
    }

    private func close() {
        let isOurs = lineage.isCurrent
        state.withLock { state in
            // Not with `take()`: unoptimized, Swift 6.3 writes a nil there that `ring?` takes for a ring, and the next event into nowhere.
            guard let ring = state.ring else { return }
            state.ring = nil
            ring.unmap()
            file.close(keepingLock: !isOurs)
        }
    }

    // MARK: Recovering

    /// What earlier runs said last and nobody was given yet, oldest first, marked as recovered.
    public var recovered: [LogEvent] { state.withLock { $0.waiting }.compactMap(\.event) }

    /// Gives what earlier runs said last to providers, whatever their level and filter, and flushes them. Only the first call has
    /// something to give. A wrapper decides about it as about everything: behind a ``RecentEvents`` or a ``Sampling`` some is held back.
    ///
    /// The events keep their time and level, get sequences of this run, and are marked as recovered; a provider is given also those that
    /// it heard when they were said first, since nobody knows whether they arrived. They come as fast as the queues of
    /// the providers write; who is too slow gets only some of them. Once the flush has reached every provider, and none has dropped
    /// anything meanwhile, they will not be handed over again; otherwise, and after a kill in the middle, the next start does it again.
    /// - Parameter registrations: Who gets them; every provider of the service unless given, but for this recorder, also behind wrappers,
    ///   and those that hear transaction entries alone.
    /// - Returns: What the flush did not reach before the deadline, and who was not given everything by then, has dropped something, or
    ///   listens no more.
    @discardableResult
    public func handOver(
        to service: LogService, only registrations: [LogRegistration]? = nil, by deadline: LogDeadline = .seconds(5)
    ) -> LogFlushReport {
        let receivers = (registrations ?? service.registrations).filter { registration in
            registration.witness !== self
                && (registrations != nil || registration.provider.interest == .everything)
        }
        guard lineage.isCurrent, !receivers.isEmpty else { return .everythingIsSafe }
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        guard !waiting.isEmpty else { return .everythingIsSafe }
        let events = waiting.compactMap(\.event)
        // A flush is complete as well where a queue was full or a disk has no room: what is safe then is what was not dropped.
        let droppedBefore = receivers.map(\.ledger.droppedTotal)
        let report = service.handOver(events, openKeys: Self.markKeys, to: receivers, by: deadline)
        let losses = zip(receivers, droppedBefore).compactMap { receiver, before -> LogFlushReport.Unfinished? in
            guard receiver.isOpen else {   // it took nothing, and counts nothing
                return LogFlushReport.Unfinished(
                    name: receiver.name, pending: 0, reason: "it does not listen any more; what was recovered stays")
            }
            let ledger = receiver.ledger
            if ledger.droppedTotal == before { return nil }
            return LogFlushReport.Unfinished(
                name: receiver.name, pending: ledger.pending, reason: "it dropped events meanwhile; what was recovered stays")
        }
        guard report.isComplete, losses.isEmpty else { return LogFlushReport(unfinished: report.unfinished + losses) }
        state.withLock { state in
            guard state.owesHandOver else { return }
            state.owesHandOver = false
            try? state.ring?.settle(through: latestRecovered)
        }
        return report
    }

    /// Reads what a recorder's file has to hand over, oldest first, marked as recovered; changes nothing, and may be called while
    /// a program writes to the file. Torn and damaged records are passed over.
    public static func recover(_ path: String) throws(FlightRecorderError) -> [LogEvent] {
        let file = try open(path, for: .reading)
        defer { file.close() }
        let recorded = RecordedEvents(try content(of: file, at: path))
        switch recorded.verdict {
        case .foreign: throw .notAFlightRecorder(path: path)
        case .newer(let version): throw .writtenByNewerVersion(path: path, version: version)
        case .blank, .damaged, .ring: return recorded.waiting.compactMap(\.event)
        }
    }
}
