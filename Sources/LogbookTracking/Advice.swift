internal import CLogbookSystem
internal import LogbookCore
internal import LogbookTrackingPlan
internal import LogbookTrackingSyntax
internal import Synchronization

/// One entry of a plan, at work at one join point.
final class Advice: Sendable {
    /// The program's own closures, by name.
    struct Closures: Sendable {
        var predicates: [String: @Sendable (TrackedCall) -> Bool] = [:]
        var metadata: [String: @Sendable (TrackedCall) -> LogMetadata] = [:]
    }

    /// A piece of metadata that each call has its own of.
    private final class Member: Sendable {
        enum Content: Sendable {
            case value(ValuePath)
            case text(RenderedText)
        }
        let key: String
        private let content: Content
        private let privacy: LogPrivacy

        init(_ key: String, _ content: Content, _ privacy: LogPrivacy) {
            self.key = key
            self.content = content
            self.privacy = privacy
        }

        func value(in call: TrackedCall) -> LogValue {
            switch content {
            case .value(let path): path.logValue(in: call).with(privacy)
            case .text(let text): LogValue.string(text.plain(call)).with(privacy)
            }
        }
    }

    let entry: CheckedEntry
    let service: LogService
    let needsArguments: Bool
    let needsInstance: Bool
    let needsResult: Bool
    let needsClock: Bool
    private let point: JoinPoint
    private let isInstance: (@Sendable (Any) -> Bool)?
    private let condition: Condition?
    private let addition: (@Sendable (TrackedCall) -> LogMetadata)?
    private let level: LogLevel
    private let label: RenderedText
    private let constantLabel: LogMessage?
    /// The category and what never changes, with places for what does.
    private let constantMetadata: LogMetadata
    private let members: [Member]
    private let transaction: TransactionAdvice?
    /// Whether every call says the same, and nothing else happens.
    private let isConstant: Bool
    private let calls = Atomic<UInt64>(0)

    /// Where what a plan reports stands in level rules and filters.
    static func category(of kind: PlanEntry.Kind) -> String {
        switch kind {
        case .screen: "tracking.screen"
        case .event: "tracking.event"
        }
    }

    private static let screenMetadata: LogMetadata = [LogMetadata.categoryKey: .string(category(of: .screen))]
    private static let eventMetadata: LogMetadata = [LogMetadata.categoryKey: .string(category(of: .event))]

    init(
        _ entry: CheckedEntry, at point: JoinPoint, isInstance: (@Sendable (Any) -> Bool)?, closures: Closures,
        service: LogService, transactions: OpenTransactions
    ) {
        self.entry = entry
        self.point = point
        self.isInstance = isInstance
        self.service = service
        level = entry.level.flatMap(LogLevel.init(name:)) ?? .info
        label = RenderedText(entry.label, entry)
        constantLabel = entry.label.constant.map(LogMessage.init(text:))
        condition = entry.condition.map { Condition($0, entry, closures.predicates) }
        addition = entry.metadataSource.flatMap { closures.metadata[$0] }

        var constant = entry.kind == .screen ? Self.screenMetadata : Self.eventMetadata
        var members: [Member] = []
        for (key, value) in entry.metadata {
            switch value {
            case .number(let number): constant[key] = number.integer.map(LogValue.integer) ?? .double(number.double)
            case .bool(let bool): constant[key] = .bool(bool)
            case .template(let template):
                if let text = template.constant {
                    constant[key] = .string(text)
                    continue
                }
                constant[key] = .null
                if let path = template.soleValue, let value = ValuePath(path, entry) {
                    members.append(Member(key, .value(value), entry.privacy(of: path)))
                } else {
                    members.append(Member(key, .text(RenderedText(template, entry)), entry.privacy(of: template)))
                }
            }
        }
        constantMetadata = constant
        self.members = members
        transaction = entry.transaction.map { TransactionAdvice($0, entry, point: point, service, transactions) }

        isConstant = members.isEmpty && addition == nil && constantLabel != nil && transaction == nil
        let hasClosures = addition != nil || condition?.hasPredicates == true
        let roots = entry.roots
        needsArguments = hasClosures || roots.contains { if case .argument = $0 { true } else { false } }
        needsInstance = hasClosures || isInstance != nil || entry.tag != nil || roots.contains { $0 == .instance || $0 == .type }
            || transaction?.belongsToInstance == true
        needsResult = hasClosures || roots.contains { $0 == .result }
        needsClock = hasClosures || roots.contains { $0 == .duration }
    }

    /// Reports the call, if it is one that the entry means.
    /// - Returns: Whether it is.
    @discardableResult
    func fire(_ call: TrackedCall) -> Bool {
        guard means(call) else { return false }
        let isHeard = service.mayHear(level)
        if transaction == nil, !isHeard { return true }
        if isConstant, let constantLabel {
            service.say(level, constantLabel, constantMetadata, from: point.source, onlyTo: entry.providers)
            return true
        }
        var metadata = constantMetadata
        // The plan's closures may call what is tracked; that is not reported in turn.
        let nesting = logbook_nesting_get()
        logbook_nesting_set(logbook_nesting(depth: nesting.depth + 1, registration: nesting.registration))
        if isHeard {
            for member in members { metadata[member.key] = member.value(in: call) }
            if let addition { metadata = metadata.merging(addition(call)) }
        }
        let message = constantLabel ?? label.message(call)
        let entry = transaction?.prepare(call)
        logbook_nesting_set(nesting)

        if let entry, let id = transaction?.report(entry) { metadata[LogMetadata.transactionKey] = .string(id) }
        if isHeard { service.say(level, message, metadata, from: point.source, onlyTo: self.entry.providers) }
        return true
    }

    private func means(_ call: TrackedCall) -> Bool {
        if let isInstance { guard let instance = call.instance, isInstance(instance) else { return false } }
        if let tag = entry.tag { guard let instance = call.instance, TrackedMarks.bears(tag, instance) else { return false } }
        if let condition {
            let nesting = logbook_nesting_get()
            logbook_nesting_set(logbook_nesting(depth: nesting.depth + 1, registration: nesting.registration))
            defer { logbook_nesting_set(nesting) }
            if !condition.holds(call) { return false }
        }
        guard entry.isOnce || entry.every > 1 else { return true }
        let before = calls.add(1, ordering: .relaxed).oldValue
        return entry.isOnce ? before == 0 : before % UInt64(entry.every) == 0
    }
}

extension CheckedEntry {
    func privacy(of path: PlanPath) -> LogPrivacy {
        secretValues.contains(path) ? .secret : privateValues.contains(path) ? .private : .public
    }

    /// That of the most guarded value in it.
    func privacy(of template: PlanTemplate) -> LogPrivacy {
        let all = template.paths.map(privacy(of:))
        return all.contains(.secret) ? .secret : all.contains(.private) ? .private : .public
    }
}

extension LogValue {
    func with(_ privacy: LogPrivacy) -> LogValue { privacy == .public ? self : .protected(privacy, self) }
}
