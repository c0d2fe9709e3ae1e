#if Transactions
internal import LogbookCore

extension String {
    /// The text without NUL, at which SQLite's text functions and most of its readers end a text: shown as `␀` instead, so that
    /// nothing behind it is lost.
    package var storable: String {
        utf8.withContiguousStorageIfAvailable({ $0.contains(0) }) ?? utf8.contains(0)
            ? String(String.UnicodeScalarView(unicodeScalars.map { $0 == "\0" ? "\u{2400}" : $0 })) : self
    }

    /// UTF-8 bytes of a description, or of a fact about a device, that receivers take; see ``TransactionSetLimits/textBytes``.
    static let maximumDeliverableBytes = TransactionSetLimits().textBytes

    /// The text as it is kept to be sent: ``storable``, and no longer than receivers take. One that was cut ends in the service's mark,
    /// `… [cut from 70000 bytes]`.
    var deliverable: String { LogLimits.cut(storable, toFit: Self.maximumDeliverableBytes) }
}
#endif
