import LogbookCore

/// Facts in the form `key=value` that were read from a line.
struct ReadFacts {
    /// What is no metadata, by its name.
    private var own: [OwnFact: LogValue] = [:]
    private var members: [(String, LogValue)] = []

    var metadata: LogMetadata { LogMetadata(members) }

    mutating func add(_ key: String, _ value: LogValue) { members.append((key, value)) }

    mutating func add(_ fact: OwnFact, _ value: LogValue) throws(LogLineError) {
        guard own.updateValue(value, forKey: fact) == nil else {
            throw .invalid(field: fact.rawValue, expected: "given once")
        }
    }

    private func value<Result>(
        _ fact: OwnFact, _ expected: String, _ read: (LogValue) -> Result?
    ) throws(LogLineError) -> Result? {
        guard let value = own[fact] else { return nil }
        guard let result = read(value) else { throw .invalid(field: fact.rawValue, expected: expected) }
        return result
    }

    func text(_ fact: OwnFact) throws(LogLineError) -> String? {
        try value(fact, "text") { if case .string(let text) = $0 { text } else { nil } }
    }

    func natural(_ fact: OwnFact) throws(LogLineError) -> UInt64? {
        try value(fact, Expected.natural) {
            switch $0 {
            case .integer(let number): UInt64(exactly: number)
            case .unsigned(let number): number
            default: nil
            }
        }
    }

    func number(_ fact: OwnFact) throws(LogLineError) -> Int? {
        try value(fact, Expected.number) { if case .integer(let number) = $0 { Int(exactly: number) } else { nil } }
    }

    func required<Result>(_ fact: OwnFact, _ value: Result?) throws(LogLineError) -> Result {
        guard let value else { throw .invalid(field: fact.rawValue, expected: "given") }
        return value
    }

    func error() throws(LogLineError) -> LogErrorDetails? {
        let type = try text(.errorType), message = try text(.errorMessage)
        if type == nil && message == nil { return nil }
        return LogErrorDetails(type: try required(.errorType, type), description: try required(.errorMessage, message))
    }

    func transaction() throws(LogLineError) -> TransactionEntry? {
        guard let id = try text(.transactionID) else {
            for fact in [OwnFact.usecase, .transactionEvent, .errorCode, .errorDescription] where own[fact] != nil {
                throw .invalid(field: OwnFact.transactionID.rawValue, expected: "given together with \(fact.rawValue)")
            }
            return nil
        }
        return TransactionEntry(
            transactionID: id, usecase: try required(.usecase, try number(.usecase)),
            kind: try number(.transactionEvent).map { .happened($0) } ?? .began,
            errorCode: try number(.errorCode), errorDescription: try text(.errorDescription),
            device: DeviceFacts(
                make: try text(.deviceMake) ?? "", os: try text(.deviceOS) ?? "",
                osVersion: try text(.deviceOSVersion) ?? ""))
    }
}

extension LineScanner {
    /// Reads the facts that ``LineWriter/facts(_:)`` wrote, up to the end of the line.
    mutating func facts() throws(LogLineError) -> ReadFacts {
        var facts = ReadFacts()
        while true {
            let key: String, isQuoted = current == 0x22
            if isQuoted {
                key = try jsonText()
                guard skip(0x3D) else { throw expected("= after a key") }
            } else {
                let start = position
                guard let bytes = upTo(0x3D), let text = String(validating: bytes, as: UTF8.self), Word.isOne(bytes) else {
                    throw .malformed(expected: "a key and =", offset: start)
                }
                key = text
            }
            let value = try fact()
            if !isQuoted, let fact = OwnFact.named(key), fact.standsInText { try facts.add(fact, value) }
            else { facts.add(key, value) }
            if isAtEnd { return facts }
            guard skip(0x20) else { throw expected("a space or the end of the line after a value") }
        }
    }

    private mutating func fact() throws(LogLineError) -> LogValue {
        switch current {
        case 0x22, 0x5B, 0x7B: return try json().logValue
        default:
            let start = position
            while let byte = current, byte != 0x20 { move(to: position + 1) }
            guard position > start, let value = Word.value(bytes[start..<position]) else {
                throw .malformed(expected: "a value", offset: start)
            }
            return value
        }
    }

    func expected(_ what: String) -> LogLineError { .malformed(expected: what, offset: position) }

    mutating func jsonText() throws(LogLineError) -> String {
        let start = position
        guard let text = try json().text else { throw .malformed(expected: "text between quotes", offset: start) }
        return text
    }
}
