internal import LogbookCore
package import LogbookTrackingPlan
internal import Synchronization

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A place in the program that a plan can name. It lives as long as the program.
public final class JoinPoint: Sendable, CustomStringConvertible {
    package let record: JoinPointRecord
    /// Where events that come from here say they come from.
    let source: LogSource
    private let setGate: (@Sendable (UInt) -> Void)?
    private let active = Atomic<Bool>(false)
    /// What each tracker wants here, in the order in which they were started.
    private let wanted = Locked<[(tracker: ObjectIdentifier, advice: AdviceSet)]>([])
    /// All of it: an ``AdviceSet`` that is retained, for calls that take no lock; 0 for none.
    private let current = Atomic<UInt>(0)
    /// Calls that have looked at ``current`` and do not hold what they saw yet. Who replaces it waits until there are none.
    private let readers = Atomic<Int>(0)
    /// So often it looks; then what was replaced is kept for good. A process that was forked in the middle of a call has such a reader
    /// who never comes back.
    private static let patience = 100_000

    /// - Parameter source: Where it is, if the program has it as literals: an event with those costs a fifth less than one with strings.
    init(_ record: JoinPointRecord, at source: LogSource? = nil, setGate: (@Sendable (UInt) -> Void)?) {
        self.record = record
        self.setGate = setGate
        self.source = source
            ?? LogSource(fileNamed: record.file, functionNamed: record.selector, line: UInt32(clamping: record.line))
    }

    /// `Module.Type.selector`.
    public var id: String { record.id }
    public var module: String { record.module }
    /// Nested names with dots between them; empty for a free function.
    public var type: String { record.type }
    /// The Swift full name: `add(_:quantity:)`; for a point in a body, its name.
    public var selector: String { record.selector }
    /// `Module/File.swift`.
    public var file: String { record.file }
    public var line: Int { record.line }
    /// Whether a plan is reporting from here.
    public var isActive: Bool { active.load(ordering: .relaxed) }
    public var description: String { id }

    static func at(address: UInt) -> JoinPoint? {
        UnsafeRawPointer(bitPattern: address).map { Unmanaged<JoinPoint>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Whether it is found by its name at each call instead of having a gate.
    var isLate: Bool { setGate == nil }

    var advice: AdviceSet? {
        readers.add(1, ordering: .sequentiallyConsistent)
        defer { readers.subtract(1, ordering: .releasing) }
        return Self.advice(at: current.load(ordering: .sequentiallyConsistent))?.takeUnretainedValue()
    }

    private static func advice(at address: UInt) -> Unmanaged<AdviceSet>? {
        UnsafeRawPointer(bitPattern: address).map(Unmanaged.fromOpaque)
    }

    /// Changes what a tracker wants here; nil for nothing. Calls that have begun end as they began.
    func install(_ advice: AdviceSet?, for tracker: ObjectIdentifier) {
        let replaced = wanted.withLock { wanted in
            wanted.removeAll { $0.tracker == tracker }
            if let advice { wanted.append((tracker, advice)) }
            let all = wanted.count < 2 ? wanted.first?.advice : AdviceSet(joining: wanted.map(\.advice))
            let address = all.map { UInt(bitPattern: Unmanaged.passRetained($0).toOpaque()) } ?? 0
            let before = current.exchange(address, ordering: .sequentiallyConsistent)
            if isLate, (address != 0) != (before != 0) {
                TrackingExpansion4.latePoints.add(address != 0 ? 1 : -1, ordering: .relaxed)
            }
            active.store(address != 0, ordering: .releasing)
            setGate?(address != 0 ? UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) : 0)
            return before
        }
        guard let replaced = Self.advice(at: replaced) else { return }
        for _ in 0..<Self.patience {
            if readers.load(ordering: .sequentiallyConsistent) == 0 { return replaced.release() }   // here, not under the lock
            sched_yield()   // a handful of instructions of another thread
        }
    }
}
