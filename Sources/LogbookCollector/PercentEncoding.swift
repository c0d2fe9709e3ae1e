internal import LogbookHTTP

/// Texts in URLs.
enum PercentEncoding {
    /// A query's names and values; nil when something in it is not well formed, or a name is there twice.
    static func query(_ text: some StringProtocol) -> [String: String]? {
        var values: [String: String] = [:]
        for item in text.split(separator: "&") {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts[0].percentDecoded(plusIsSpace: true),
                let value = parts.count == 2 ? parts[1].percentDecoded(plusIsSpace: true) : "",
                values.updateValue(value, forKey: name) == nil
            else { return nil }
        }
        return values
    }
}
