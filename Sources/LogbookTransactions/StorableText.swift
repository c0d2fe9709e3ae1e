internal import LogbookCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

extension UnsafeBufferPointer<UInt8> {
    fileprivate var holdsNUL: Bool { baseAddress.map { memchr($0, 0, count) != nil } ?? false }
}

extension String {
    /// The text without NUL, at which SQLite's text functions and most of its readers end a text: shown as `␀` instead, so that
    /// nothing behind it is lost.
    package var storable: String {
        utf8.withContiguousStorageIfAvailable(\.holdsNUL) ?? utf8.contains(0)
            ? String(String.UnicodeScalarView(unicodeScalars.map { $0 == "\0" ? "\u{2400}" : $0 })) : self
    }

    /// UTF-8 bytes of a description, or of a fact about a device, that receivers take; see ``TransactionSetLimits/textBytes``.
    static let maximumDeliverableBytes = TransactionSetLimits().textBytes

    /// The text as it is kept to be sent: ``storable``, and no longer than receivers take. One that was cut ends in the service's mark,
    /// `… [cut from 70000 bytes]`.
    var deliverable: String { LogLimits.cut(storable, toFit: Self.maximumDeliverableBytes) }

    /// The same for a transaction's id, see ``TransactionSetLimits/idBytes``: one that was cut must stay another than every other one,
    /// and the same in every process. So it ends in a digest of the whole, `~sha256-9f86d081…`, in characters that a header field takes.
    package var deliverableID: String {
        let id = storable, maximum = TransactionSetLimits().idBytes
        guard id.utf8.count > maximum else { return id }
        return LogLimits.cut(id, toFit: maximum, endingIn: "~sha256-" + HexadecimalDigest.of(id.utf8))
    }
}

extension TransactionEntry {
    /// The entry under an id that receivers take, which is its own unless that is empty or was cut. Without an id, all that one run of the
    /// program says of a use case is one transaction.
    /// - Parameter session: The run's id.
    func deliverable(in session: String) -> TransactionEntry {
        let id = transactionID.isEmpty ? Self.commonID(of: usecase, in: session) : transactionID.deliverableID
        if id == transactionID { return self }
        return TransactionEntry(
            transactionID: id, usecase: usecase, kind: kind, errorCode: errorCode, errorDescription: errorDescription, device: device
        ).said(as: self)
    }

    /// Of all that is said of a use case without an id.
    static func commonID(of usecase: Int, in session: String) -> String { "TXN\(usecase)-\(session)" }
}
