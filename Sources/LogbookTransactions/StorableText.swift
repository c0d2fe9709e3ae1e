#if Transactions
extension String {
    /// The text without NUL, at which SQLite's text functions and most of its readers end a text: shown as `␀` instead, so that
    /// nothing behind it is lost.
    package var storable: String {
        utf8.withContiguousStorageIfAvailable({ $0.contains(0) }) ?? utf8.contains(0)
            ? String(String.UnicodeScalarView(unicodeScalars.map { $0 == "\0" ? "\u{2400}" : $0 })) : self
    }
}
#endif
