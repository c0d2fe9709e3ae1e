internal import LogbookCore
internal import LogbookTrackingPlan

/// What an entry of a plan does to an application transaction.
final class TransactionAdvice: Sendable {
    /// What is known before anything is said: values are fetched while closures of the plan may run.
    struct Prepared {
        let owner: OpenTransactions.Owner
        let errorCode: Int?
        let errorDescription: String?
    }

    private let action: PlanEntry.Transaction.Action
    private let usecase: Int
    private let event: Int?
    private let by: RenderedText?
    private let errorCode: RenderedText?
    private let errorDescription: RenderedText?
    private let point: JoinPoint
    private let service: LogService
    private let transactions: OpenTransactions
    private let providers: Set<String>?

    init(
        _ transaction: CheckedEntry.Transaction, _ entry: CheckedEntry, point: JoinPoint, _ service: LogService,
        _ transactions: OpenTransactions
    ) {
        action = transaction.action
        usecase = transaction.usecase
        event = transaction.event
        by = transaction.by.map { RenderedText($0, entry) }
        errorCode = transaction.errorCode.map { RenderedText($0, entry) }
        errorDescription = transaction.errorDescription.map { RenderedText($0, entry) }
        self.point = point
        self.service = service
        self.transactions = transactions
        providers = entry.providers
    }

    var belongsToInstance: Bool { by == nil }

    /// Nil when the call belongs to nobody, which is counted.
    func prepare(_ call: TrackedCall) -> Prepared? {
        let owner: OpenTransactions.Owner
        if let by {
            owner = .text(by.plain(call))
        } else if let instance = call.instance, type(of: instance) is AnyObject.Type {
            owner = .object(instance as AnyObject)
        } else {
            transactions.miss()
            return nil
        }
        return Prepared(owner: owner, errorCode: code(in: call), errorDescription: text(errorDescription, in: call))
    }

    /// Null is no error; anything that is no whole number, or that not everybody may see, is none either.
    private func code(in call: TrackedCall) -> Int? {
        guard let errorCode else { return nil }
        if let value = errorCode.soleValue {
            switch value.logValue(in: call) {
            case .integer(let number): return Int(number)
            case .null, .protected: return nil
            default: break
            }
        }
        return Int(errorCode.plain(call))
    }

    private func text(_ template: RenderedText?, in call: TrackedCall) -> String? {
        guard let template else { return nil }
        if let value = template.soleValue, value.logValue(in: call) == .null { return nil }
        return template.message(call).description   // private values are masked
    }

    /// - Returns: The transaction's id; nil when there is none to continue or close.
    func report(_ prepared: Prepared) -> String? {
        let transaction: LogTransaction
        switch action {
        case .opens:
            transaction = service.transaction(usecase: usecase, from: point.source, onlyTo: providers)
            transactions.open(transaction, usecase: usecase, for: prepared.owner)
        case .continues, .closes:
            guard let open = transactions.find(usecase, of: prepared.owner, closing: action == .closes) else { return nil }
            transaction = open
        }
        if let event {
            service.log(
                transaction.entry(.happened(event), prepared.errorCode, prepared.errorDescription), source: point.source,
                onlyTo: providers)
        }
        return transaction.id
    }
}
