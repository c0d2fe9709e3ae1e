extension DeliveryVerdict {
    /// The same, its words without these.
    package func masking(_ secrets: [String]) -> DeliveryVerdict {
        let mask = SecretMask(secrets)
        switch self {
        case .delivered, .inquire: return self
        case .deliveredExcept(let rejected, let isFinal, let reason):
            return .deliveredExcept(rejected: rejected, isFinal: isFinal, mask.applied(to: reason))
        case .partly(var fates, let asked):
            fates.rejected = fates.rejected.mapValues(mask.applied(to:))
            return .partly(fates, after: asked)
        case .retry(let asked, let reason): return .retry(after: asked, mask.applied(to: reason))
        case .misconfigured(let reason): return .misconfigured(mask.applied(to: reason))
        case .tooLarge(let reason): return .tooLarge(mask.applied(to: reason))
        case .rejected(let reason): return .rejected(mask.applied(to: reason))
        case .outsideTimeRange(let reason): return .outsideTimeRange(mask.applied(to: reason))
        }
    }
}
