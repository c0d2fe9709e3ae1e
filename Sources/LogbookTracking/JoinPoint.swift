internal import LogbookCore
package import LogbookTrackingPlan
internal import Synchronization

/// A place in the program that a plan can name. It lives as long as the program.
public final class JoinPoint: Sendable, CustomStringConvertible {
    package let record: JoinPointRecord
    /// Where events that come from here say they come from.
    let source: LogSource
    private let setGate: (@Sendable (UInt) -> Void)?
    private let active = Atomic<Bool>(false)
    private let installed = Locked(Installed())

    private struct Installed {
        /// What each tracker wants here, in the order in which they were started.
        var wanted: [(tracker: ObjectIdentifier, advice: AdviceSet)] = []
        var all: AdviceSet?
    }

    init(_ record: JoinPointRecord, setGate: (@Sendable (UInt) -> Void)?) {
        self.record = record
        self.setGate = setGate
        source = LogSource(fileNamed: record.file, functionNamed: record.selector, line: UInt32(clamping: record.line))
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

    var advice: AdviceSet? { installed.withLock { $0.all } }

    /// Changes what a tracker wants here; nil for nothing. Calls that have begun end as they began.
    func install(_ advice: AdviceSet?, for tracker: ObjectIdentifier) {
        let replaced = installed.withLock { installed in
            let before = installed.all
            installed.wanted.removeAll { $0.tracker == tracker }
            if let advice { installed.wanted.append((tracker, advice)) }
            installed.all =
                installed.wanted.count < 2 ? installed.wanted.first?.advice : AdviceSet(joining: installed.wanted.map(\.advice))
            let isActive = installed.all != nil
            if isLate, isActive != (before != nil) {
                TrackingExpansion1.latePoints.add(isActive ? 1 : -1, ordering: .relaxed)
            }
            active.store(isActive, ordering: .releasing)
            setGate?(isActive ? UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) : 0)
            return before
        }
        withExtendedLifetime(replaced) {}   // what it alone held is let go here, not under the lock
    }
}
