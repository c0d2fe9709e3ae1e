internal import CLogbookSystem

/// Tells a forked child from its parent. What a parent made (threads, files, queues) is of no use in the child: its threads are
/// gone, and its files and connections are still the parent's.
package struct ProcessLineage: Sendable, Hashable {
    private let forks: UInt64

    /// That of the process that runs this.
    package static var current: ProcessLineage { ProcessLineage(forks: logbook_forks()) }
    package var isCurrent: Bool { forks == logbook_forks() }

    /// Changes something that a child must find whole; a fork on another thread waits until it is done. Runs no foreign code.
    static func betweenForks<Result>(_ body: () -> Result) -> Result {
        logbook_fork_gate_lock()
        defer { logbook_fork_gate_unlock() }
        return body()
    }
}
