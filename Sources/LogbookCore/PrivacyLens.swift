/// How one registration sees what is private: values in, values out.
struct PrivacyLens {
    let mode: PrivacyMode
    let scanner: PrivacyScanner?
    let key: PrivacyKey

    /// Masks what the rules find: for texts of the library itself.
    static func masking(_ rules: PrivacyRules) -> PrivacyLens {
        PrivacyLens(mode: .masked, scanner: PrivacyScanner(rules), key: unusedKey)
    }
    /// For what the library says of itself, whatever a service's rules are.
    static let forDiagnostics = masking(.standard)
    private static let unusedKey = PrivacyKey.random()

    /// Whether a value that was found is changed at all.
    var looks: Bool { scanner.map { $0.seeks && (mode != .revealed || $0.found == .secret) } ?? false }

    // MARK: Texts

    func text(_ text: MarkedText) -> String {
        text.bytes.withUnsafeBufferPointer { bytes in
            show(bytes, looks ? text.marking(scanner?.ranges(in: bytes) ?? [], found) : text.marks)
                ?? String(decoding: bytes, as: UTF8.self)
        }
    }

    private var found: LogPrivacy { scanner?.found ?? .private }
    var unmarkedTexts: LogPrivacy { scanner?.unmarkedTexts ?? .public }

    /// The text itself where nothing was found in it.
    func masked(_ text: String) -> String {
        guard looks, let scanner else { return text }
        var text = text
        let shown = text.withUTF8 { bytes in
            show(bytes, scanner.ranges(in: bytes).map { MarkedText.Mark(range: $0, privacy: scanner.found) })
        }
        return shown ?? text
    }

    /// Nil where nothing is to be hidden.
    private func show(_ bytes: UnsafeBufferPointer<UInt8>, _ marks: [MarkedText.Mark]) -> String? {
        if marks.allSatisfy({ $0.privacy == .public || ($0.privacy == .private && mode == .revealed) }) { return nil }
        var shown: [UInt8] = []
        shown.reserveCapacity(bytes.count)
        var end = 0
        for mark in marks {
            shown.append(contentsOf: bytes[end..<mark.range.lowerBound])
            let part = bytes[mark.range]
            switch (mark.privacy, mode) {
            case (.public, _), (.private, .revealed): shown.append(contentsOf: part)
            case (_, .dropped): break
            case (.secret, _): shown.append(Self.secret)
            case (.private, .masked): shown.append(Self.private)
            case (.private, .hashed): shown.append(utf8Of: hash(of: part))
            }
            end = mark.range.upperBound
        }
        shown.append(contentsOf: bytes[end...])
        return String(decoding: shown, as: UTF8.self)
    }

    static let `private`: StaticString = "<private>"
    static let secret: StaticString = "<secret>"

    /// `<private:0a1b2c3d4e5f6071>`.
    private func hash(of bytes: some Collection<UInt8>) -> String {
        let digits = String(key.hash(bytes), radix: 16)
        return Self.hashStart + String(repeating: "0", count: 16 - digits.count) + digits + ">"
    }
    fileprivate static let hashStart = "<private:"
    static let hashBytes = 26

    // MARK: Metadata

    /// What texts of metadata are that nobody has marked, by the key under which they stand.
    func unmarkedTexts(under key: String) -> LogPrivacy {
        unmarkedTexts == .public ? .public : scanner?.unmarkedTexts(under: key) ?? .public
    }

    func metadata(_ metadata: LogMetadata) -> LogMetadata { members(of: metadata, depth: 0, unmarked: unmarkedTexts) }

    /// - Parameter depth: What lies deeper than an event can hold is cut here already, so that no nesting exhausts the stack.
    private func members(
        of metadata: LogMetadata, depth: Int, isPublic: Bool = false, unmarked: LogPrivacy
    ) -> LogMetadata {
        var shown = LogMetadata(), changedKeys = 0
        metadata.forEachMember { key, value in
            var shownKey = isPublic ? key : masked(key)
            let isNamed = !isPublic && looks && scanner?.names(key) == true
            guard let shownValue = isNamed && !value.isMarkedPublic
                    ? hidden(value, found, depth: depth)
                    : self.value(
                        value, depth: depth, isPublic: isPublic, unmarked: unmarked == .public ? .public : scanner?.unmarkedTexts(under: key) ?? .public)
            else { return }
            if shownKey != key {
                if mode == .dropped { return }
                changedKeys += 1
                if shown[shownKey] != nil { shownKey += "#\(changedKeys)" }
            }
            shown[shownKey] = shownValue
        }
        return shown
    }

    /// Nil when nothing is left of it.
    private func value(_ value: LogValue, depth: Int, isPublic: Bool, unmarked: LogPrivacy) -> LogValue? {
        switch value {
        case .protected(let privacy, let inner):
            guard depth < LogLimits.highest.metadataDepth else { return cut(value) }
            return privacy == .public
                ? self.value(inner, depth: depth + 1, isPublic: true, unmarked: .public) : hidden(inner, privacy, depth: depth + 1)
        case .string(let string):
            if isPublic { return value }
            return unmarked == .public || (unmarked == .private && mode == .revealed)
                ? .string(masked(string)) : hidden(value, unmarked, depth: depth)
        case .array(let values):
            guard depth < LogLimits.highest.metadataDepth else { return cut(value) }
            return .array(values.compactMap { self.value($0, depth: depth + 1, isPublic: isPublic, unmarked: unmarked) })
        case .object(let metadata):
            guard depth < LogLimits.highest.metadataDepth else { return cut(value) }
            return .object(members(of: metadata, depth: depth + 1, isPublic: isPublic, unmarked: unmarked))
        case .integer(let number):
            return isCard(UInt64(exactly: number), isPublic) ? hidden(value, found, depth: depth) : value
        case .unsigned(let number): return isCard(number, isPublic) ? hidden(value, found, depth: depth) : value
        case .double(let number): return isCard(UInt64(exactly: number), isPublic) ? hidden(value, found, depth: depth) : value
        case .null, .bool: return value
        }
    }

    private func isCard(_ number: UInt64?, _ isPublic: Bool) -> Bool {
        guard looks, !isPublic, let number, let scanner else { return false }
        return scanner.isCardNumber(number)
    }

    private func hidden(_ value: LogValue, _ privacy: LogPrivacy, depth: Int) -> LogValue? {
        switch (privacy, mode) {
        case (.public, _): self.value(value, depth: depth, isPublic: true, unmarked: .public)
        case (.private, .revealed): self.value(value, depth: depth, isPublic: false, unmarked: .public)
        case (_, .dropped): nil
        case (.secret, _): .string(Self.secret.description)
        case (.private, .masked) where value.isMasked, (.private, .hashed) where value.isMasked: value
        case (.private, .masked): .string(Self.private.description)
        case (.private, .hashed): .string(hash(of: value))
        }
    }

    /// Numbers, truth values and texts as a message would show them, so that the same value has the same hash there.
    private func hash(of value: LogValue) -> String {
        var bytes: [UInt8] = []
        append(value, to: &bytes, depth: 0)
        return hash(of: bytes)
    }

    private func append(_ value: LogValue, to bytes: inout [UInt8], depth: Int) {
        guard depth < LogLimits.highest.metadataDepth else { return bytes.append("…") }
        switch value {
        case .null: bytes.append("null")
        case .bool(let value): bytes.append(value ? "true" : "false")
        case .integer(let value): bytes.append(decimal: value)
        case .unsigned(let value): bytes.append(decimal: value)
        case .double(let value): bytes.append(utf8Of: value.description)
        case .string(let text): bytes.append(utf8Of: text)
        case .protected(.secret, _): bytes.append(Self.secret)
        case .protected(_, let value): append(value, to: &bytes, depth: depth + 1)
        case .array(let values):
            bytes.append("[")
            for value in values { appendItem(value, to: &bytes, depth: depth + 1) }
            bytes.append("]")
        case .object(let members):
            bytes.append("{")
            members.forEachMember { key, value in
                appendItem(.string(key), to: &bytes, depth: depth + 1)
                appendItem(value, to: &bytes, depth: depth + 1)
            }
            bytes.append("}")
        }
    }

    /// With its length in front, so that no two different lists look the same.
    private func appendItem(_ value: LogValue, to bytes: inout [UInt8], depth: Int) {
        var item: [UInt8] = []
        append(value, to: &item, depth: depth)
        bytes.append(decimal: item.count)
        bytes.append(":")
        bytes.append(contentsOf: item)
    }

    private func cut(_ value: LogValue) -> LogValue { .string(LogLimits.mark(value.levels, "levels")) }
}

extension LogValue {
    fileprivate var isMarkedPublic: Bool {
        if case .protected(.public, _) = self { true } else { false }
    }

    /// Whether it is a text that stands for a value which was masked elsewhere: nothing is to be hidden, and a hash stays comparable.
    fileprivate var isMasked: Bool {
        guard case .string(let text) = self else { return false }
        let bytes = text.utf8
        guard bytes.count == PrivacyLens.hashBytes else {
            return bytes.elementsEqual("<private>".utf8) || bytes.elementsEqual("<secret>".utf8)
        }
        return bytes.starts(with: PrivacyLens.hashStart.utf8) && bytes.last == UInt8(ascii: ">")
            && bytes.dropFirst(PrivacyLens.hashStart.utf8.count).dropLast().allSatisfy { $0.isDigit || 0x61...0x66 ~= $0 }
    }
}
