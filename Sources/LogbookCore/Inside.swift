internal import CLogbookSystem

/// Whether a thread is inside the library, for signal handlers that log: what has interrupted a lock, or the handing out of an event,
/// must not wait for it. See ``LogService/log(_:_:metadata:error:file:function:line:)``.
enum Inside {
    /// Asked by whoever is about to log; nobody but a signal handler ever hears yes.
    @inline(__always)
    static var isInterrupted: Bool { logbook_inside_get() != 0 }

    /// What comes until ``end()`` calls providers, filters and handlers of the program by ``runOutside(_:)`` alone.
    @inline(__always)
    static func begin() { logbook_inside_set(logbook_inside_get() &+ 1) }
    @inline(__always)
    static func end() { logbook_inside_set(logbook_inside_get() &- 1) }

    /// Runs foreign code from inside: what that logs, it may.
    @inline(__always)
    static func runOutside<Result>(_ body: () -> Result) -> Result {
        let depth = logbook_inside_get()
        logbook_inside_set(0)
        defer { logbook_inside_set(depth) }
        return body()
    }
}
