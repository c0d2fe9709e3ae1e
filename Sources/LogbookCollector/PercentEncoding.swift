/// Texts in URLs.
enum PercentEncoding {
    /// What a part of a path says; nil when it is not well formed. With `plusIsSpace`, as in a query.
    static func decoded(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String? {
        var bytes: [UInt8] = []
        var rest = Substring(text).utf8[...]
        while let byte = rest.popFirst() {
            guard byte == 0x25 else {
                bytes.append(plusIsSpace && byte == 0x2B ? 0x20 : byte)
                continue
            }
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit), let value = UInt8(digits, radix: 16) else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// A query's names and values; nil when something in it is not well formed, or a name is there twice.
    static func query(_ text: some StringProtocol) -> [String: String]? {
        var values: [String: String] = [:]
        for item in text.split(separator: "&") {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = decoded(parts[0], plusIsSpace: true),
                let value = parts.count == 2 ? decoded(parts[1], plusIsSpace: true) : "",
                values.updateValue(value, forKey: name) == nil
            else { return nil }
        }
        return values
    }
}
