internal import LogbookCore

/// Decides whether a file may go now.
final class UploadGate: Sendable {
    private let conditions: UploadConditions
    private let machine: any MachineState
    private let clock: LogClock
    /// Files up to this number were called urgent.
    private let urgent = Locked<UInt64>(0)

    /// How often closed conditions are looked at again.
    static let pause = Duration.seconds(30)

    init(_ conditions: UploadConditions, machine: any MachineState, clock: LogClock) {
        self.conditions = conditions
        self.machine = machine
        self.clock = clock
    }

    func hurry(upTo number: UInt64) { urgent.withLock { $0 = max($0, number) } }

    func isOpen(for number: UInt64, ended: LogTime) -> Bool {
        if number <= urgent.withLock({ $0 }) { return true }
        let now = clock.now()
        if ended.adding(conditions.maximumDeferral) <= now { return true }
        return conditions.hold(on: machine, at: now)
    }
}
