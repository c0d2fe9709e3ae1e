/// A value that one thread at a time has for as long as it takes, also while it waits for the world. Unlike that of a ``Locked`` it can
/// be waited for until a deadline.
///
/// `@unchecked`: the value is touched by whoever has the turn, and the turn changes hands under a lock.
package final class Turn<Value>: @unchecked Sendable {
    /// Of whoever has it. In a forked child that thread is gone, and the turn is free.
    private let holder = Monitor<ProcessLineage?>(nil)
    @usableFromInline let memory: UnsafeMutablePointer<Value>   // as in Locked

    package init(_ value: Value) {
        memory = .allocate(capacity: 1)
        memory.initialize(to: value)
    }

    deinit {
        memory.deinitialize(count: 1)
        memory.deallocate()
    }

    /// Waits for the turn, however long.
    @inlinable
    package func take<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result {
        _ = begin(by: .never)
        defer { end() }
        return try body(&memory.pointee)
    }

    /// - Returns: Nil when somebody else had it until the deadline; what is free is had whatever the deadline.
    @inlinable
    package func take<Result, Failure: Error>(
        by deadline: LogDeadline, _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard begin(by: deadline) else { return nil }
        defer { end() }
        return try body(&memory.pointee)
    }

    /// A signal handler that logs must not wait for the thread that it has interrupted: whoever waits or has the turn is inside.
    @usableFromInline
    func begin(by deadline: LogDeadline) -> Bool {
        Inside.begin()
        let isOurs = holder.withLock { access -> Bool in
            while access.value?.isCurrent == true {
                if deadline.hasPassed { return false }
                access.wait(until: deadline)
            }
            access.value = ProcessLineage.current
            return true
        }
        if !isOurs { Inside.end() }
        return isOurs
    }

    @usableFromInline
    func end() {
        holder.withLock { access in
            access.value = nil
            access.signal()
        }
        Inside.end()
    }
}
