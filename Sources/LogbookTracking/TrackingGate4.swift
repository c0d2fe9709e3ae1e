// HOT PATH — closed: one relaxed load and one compare, no allocation; the closures are inlined. `TrackingBench` has the numbers.
public import Synchronization

/// The switch of one join point: eight bytes that the compiler initializes. What `@Tracked` writes uses it; not for use by hand.
///
/// The number is that of the expansion: another one has other names, so that a stale client does not link.
public struct TrackingGate4: ~Copyable, Sendable {
    /// 0, or the address of a ``JoinPoint``, which lives as long as the program.
    @usableFromInline let bits: Atomic<UInt>

    @inlinable @inline(__always) public init() { bits = Atomic(0) }
    @inlinable @inline(__always) public func set(_ value: UInt) { bits.store(value, ordering: .releasing) }

    @inlinable @inline(__always)
    public func run<Result, Failure: Error>(
        _ instance: () -> Any?, _ arguments: () -> [Any], _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if _fastPath(bits.load(ordering: .relaxed) == 0) { return try body() }
        return try Self.runOpen(instance, arguments, body, self)
    }

    @inlinable @inline(__always) @_disfavoredOverload
    public func run<Result: ~Copyable, Failure: Error>(
        _ instance: () -> Any?, _ arguments: () -> [Any], _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if _fastPath(bits.load(ordering: .relaxed) == 0) { return try body() }
        return try Self.runOpenUncopied(instance, arguments, body, self)
    }

    /// For an asynchronous function that belongs to an actor or to its caller: a closure that does not name the actor runs there only if
    /// its type says so.
    /// - Parameter type: The actor; ``TrackingExpansion4/CallersActor`` where only the caller is known.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func run<Own: Actor, Result, Failure: Error>(
        of type: Own.Type, _ instance: () -> Any?, _ arguments: () -> [Any],
        _ body: nonisolated(nonsending) () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        if _fastPath(bits.load(ordering: .relaxed) == 0) { return try await body() }
        return try await runOpenHere(instance, arguments, body)
    }

    /// For one that belongs to no actor, or to a global one. Its closure may not be of the other kind: what it hands to other functions
    /// would seem to leave the caller's actor.
    @inlinable @inline(__always) @_disfavoredOverload
    public func run<Own: ~Copyable, Result, Failure: Error>(
        of type: Own.Type, isolation: isolated (any Actor)? = #isolation, _ instance: () -> Any?, _ arguments: () -> [Any],
        _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        if _fastPath(bits.load(ordering: .relaxed) == 0) { return try await body() }
        return try await runOpen(instance, arguments, body)
    }

    @inlinable @inline(__always)
    public func begin(_ instance: () -> Any?, _ arguments: () -> [Any]) -> TrackedCallInProgress? {
        if _fastPath(bits.load(ordering: .relaxed) == 0) { return nil }
        return beginOpen(instance, arguments)
    }

    // What an open gate does is a function of the calling program's own, made for its types, and the gate is its last parameter:
    // so that a closed one needs no registers for types and for this call, and nothing to save them.

    @inlinable @inline(never)
    static func runOpen<Result, Failure: Error>(
        _ instance: () -> Any?, _ arguments: () -> [Any], _ body: () throws(Failure) -> Result, _ gate: borrowing TrackingGate4
    ) throws(Failure) -> Result {
        guard var call = gate.open(instance, arguments) else { return try body() }
        return try call.run(instance, body)
    }

    @inlinable @inline(never)
    static func runOpenUncopied<Result: ~Copyable, Failure: Error>(
        _ instance: () -> Any?, _ arguments: () -> [Any], _ body: () throws(Failure) -> Result, _ gate: borrowing TrackingGate4
    ) throws(Failure) -> Result {
        try gate.runAtPointUncopied(instance, arguments, body)
    }

    @inline(__always)
    private var point: JoinPoint? { JoinPoint.at(address: bits.load(ordering: .acquiring)) }

    @usableFromInline
    func open(_ instance: () -> Any?, _ arguments: () -> [Any]) -> OpenCall? {
        point.flatMap { OpenCall($0, instance, arguments) }
    }

    @usableFromInline
    func runAtPointUncopied<Result: ~Copyable, Failure: Error>(
        _ instance: () -> Any?, _ arguments: () -> [Any], _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let point else { return try body() }
        return try point.runUncopied(instance, arguments, body)
    }

    @usableFromInline @inline(never)
    nonisolated(nonsending) func runOpenHere<Result, Failure: Error>(
        _ instance: () -> Any?, _ arguments: () -> [Any], _ body: nonisolated(nonsending) () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        guard let point else { return try await body() }
        return try await point.runHere(instance, arguments, body)
    }

    @usableFromInline @inline(never)
    func runOpen<Result, Failure: Error>(
        isolation: isolated (any Actor)? = #isolation, _ instance: () -> Any?, _ arguments: () -> [Any],
        _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        guard let point else { return try await body() }
        return try await point.run(instance, arguments, body)
    }

    @usableFromInline @inline(never)
    func beginOpen(_ instance: () -> Any?, _ arguments: () -> [Any]) -> TrackedCallInProgress? {
        point?.begin(instance, arguments)
    }
}
