/// Who may read a value that was put into a message or into metadata.
public enum LogPrivacy: Sendable, Hashable {
    /// Anyone who reads the log.
    case `public`
    /// Readers of a service whose ``LogService/privacy`` is ``PrivacyMode/revealed``; others see `<private>`.
    case `private`
    /// Nobody, ever: the value is not even rendered, readers see `<secret>`.
    case secret
}

/// What a service makes of private values before any provider sees the event.
public enum PrivacyMode: Sendable, Hashable {
    /// Private values read `<private>`. The default.
    case masked
    /// Private values are written out: for a developer's own machine. Secrets stay hidden.
    case revealed
}
