extension LogService {
    /// Puts a configuration in force, in the place of the one that was applied before. What was registered by hand stays, and so does
    /// ``privacy``: the preset's goes for the listeners of the configuration. ``privacyRules`` are the service's: those of the preset are
    /// in force beside what the program has set there.
    ///
    /// - A listener whose name is new gets its provider made and registered.
    /// - A listener that is in force already, by its name and delivery, keeps its provider, queue and ledger; only what it hears
    ///   changes. To exchange the provider itself, give it another name; the old one is open until the new one is made.
    /// - A listener that is no longer named stops listening, and its provider is shut down; or flushed, where another registration has the
    ///   same one and goes on.
    /// - After ``shutdown(by:)`` nothing is in force any longer: every provider is made anew. So it is in a forked child, where those of
    ///   the parent stop listening and are left as they are, see ``reinitializeAfterFork()``.
    ///
    /// All providers are made first: when one throws, those just made are shut down, and everything stays as it was. Log calls never
    /// find a moment in between. Not to be called from several threads at the same time.
    /// - Parameter deadline: Until when providers that leave may write what is queued, all of them at the same time; what they do not reach
    ///   is lost, the others hear of it, and it is reported to ``LogDiagnostics``.
    /// - Returns: The registrations in the order of the configuration.
    /// - Throws: ``LogConfigurationError/nameTakenTwice(_:)``, and what making a provider throws.
    @discardableResult
    public func apply(
        _ configuration: LogConfiguration, by deadline: LogDeadline = .seconds(2)
    ) throws -> [LogRegistration] {
        try configuration.check()
        let listening = registrations, leaving = applied.withLock { $0 }
        let earlier = leaving.filter { old in old.isOpen && old.isOfThisProcess && listening.contains { $0 === old } }
        var registrations: [LogRegistration] = [], made: [LogRegistration] = []
        do {
            for listener in configuration.listeners {
                func isKept(_ old: LogRegistration) -> Bool {
                    old.name == listener.name && old.delivery == configuration.delivery(of: listener, with: old.provider)
                }
                if let kept = earlier.first(where: isKept) {
                    registrations.append(kept)
                    continue
                }
                let provider = try listener.make()
                let delivery = configuration.delivery(of: listener, with: provider)
                let terms = ListeningTerms(interest: provider.interest, levels: configuration.levels(of: listener))
                let registration = registration(of: provider, terms, delivery, name: listener.name)
                made.append(registration)
                registrations.append(registration)
            }
        } catch {
            close(made, by: deadline)
            throw error
        }

        let gone = earlier.filter { old in !registrations.contains { $0 === old } }
        // In one change: a listener that stays may be the one that must not see what the preset shows.
        change(by: deadline) { listening in
            let rules = configuration.preset.privacyRules
            listening.privacy.rules = listening.ownPrivacyRules?.joined(with: rules) ?? rules
            for (registration, listener) in zip(registrations, configuration.listeners) {
                registration.adopt { terms in
                    terms.levels = configuration.levels(of: listener)
                    terms.filter = listener.filter
                    terms.isFixed = listener.isFixed
                    terms.privacy = listener.privacy ?? configuration.preset.privacy
                }
            }
            listening.registrations.removeAll { old in leaving.contains { $0 === old } }
            listening.registrations += registrations
            listening.departing += gone
        }
        Self.keepInherited(leaving)
        applied.withLock { $0 = registrations }
        close(gone, by: deadline)
        haveLeft(gone)
        return registrations
    }

    /// What each has lost is told when its own shutdown ends, even where nobody waits for that any longer. A provider that another
    /// registration feeds, under another name or delivery, is not closed under its feet.
    private func close(_ registrations: [LogRegistration], by deadline: LogDeadline) {
        let staying = Set(self.registrations.filter(\.isOpen).compactMap { $0.provider.identity })
        let report = Self.report(among: registrations, by: deadline) { registration in
            defer { self.tellLastLosses(of: registration) }
            if let identity = registration.provider.identity, staying.contains(identity) { return registration.leave(by: deadline) }
            try registration.shutDown(by: deadline)
        }
        for late in report.unfinished {
            LogDiagnostics.report(late.name, "not everything is safe after it was taken out of the configuration: \(late.reason)")
        }
    }
}
