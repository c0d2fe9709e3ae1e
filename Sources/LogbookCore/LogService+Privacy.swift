extension LogService {
    /// What becomes of private values before a provider sees an event, where its registration does not say otherwise; see
    /// ``LogRegistration/privacy``. This, ``privacyRules`` and ``privacyKey`` may be changed at any time; a log call that begins
    /// afterwards heeds it.
    public var privacy: PrivacyMode {
        get { audience.privacy.mode }
        set { change { $0.privacy.mode = newValue } }
    }

    /// Which values are private although nobody marked them; ``PrivacyRules/none`` unless set, so that no text is searched. A configuration
    /// that is applied afterwards takes nothing of it away, see ``apply(_:by:)``. Where several threads change it:
    /// ``changePrivacyRules(_:)``.
    public var privacyRules: PrivacyRules {
        get { audience.privacy.rules }
        set { change { ($0.ownPrivacyRules, $0.privacy.rules) = (newValue, newValue) } }
    }

    /// Changes ``privacyRules`` in one step: `service.privacyRules.keys.append("iban")` reads them and sets them again, and so undoes what
    /// another thread sets meanwhile.
    /// - Parameter body: Called once more where another thread was faster, so that it should do nothing else.
    public func changePrivacyRules(_ body: (inout PrivacyRules) -> Void) {
        var isChanged = false
        while !isChanged {
            let before = privacyRules
            var rules = before
            body(&rules)
            change { listening in   // not under its lock: the body is foreign code
                isChanged = listening.privacy.rules == before
                if isChanged { (listening.ownPrivacyRules, listening.privacy.rules) = (rules, rules) }
            }
        }
    }

    /// The key under which ``PrivacyMode/hashed`` values are hashed: a random one of this service unless set, which nobody else
    /// can match.
    public var privacyKey: PrivacyKey {
        get { audience.privacy.key }
        set { change { $0.privacy.key = newValue } }
    }

    // HOT PATH — what is said without a mark costs these looks and nothing else; where there are rules, a search as well.

    /// Whether every registration may see all of it, as is nearly always so: then one event serves them all.
    func hidesNothing(
        _ message: LogMessage?, _ metadata: LogMetadata, _ error: MarkedError?, from audience: Audience
    ) -> Bool {
        if message?.isMarked == true || metadata.mayHoldProtected || error?.isMarked == true { return false }
        guard let scanner = audience.privacy.scanner else { return true }
        return !(message.map(scanner.finds) ?? false) && !scanner.finds(in: metadata)
            && !(error.map { scanner.finds(in: $0.details.description) } ?? false)
    }

    /// Gives each listener the event as it may see it; filters decide on that as well.
    func deliver(
        _ event: PrivateEvent, to audience: Audience, _ category: String?, _ occasion: ListeningTerms.Occasion,
        onlyTo providers: Set<String>? = nil, mayWait: Bool = true
    ) {
        let givingOut = GivingOut(among: audience.witnesses), areQueuesFirst = areQueuesFirst(among: audience)
        var views = PrivateViews(of: event, audience.privacy), isOnItsWay = false, placement: Placement?
        func handToQueues() {
            var hearers: [PrivacyMode: [LogRegistration]] = [:]
            for listener in audience.queued {
                let mode = listener.terms.privacy ?? audience.privacy.mode, view = views.view(mode)
                guard listener.hears(view, in: category, occasion, onlyTo: providers), listener.registration.admits(view) else { continue }
                hearers[mode, default: []].append(listener.registration)
            }
            if hearers.count > 1 || !audience.immediate.isEmpty {
                placement = Placement(parties: hearers.count + (audience.immediate.isEmpty ? 0 : 1))
            }
            for (mode, hearers) in hearers {
                isOnItsWay = hand(views.view(mode), to: hearers, placement: placement, mayWait: mayWait)
            }
        }
        if areQueuesFirst { handToQueues() }
        for listener in audience.immediate {
            let view = views.view(listener.terms.privacy ?? audience.privacy.mode)
            if listener.hears(view, in: category, occasion, onlyTo: providers) { listener.registration.take(view) }
        }
        if !areQueuesFirst { handToQueues() }
        if !isOnItsWay || !audience.immediate.isEmpty && placement?.isDone() == true { counts.place() }
        givingOut?.ends()
    }
}
