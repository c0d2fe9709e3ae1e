import LogbookCore

// HOT PATH — facts after a message, as `key=value`. A value keeps its type: what is bare is a word, a number, `true`, `false`
// or `null`, and a text that could be mistaken for one of these stands between quotes.

/// The names under which formats of `key=value` write what is no metadata.
enum OwnFact: String, CaseIterable {
    case time, level
    case message = "msg"
    case sequence = "seq"
    case thread, file, line
    case function = "func"
    case errorType = "error.type"
    case errorMessage = "error.message"
    case transactionID = "transaction.id"
    case usecase = "transaction.usecase"
    case transactionEvent = "transaction.event"
    case errorCode = "transaction.error_code"
    case errorDescription = "transaction.error_description"
    case deviceMake = "device.make"
    case deviceOS = "device.os"
    case deviceOSVersion = "device.os_version"

    /// Those that the text style writes among the facts.
    var standsInText: Bool {
        switch self {
        case .errorType, .errorMessage, .transactionID, .usecase, .transactionEvent, .errorCode, .errorDescription: true
        default: false
        }
    }

    /// Length and first letter rule out nearly every key before names are compared.
    static func named(_ key: UnsafeBufferPointer<UInt8>) -> OwnFact? {
        switch (key.count, key.first) {
        case (3, 0x6D), (3, 0x73), (4, 0x66), (4, 0x6C), (4, 0x74), (5, 0x6C), (6, 0x74),   // msg seq file func line time level thread
            (9, 0x64), (11, 0x64), (17, 0x64), (10, 0x65), (13, 0x65),   // device.… error.…
            (14, 0x74), (17, 0x74), (19, 0x74), (22, 0x74), (29, 0x74):   // transaction.…
            allCases.first { $0.rawValue.utf8.elementsEqual(key) }
        default: nil
        }
    }

    /// The same for a key that was read: `init(rawValue:)` compares as Unicode does, which takes time with the square of a key's length.
    static func named(_ key: String) -> OwnFact? {
        var key = key
        return key.withUTF8 { named($0) }
    }
}

extension LineWriter {
    // MARK: Text style

    /// What is known beside message and place, after a tab; nothing when nothing is known.
    mutating func facts(_ event: some WritableEvent) {
        if !event.hasFacts { return }
        var separator: UInt8 = 0x09
        event.forEachMember { key, value in
            byte(separator)
            separator = 0x20
            // Between quotes, a key is never one of ours.
            if Word.isOne(key), OwnFact.named(key)?.standsInText != true { bytes(key) } else { jsonString(key) }
            byte(0x3D)
            if case .text(let text) = value { fact(text, .text) } else { json(value) }
        }
        if !event.hasAttachment { return }
        if let error = event.error {
            byte(separator)
            separator = 0x20
            facts(error, .text)
        }
        if let entry = event.transaction {
            byte(separator)
            facts(entry, .text)
        }
    }

    // MARK: logfmt

    /// The key of metadata; see ``LogfmtFormat``.
    mutating func logfmt(key: UnsafeBufferPointer<UInt8>) {
        if key.isEmpty { return literal(#"\u{}"#) }
        if OwnFact.named(key) != nil || key.starts(with: LogfmtFormat.fieldsPrefixBytes) {
            literal(LogfmtFormat.fieldsPrefix)
        }
        escapedLine(key, .logfmtKey)
    }

    mutating func logfmt(_ value: WritableValue) {
        switch value {
        case .text(let text): fact(text, .logfmt)
        case .nested(let value): document(value)
        default: json(value)
        }
    }

    /// A string that holds a document of JSON.
    mutating func document(_ value: LogValue) {
        var document: [UInt8] = []
        document.append(json: value)
        document.withUnsafeBufferPointer { jsonString($0) }
    }

    // MARK: Both

    /// How a text is told from a document of JSON: in text style only text stands between quotes; in logfmt both do, and text
    /// never begins with a raw bracket.
    enum FactStyle { case text, logfmt }

    mutating func facts(_ error: LogErrorDetails, _ style: FactStyle) {
        literal("error.type=")
        fact(error.type, style)
        literal(" error.message=")
        fact(error.description, style)
    }

    mutating func facts(_ entry: TransactionEntry, _ style: FactStyle) {
        literal("transaction.id=")
        fact(entry.transactionID, style)
        literal(" transaction.usecase=")
        decimal(Int64(entry.usecase))
        if let number = entry.event {
            literal(" transaction.event=")
            decimal(Int64(number))
        }
        if let code = entry.errorCode {
            literal(" transaction.error_code=")
            decimal(Int64(code))
        }
        if let text = entry.errorDescription {
            literal(" transaction.error_description=")
            fact(text, style)
        }
    }

    /// The text as it is when it is a word and nothing else, otherwise between quotes.
    mutating func fact(_ text: String, _ style: FactStyle) {
        withUTF8(of: text) { writer, bytes in writer.fact(bytes, style) }
    }

    mutating func fact(_ bytes: UnsafeBufferPointer<UInt8>, _ style: FactStyle) {
        if Word.isOne(bytes) && !Word.isMistakable(bytes) { return self.bytes(bytes) }
        guard style == .logfmt, let first = bytes.first, first == 0x5B || first == 0x7B else { return jsonString(bytes) }
        literal(first == 0x5B ? #""\u005b"# : #""\u007b"#)
        jsonText(UnsafeBufferPointer(rebasing: bytes[1...]))
        byte(0x22)
    }
}

extension EscapedBytes {
    /// A key of logfmt holds no space, equals sign or quote.
    static var logfmtKey: EscapedBytes { EscapedBytes(0x5C, 0x20, 0x3D, 0x22) }
}

/// Text that needs no quotes in `key=value`.
enum Word {
    /// Letters and digits of ASCII and `+ - . / : @ _`, as bits.
    private static var low: UInt64 { 0x07FF_E800_0000_0000 }    // + - . / 0...9 :
    private static var high: UInt64 { 0x07FF_FFFE_87FF_FFFF }   // @ A...Z _ a...z

    static func isOne(_ bytes: some Collection<UInt8>) -> Bool {
        if bytes.isEmpty { return false }
        for byte in bytes {
            let bits = byte < 0x40 ? low : high
            guard byte < 0x80, bits >> UInt64(byte & 0x3F) & 1 == 1 else { return false }
        }
        return true
    }

    /// Whether a word would be read as something else than text.
    static func isMistakable(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        switch bytes.first {
        case 0x2D, .some(0x30...0x39): isNumber(bytes)
        case 0x66: bytes.elementsEqual("false".utf8)
        case 0x6E: bytes.elementsEqual("null".utf8)
        case 0x74: bytes.elementsEqual("true".utf8)
        default: false
        }
    }

    /// Whether this is a number as JSON writes one.
    static func isNumber(_ bytes: some Collection<UInt8>) -> Bool {
        var rest = bytes[...]
        func digits() -> Bool {
            let count = rest.prefix(while: \.isDigit).count
            rest = rest.dropFirst(count)
            return count > 0
        }
        if rest.first == 0x2D { rest = rest.dropFirst() }
        if rest.first == 0x30 { rest = rest.dropFirst() } else if !digits() { return false }
        if rest.first == 0x2E {
            rest = rest.dropFirst()
            if !digits() { return false }
        }
        if rest.first == 0x65 || rest.first == 0x45 {
            rest = rest.dropFirst()
            if rest.first == 0x2B || rest.first == 0x2D { rest = rest.dropFirst() }
            if !digits() { return false }
        }
        return rest.isEmpty
    }

    /// What a bare word says.
    static func value(_ bytes: ArraySlice<UInt8>) -> LogValue? {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        switch text {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "null": return .null
        default: break
        }
        guard isNumber(bytes), bytes.count <= JSONLimits().numberLength else { return .string(text) }
        if let integer = Int64(text) { return .integer(integer) }
        if let unsigned = UInt64(text) { return .unsigned(unsigned) }
        if let double = Double(text), double.isFinite { return .double(double) }
        return .string(text)
    }
}
