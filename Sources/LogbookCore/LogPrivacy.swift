/// Who may read a value that was put into a message or into metadata.
public enum LogPrivacy: Sendable, Hashable {
    /// Anyone who reads the log. Neither the keys nor the detectors of ``PrivacyRules`` look at such a value.
    case `public`
    /// Readers of a registration whose ``LogRegistration/privacy`` is ``PrivacyMode/revealed``; what others see is its choice.
    case `private`
    /// Nobody, ever: in a message the value is not even rendered, readers see `<secret>`.
    case secret
}

/// What a registration makes of private values before its provider sees the event.
public enum PrivacyMode: Sendable, Hashable {
    /// Private values read `<private>`. The default.
    case masked
    /// Private values are written out: for a developer's own machine. Secrets stay hidden.
    case revealed
    /// Private values read `<private:0a1b2c3d4e5f6071>`: SipHash-2-4 of their text under the service's ``LogService/privacyKey``, so
    /// that equal values can be told from different ones, also across messages and metadata, and not be read.
    case hashed
    /// Private and secret values are left out: of metadata with their key, of an array with their place, of a text without a trace.
    case dropped
}
