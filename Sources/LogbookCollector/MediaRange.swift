#if Collector
    /// One item of an `Accept` field, and the rule by which such a field offers a type.
    struct MediaRange {
        private let type: Substring
        private let subtype: Substring
        private let isRefused: Bool

        private init?(_ text: Substring) {
            let parts = text.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased()[...] }
            guard let essence = parts.first, let slash = essence.firstIndex(of: "/") else { return nil }
            type = essence[..<slash]
            subtype = essence[essence.index(after: slash)...]
            isRefused = parts.dropFirst().contains { $0.hasPrefix("q=") && Double($0.dropFirst(2)) == 0 }
        }

        /// Whether a client that sent this `Accept` field takes one of the types. One that names no type at all takes everything.
        static func field(_ field: String, takesOneOf types: [String]) -> Bool {
            let ranges = field.split(separator: ",").compactMap { MediaRange($0) }
            if ranges.isEmpty { return true }
            return types.contains { type in
                let parts = type.lowercased().split(separator: "/", maxSplits: 1)
                return ranges.contains { range in
                    !range.isRefused && (range.type == "*" || range.type == parts[0])
                        && (range.subtype == "*" || range.subtype == parts[1])
                }
            }
        }
    }
#endif
