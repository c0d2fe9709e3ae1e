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
        let parts = text.split(separator: ";", omittingEmptySubsequences: false).map { Self.trimmed($0) }
        let type = parts[0].lowercased()
        let application = "application/", mark = "apptxnset-v"
        guard type.hasPrefix(application), let plus = type.lastIndex(of: "+") else { return nil }
        let subtype = Array(type[..<plus].utf8.dropFirst(application.utf8.count))
        let places = 0...max(0, subtype.count - mark.utf8.count)
        guard let start = places.last(where: { subtype[$0...].starts(with: mark.utf8) }) else { return nil }
        prefix = String(decoding: subtype[..<start], as: UTF8.self)
        versionText = String(decoding: subtype[(start + mark.utf8.count)...], as: UTF8.self)
        format = String(type[plus...].dropFirst())
        let numbers = versionText.split(separator: ".", omittingEmptySubsequences: false)
        guard numbers.count == 3, !format.isEmpty, prefix.isEmpty || prefix.hasSuffix("."),
            numbers.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
        else { return nil }
        for parameter in parts.dropFirst() {
            guard let equals = parameter.firstIndex(of: "="), parameter[..<equals].lowercased() == "charset" else { continue }
            let value = parameter[equals...].dropFirst()
            let isQuoted = value.count > 1 && value.hasPrefix("\"") && value.hasSuffix("\"")
            charset = String(isQuoted ? value.dropFirst().dropLast() : value)
        }
    }

    /// The type without parameters, as an `Accept` field names it.
    public var essence: String { "application/\(prefix)apptxnset-v\(versionText)+\(format)" }

    /// No space after the semicolon: the original server stumbles over it.
    public var description: String { essence + (charset.map { ";charset=\($0)" } ?? "") }

    private static func trimmed(_ text: some StringProtocol) -> Substring {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        var text = Substring(text).drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return text
    }
}
