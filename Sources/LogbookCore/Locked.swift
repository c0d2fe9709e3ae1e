// HOT PATH — inlined into its callers, so that none of them asks at run time what the value's type is.
internal import CLogbookSystem

/// A value behind one mutex. The only lock of the library, over `pthread_mutex_t`: `Synchronization.Mutex` is a
/// priority-inheritance futex on Linux that collapses under contention and that the thread sanitizer misreads.
package final class Locked<Value>: @unchecked Sendable {
    @usableFromInline let monitor: OpaquePointer
    /// Outside of the object: the run time would check each access to a variable of a class, which the lock makes needless.
    @usableFromInline let memory: UnsafeMutablePointer<Value>

    package init(_ value: Value) {
        monitor = logbook_monitor_create()
        memory = .allocate(capacity: 1)
        memory.initialize(to: value)
    }

    deinit {
        memory.deinitialize(count: 1)
        memory.deallocate()
        logbook_monitor_destroy(monitor)
    }

    @inlinable
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
    @usableFromInline let monitor: OpaquePointer
    @usableFromInline let memory: UnsafeMutablePointer<Value>   // as in Locked

    package init(_ value: Value) {
        monitor = logbook_monitor_create()
        memory = .allocate(capacity: 1)
        memory.initialize(to: value)
    }

    deinit {
        memory.deinitialize(count: 1)
        memory.deallocate()
        logbook_monitor_destroy(monitor)
    }

    /// What may be done while the lock is held.
    package struct Access {
        @usableFromInline let owner: Monitor<Value>
        @inlinable init(_ owner: Monitor<Value>) { self.owner = owner }

        @inlinable package var value: Value {
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
        /// Wakes one of them, whichever: enough where all wait for the same, and one of them can have it.
        package func signal() { logbook_monitor_signal(owner.monitor) }
    }

    @inlinable
    package func withLock<Result, Failure: Error>(
        _ body: (Access) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        logbook_monitor_lock(monitor)
        defer { logbook_monitor_unlock(monitor) }
        return try body(Access(self))
    }
}
