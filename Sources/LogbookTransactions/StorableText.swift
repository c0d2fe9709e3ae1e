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
    var deliverable: String {
        let text = storable
        guard text.utf8.count > Self.maximumDeliverableBytes else { return text }
        let mark = text.markOfTheService ?? LogLimits.mark(text.utf8.count, "bytes")
        var end = text.utf8.index(text.utf8.startIndex, offsetBy: Self.maximumDeliverableBytes - mark.utf8.count)
        while text.utf8[end] & 0xC0 == 0x80 { end = text.utf8.index(before: end) }
        return String(text[..<end]) + mark
    }

    /// Where the service has cut the text already, what it says about that.
    private var markOfTheService: String? {
        let end = unicodeScalars.suffix(48)
        guard let start = end.lastIndex(of: "…") else { return nil }
        let mark = String(self[start...])
        return mark.hasPrefix("… [cut from ") && mark.hasSuffix(" bytes]") ? mark : nil
    }
}
#endif
