import LogbookCore

/// Opened once, waited for with a deadline.
final class Flag: Sendable {
    private let isOpen = Monitor(false)

    func open() {
        isOpen.withLock { access in
            access.value = true
            access.broadcast()
        }
    }

    /// - Returns: False when the deadline has passed.
    func wait(until deadline: LogDeadline = .seconds(60)) -> Bool {
        isOpen.withLock { access in
            while !access.value { if !access.wait(until: deadline) { return access.value } }
            return true
        }
    }
}
