internal import CLogbookSystem

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Starts threads that belong to the library: detached, named, and with every signal blocked but those of their own faults.
package enum LogThread {
    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// As ``start(_:_:)``: false when the machine has no thread to give; `body` must not run then.
    package typealias Start = @Sendable (_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool

    /// - Parameter name: Shown by `ps -L` and debuggers; the kernel keeps 15 bytes.
    /// - Returns: False when the machine has no thread to give; `body` will then never run.
    @discardableResult
    package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        let context = Unmanaged.passRetained(Body(body)).toOpaque()
        let failure = logbook_thread_start(
            name, { Unmanaged<Body>.fromOpaque($0!).takeRetainedValue().run() }, context)
        if failure != 0 { Unmanaged<Body>.fromOpaque(context).release() }
        return failure == 0
    }

    /// The kernel's number for the calling thread.
    package static var currentNumber: UInt64 { logbook_thread_id() }

    /// Lets another thread have the processor first.
    static func yield() { _ = sched_yield() }
}
