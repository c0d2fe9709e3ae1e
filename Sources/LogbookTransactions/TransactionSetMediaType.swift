internal import LogbookFormat

/// What a set's `Content-Type` says: `application/vnd.logbook.apptxnset-v0.0.1+json;charset=UTF-8`.
public struct TransactionSetMediaType: Sendable, Hashable, CustomStringConvertible {
    /// What stands before `apptxnset`, its dot included: `vnd.logbook.`. May be empty.
    public var prefix: String
    /// The version as written, also one that nobody knows: `0.0.10`.
    public var versionText: String
    /// `json`; whoever receives decides what it can read.
    public var format: String
    /// Nil when none is said.
    public var charset: String?

    /// The version, when it is one that this library reads.
    public var version: TransactionSetVersion? { TransactionSetVersion(rawValue: versionText) }

    public init(prefix: String, version: TransactionSetVersion, charset: String? = nil) {
        self.prefix = prefix
        versionText = version.rawValue
        format = "json"
        self.charset = charset
    }

    /// Reads a header's value. Case, spaces around `;` and other parameters do not matter.
    /// - Returns: Nil when it is the type of something else.
    public init?(_ text: some StringProtocol) {
        let parts = text.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map { Self.trimmed(Array($0)[...]) }
        let type = parts[0].map(\.lowercased), application = "application/".utf8, mark = "apptxnset-v".utf8
        guard type.starts(with: application), let plus = type.lastIndex(of: UInt8(ascii: "+")) else { return nil }
        let subtype = type[..<plus].dropFirst(application.count)
        let places = subtype.startIndex..<max(subtype.startIndex, subtype.endIndex - mark.count)
        guard let start = places.last(where: { subtype[$0...].starts(with: mark) }) else { return nil }
        let numbers = subtype[(start + mark.count)...]
        prefix = String(decoding: subtype[..<start], as: UTF8.self)
        versionText = String(decoding: numbers, as: UTF8.self)
        format = String(decoding: type[plus...].dropFirst(), as: UTF8.self)
        let steps = numbers.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard steps.count == 3, !format.isEmpty, prefix.isEmpty || prefix.hasSuffix("."),
            steps.allSatisfy({ !$0.isEmpty && $0.allSatisfy { (0x30...0x39).contains($0) } })
        else { return nil }
        for parameter in parts.dropFirst() {
            guard let equals = parameter.firstIndex(of: UInt8(ascii: "=")),
                parameter[..<equals].lazy.map(\.lowercased).elementsEqual("charset".utf8)
            else { continue }
            let value = parameter[equals...].dropFirst(), quote = UInt8(ascii: "\"")
            let isQuoted = value.count > 1 && value.first == quote && value.last == quote
            charset = String(decoding: isQuoted ? value.dropFirst().dropLast() : value, as: UTF8.self)
        }
    }

    /// The type without parameters, as an `Accept` field names it.
    public var essence: String { "application/\(prefix)apptxnset-v\(versionText)+\(format)" }

    /// No space after the semicolon: the original server stumbles over it.
    public var description: String { essence + (charset.map { ";charset=\($0)" } ?? "") }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        var bytes = bytes.drop(while: isSpace)
        while let last = bytes.last, isSpace(last) { bytes.removeLast() }
        return bytes
    }
}
