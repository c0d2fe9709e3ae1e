internal import CLogbookSystem

/// A value behind one mutex. The only lock of the library, over `pthread_mutex_t`: `Synchronization.Mutex` is a
/// priority-inheritance futex on Linux that collapses under contention and that the thread sanitizer misreads.
package final class Locked<Value>: @unchecked Sendable {
    private let monitor = logbook_monitor_create()
    /// Outside of the object: the run time would check each access to a variable of a class, which the lock makes needless.
    private let memory = UnsafeMutablePointer<Value>.allocate(capacity: 1)

    package init(_ value: Value) { memory.initialize(to: value) }
    deinit {
        memory.deinitialize(count: 1)
        memory.deallocate()
        logbook_monitor_destroy(monitor)
    }

    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        logbook_monitor_lock(monitor)
        defer { logbook_monitor_unlock(monitor) }
        return try body(&memory.pointee)
    }
}

/// A value behind one mutex, with a condition to wait for changes of it.
package final class Monitor<Value>: @unchecked Sendable {
    private let monitor = logbook_monitor_create()
    private let memory = UnsafeMutablePointer<Value>.allocate(capacity: 1)   // as in Locked

    package init(_ value: Value) { memory.initialize(to: value) }
    deinit {
        memory.deinitialize(count: 1)
        memory.deallocate()
        logbook_monitor_destroy(monitor)
    }

    /// What may be done while the lock is held.
    package struct Access {
        private let owner: Monitor<Value>
        fileprivate init(_ owner: Monitor<Value>) { self.owner = owner }

        package var value: Value {
            _read { yield owner.memory.pointee }
            nonmutating _modify { yield &owner.memory.pointee }
        }

        /// Lets the lock go until a broadcast or the deadline; the value may have changed in any way meanwhile.
        /// - Returns: False when the deadline has passed.
        @discardableResult
        package func wait(until deadline: LogDeadline = .never) -> Bool {
            if deadline == .never {
                logbook_monitor_wait(owner.monitor)
                return true
            }
            return logbook_monitor_wait_until(owner.monitor, deadline.uptime)
        }

        package func broadcast() { logbook_monitor_broadcast(owner.monitor) }
    }

    package func withLock<Result, Failure: Error>(
        _ body: (Access) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        logbook_monitor_lock(monitor)
        defer { logbook_monitor_unlock(monitor) }
        return try body(Access(self))
    }
}
