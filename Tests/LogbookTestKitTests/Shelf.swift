@testable import LogbookTestKit

/// A provider that keeps every promise: it collects events, puts them on a shelf when flushed, and counts. Give it one bad habit
/// and it breaks one.
final class Shelf: LogProvider {
    struct State {
        /// Taken and not yet on the shelf: what each event will be there.
        var waiting: [[LogEvent]] = []
        var standing: [LogEvent] = []
        var ledger = LogLedger()
        var isShut = false
        var isStalled = false
        var isBroken = false
        var flushes = 0
        var shutdowns = 0
        var hangs = 0
        var waits = 0
        /// For habits that remember something.
        var memory: [LogEvent] = []
        var count = 0
    }

    /// What it does; sound unless changed.
    struct Habits: Sendable {
        /// What an event becomes on the shelf.
        var keep: @Sendable (LogEvent, inout State) -> [LogEvent] = { event, _ in [event] }
        var log: @Sendable (Shelf, LogEvent) -> Void = { $0.take($1) }
        var flush: @Sendable (Shelf, LogDeadline) throws -> Void = { try $0.put(by: $1) }
        var shutdown: @Sendable (Shelf, LogDeadline) throws -> Void = { try $0.close(by: $1) }
        var account: @Sendable (inout State) -> LogLedger? = { $0.ledger }
        var latestFailure: @Sendable (Shelf) -> String? = { $0.state.withLock { $0.value.isBroken ? "the shelf is broken" : nil } }
        var oldestPending: @Sendable (Shelf) -> LogTime? = { $0.state.withLock { $0.value.waiting.first?.first?.time } }
        var capacity = Int.max
    }

    let state = Monitor(State())
    /// Where habits wait that never end by themselves; opened when the test is over.
    let gate = Gate()
    private let habits: Habits
    private let announceHang: @Sendable () -> Void

    /// - Parameter announceHang: Called once, by the first that will not come back.
    init(_ habits: Habits = Habits(), announceHang: @escaping @Sendable () -> Void = {}) {
        self.habits = habits
        self.announceHang = announceHang
    }

    func willHang() {
        let isFirst = state.withLock { access in
            defer { access.value.hangs += 1 }
            return access.value.hangs == 0
        }
        if isFirst { announceHang() }
    }

    /// As if it waited for a part of the bench's patience: with the last of so many parts that is over.
    func wait(forOneOf parts: Int) {
        let waits = state.withLock { access in
            access.value.waits += 1
            return access.value.waits
        }
        guard waits >= parts else { return }
        willHang()
        gate.wait()
    }

    func log(_ event: LogEvent) { habits.log(self, event) }
    func flush(by deadline: LogDeadline) throws { try habits.flush(self, deadline) }
    func shutdown(by deadline: LogDeadline) throws { try habits.shutdown(self, deadline) }
    var ledger: LogLedger? { state.withLock { habits.account(&$0.value) } }
    var latestFailure: String? { habits.latestFailure(self) }
    var oldestPending: LogTime? { habits.oldestPending(self) }

    func take(_ event: LogEvent) {
        state.withLock { access in
            access.value.ledger.submit()
            if access.value.isShut { return access.value.ledger.drop(1, .alreadyShutDown) }
            if access.value.waiting.count >= habits.capacity { return access.value.ledger.drop(1, .queueFull) }
            let kept = habits.keep(event, &access.value)
            access.value.waiting.append(kept)
        }
    }

    func put(by deadline: LogDeadline) throws {
        try state.withLock { access in
            access.value.flushes += 1
            while access.value.isStalled {
                if !access.wait(until: deadline) { throw ScriptedFailure("the shelf does not answer") }
            }
            if access.value.isBroken { throw ScriptedFailure("the shelf is broken") }
            Self.put(&access.value)
        }
    }

    static func put(_ state: inout State) {
        for kept in state.waiting { state.standing += kept }
        state.ledger.deliver(state.waiting.count)
        state.waiting = []
    }

    func close(by deadline: LogDeadline) throws {
        state.withLock { access in
            access.value.isShut = true
            access.value.shutdowns += 1
        }
        do { try put(by: deadline) } catch {
            state.withLock { access in
                access.value.ledger.drop(access.value.waiting.count, .providerTimeout)
                access.value.waiting = []
            }
            throw error
        }
    }

    func stall(_ isStalled: Bool) {
        state.withLock { access in
            access.value.isStalled = isStalled
            access.broadcast()
        }
    }
    var isStalled: Bool { state.withLock { $0.value.isStalled } }
    func fail(_ isBroken: Bool) { state.withLock { $0.value.isBroken = isBroken } }

    var standing: [LogEvent] { state.withLock { $0.value.standing } }

    /// On the bench, with every hook.
    var specimen: ConformanceSpecimen {
        ConformanceSpecimen(
            self, readBack: { self.standing.map { RecordedEvent($0) } }, stall: { self.stall($0) }, fail: { self.fail($0) })
    }
}
