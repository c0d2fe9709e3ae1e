// HOT PATH — in generic code, while no plan names any: one relaxed load and one compare.
public import Synchronization

/// What the macros' expansions call; not for use by hand. See ``TrackingGate4`` for the number.
public enum TrackingExpansion4 {
    /// How many points of generic code have advice or are waited for.
    @usableFromInline static let latePoints = Atomic<Int>(0)

    /// Takes note of a join point. The loader calls this before `main`, so it does no more.
    /// - Parameters:
    ///   - file: What the descriptor says too, where an event can point at it: `Module/File.swift`.
    ///   - selector: The same: `add(_:quantity:)`.
    @inline(never)
    public static func register(
        _ descriptor: StaticString, _ file: StaticString, _ selector: StaticString, _ setGate: @escaping @Sendable (UInt) -> Void
    ) {
        JoinPointRegistry.register(.init(descriptor: descriptor, place: (file, selector), setGate: setGate))
    }

    /// Takes note of a join point in generic code, which has no gate of its own.
    @inline(never)
    public static func registerLate(_ descriptor: StaticString) {
        JoinPointRegistry.register(.init(descriptor: descriptor, place: nil, setGate: nil))
    }

    /// Takes note of a type.
    /// - Parameter isInstance: Whether a value is an instance of it or of a subclass; nil when that cannot be asked.
    @inline(never)
    public static func registerType(_ descriptor: StaticString, _ isInstance: (@Sendable (Any) -> Bool)?) {
        JoinPointRegistry.registerType(descriptor, isInstance)
    }

    @inlinable @inline(__always)
    public static func runLate<Result, Failure: Error>(
        _ descriptor: StaticString, _ instance: () -> Any?, _ arguments: () -> [Any], _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if _fastPath(latePoints.load(ordering: .relaxed) == 0) { return try body() }
        return try runLateOpen(descriptor, instance, arguments, body)
    }

    @inlinable @inline(__always) @_disfavoredOverload
    public static func runLate<Result: ~Copyable, Failure: Error>(
        _ descriptor: StaticString, _ instance: () -> Any?, _ arguments: () -> [Any], _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if _fastPath(latePoints.load(ordering: .relaxed) == 0) { return try body() }
        return try runLateOpenUncopied(descriptor, instance, arguments, body)
    }

    /// The actor of a caller, whichever it is; see ``TrackingGate4/run(of:_:_:_:)``. There are no instances.
    public actor CallersActor { private init() {} }

    @inlinable @inline(__always)
    public nonisolated(nonsending) static func runLate<Own: Actor, Result, Failure: Error>(
        _ descriptor: StaticString, of type: Own.Type, _ instance: () -> Any?, _ arguments: () -> [Any],
        _ body: nonisolated(nonsending) () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        if _fastPath(latePoints.load(ordering: .relaxed) == 0) { return try await body() }
        return try await runLateOpenHere(descriptor, instance, arguments, body)
    }

    @inlinable @inline(__always) @_disfavoredOverload
    public static func runLate<Own: ~Copyable, Result, Failure: Error>(
        _ descriptor: StaticString, of type: Own.Type, isolation: isolated (any Actor)? = #isolation, _ instance: () -> Any?,
        _ arguments: () -> [Any], _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        if _fastPath(latePoints.load(ordering: .relaxed) == 0) { return try await body() }
        return try await runLateOpen(descriptor, instance, arguments, body)
    }

    @inlinable @inline(__always)
    public static func beginLate(
        _ descriptor: StaticString, _ instance: () -> Any?, _ arguments: () -> [Any]
    ) -> TrackedCallInProgress? {
        if _fastPath(latePoints.load(ordering: .relaxed) == 0) { return nil }
        return beginLateOpen(descriptor, instance, arguments)
    }

    @usableFromInline @inline(never)
    static func runLateOpen<Result, Failure: Error>(
        _ descriptor: StaticString, _ instance: () -> Any?, _ arguments: () -> [Any], _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let point = JoinPointRegistry.latePoint(descriptor), point.isActive else { return try body() }
        return try point.run(instance, arguments, body)
    }

    @usableFromInline @inline(never)
    static func runLateOpenUncopied<Result: ~Copyable, Failure: Error>(
        _ descriptor: StaticString, _ instance: () -> Any?, _ arguments: () -> [Any], _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let point = JoinPointRegistry.latePoint(descriptor), point.isActive else { return try body() }
        return try point.runUncopied(instance, arguments, body)
    }

    @usableFromInline @inline(never)
    nonisolated(nonsending) static func runLateOpenHere<Result, Failure: Error>(
        _ descriptor: StaticString, _ instance: () -> Any?, _ arguments: () -> [Any],
        _ body: nonisolated(nonsending) () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        guard let point = JoinPointRegistry.latePoint(descriptor), point.isActive else { return try await body() }
        return try await point.runHere(instance, arguments, body)
    }

    @usableFromInline @inline(never)
    static func runLateOpen<Result, Failure: Error>(
        isolation: isolated (any Actor)? = #isolation, _ descriptor: StaticString, _ instance: () -> Any?,
        _ arguments: () -> [Any], _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        guard let point = JoinPointRegistry.latePoint(descriptor), point.isActive else { return try await body() }
        return try await point.run(instance, arguments, body)
    }

    @usableFromInline @inline(never)
    static func beginLateOpen(
        _ descriptor: StaticString, _ instance: () -> Any?, _ arguments: () -> [Any]
    ) -> TrackedCallInProgress? {
        guard let point = JoinPointRegistry.latePoint(descriptor), point.isActive else { return nil }
        return point.begin(instance, arguments)
    }
}
