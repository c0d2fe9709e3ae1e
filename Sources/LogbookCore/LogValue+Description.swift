// What is put into text may be read by anybody: whatever is marked is masked there, for every reader.

extension LogValue: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A text as it is, anything else as the literal that makes it: `["user": <private>, "attempts": [1, 2]]`.
    public var description: String {
        var value = self
        while case .protected(.public, let inner) = value { value = inner }
        return if case .string(let text) = value { text } else { value.debugDescription }
    }

    /// The same, with a text in quotes.
    public var debugDescription: String {
        var text = ""
        append(to: &text, depth: 0)
        return text
    }

    /// Without the value, which a mirror would show as it is.
    public var customMirror: Mirror { Mirror(self, children: []) }

    fileprivate func append(to text: inout String, depth: Int) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value.description
        case .integer(let value): text += value.description
        case .unsigned(let value): text += value.description
        case .double(let value): text += value.description
        case .string(let value): text += value.debugDescription
        case .protected(.private, _): text += PrivacyLens.private.description
        case .protected(.secret, _): text += PrivacyLens.secret.description
        case .protected, .array, .object:
            if depth == LogLimits.highest.metadataDepth { text += "…" } else { appendInner(to: &text, depth: depth + 1) }
        }
    }

    private func appendInner(to text: inout String, depth: Int) {
        switch self {
        case .protected(_, let value): value.append(to: &text, depth: depth)
        case .array(let values):
            text += "["
            for (place, value) in values.enumerated() {
                if place > 0 { text += ", " }
                value.append(to: &text, depth: depth)
            }
            text += "]"
        case .object(let members): members.append(to: &text, depth: depth)
        default: break
        }
    }
}

extension LogMetadata: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// As the literal that makes it: `["user": <private>, "attempts": [1, 2]]`.
    public var description: String { debugDescription }

    public var debugDescription: String { LogValue.object(self).debugDescription }

    /// Without the members, which a mirror would show as they are.
    public var customMirror: Mirror { Mirror(self, children: []) }

    fileprivate func append(to text: inout String, depth: Int) {
        if isEmpty { return text += "[:]" }
        text += "["
        for (place, (key, value)) in enumerated() {
            if place > 0 { text += ", " }
            text += "\(key.debugDescription): "
            value.append(to: &text, depth: depth)
        }
        text += "]"
    }
}
