internal import LogbookCore
internal import LogbookFormat

/// Finds the word for a level near the beginning of a line.
enum LevelWord {
    /// Words looked at; later ones are part of the message.
    private static let maximumWords = 6
    private static let longestWord = 24

    /// A bare word counts in capitals (`ERROR`); in other letters only in brackets (`[warn]`, `[core:error]`), before a colon
    /// (`warning:`) or after a key (`level=info`): "no error found" is no error. The first word behind a time counts in all letters.
    static func find(in line: ArraySlice<UInt8>, behindTime: Bool) -> LogLevel? {
        if let level = behindTime ? firstWord(of: line) : nil { return level }
        if let level = beforeLogger(line) ?? sign(of: line) { return level }
        let words = line.prefix(200).split(
            maxSplits: maximumWords, omittingEmptySubsequences: true, whereSeparator: { $0 == 0x20 || $0 == 0x09 })
        for (index, word) in words.prefix(maximumWords).enumerated() where word.count <= longestWord {
            if let level = level(of: word, isFirst: index == 0) { return level }
        }
        return nil
    }

    /// `error`, `error:`, `error[E0308]`.
    private static func firstWord(of line: ArraySlice<UInt8>) -> LogLevel? {
        let word = line.prefix(longestWord).prefix { isLetter($0) }
        if let next = line.dropFirst(word.count).first, !" \t:[".utf8.contains(next) { return nil }
        return word.count >= 3 ? LogLevel(name: text(word)) : nil
    }

    /// What Python writes, `ERROR:root:no such file`: the level, the logger's name and the message.
    private static func beforeLogger(_ line: ArraySlice<UInt8>) -> LogLevel? {
        let word = line.prefix(longestWord).prefix { isCapital($0) }, rest = line.dropFirst(word.count)
        guard word.count >= 3, rest.first == 0x3A else { return nil }
        let logger = rest.dropFirst().prefix { $0 > 0x20 && $0 != 0x3A }
        return !logger.isEmpty && rest.dropFirst(1 + logger.count).first == 0x3A ? LogLevel(name: text(word)) : nil
    }

    /// The article's style with any time stamp: `[☠️ 10:35:22 Cart.swift:pay():12] …`.
    private static func sign(of line: ArraySlice<UInt8>) -> LogLevel? {
        LogLevel.allCases.first { line.starts(with: "[\($0.symbol) ".utf8) }
    }

    private static func isCapital(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool { isCapital(byte & 0xDF) }

    private static func level(of word: ArraySlice<UInt8>, isFirst: Bool) -> LogLevel? {
        var core = word
        var isMarked = false
        if let equals = core.firstIndex(of: 0x3D) {
            guard ["level", "lvl", "severity"].contains(text(core[..<equals]).lowercased()) else { return nil }
            core = core[(equals + 1)...]
            if core.first == 0x22 { core = core.dropFirst() }
            if core.last == 0x22 { core = core.dropLast() }
            return LogLevel(name: text(core))
        }
        if core.last == 0x3A || core.last == 0x2C {
            isMarked = core.last == 0x3A
            core = core.dropLast()
        }
        if let open = core.first, let close = core.last, core.count > 2,
            (open, close) == (0x5B, 0x5D) || (open, close) == (0x28, 0x29) || (open, close) == (0x3C, 0x3E)
        {
            isMarked = true
            core = core.dropFirst().dropLast()
            if let colon = core.lastIndex(of: 0x3A) { core = core[(colon + 1)...] }
        }
        guard let first = core.first, isLetter(first) else { return nil }
        if core.count == 1, isFirst, isMarked, isCapital(first) { return letters[first] }
        return core.count >= 3 && (isMarked || core.allSatisfy(isCapital)) ? LogLevel(name: text(core)) : nil
    }

    /// The letters that apt (`E: Unable to …`) and others open a line with.
    private static let letters: [UInt8: LogLevel] = [
        UInt8(ascii: "V"): .verbose, UInt8(ascii: "T"): .verbose, UInt8(ascii: "D"): .debug, UInt8(ascii: "I"): .info,
        UInt8(ascii: "N"): .notice, UInt8(ascii: "W"): .warning, UInt8(ascii: "E"): .error,
        UInt8(ascii: "F"): .critical,
        UInt8(ascii: "C"): .critical,
    ]

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    /// A level in JSON: a word, a syslog severity `0...7`, or the tens that pino and bunyan write (30 is info).
    static func level(_ value: JSONValue) -> LogLevel? {
        switch value {
        case .string(let word): return LogLevel(name: word)
        case .integer(let number):
            switch number {
            case 0...7: return SyslogPriority.level(severity: Int(number))
            case 10..<20: return .verbose
            case 20..<30: return .debug
            case 30..<40: return .info
            case 40..<50: return .warning
            case 50..<60: return .error
            case 60..<70: return .critical
            default: return nil
            }
        default: return nil
        }
    }
}
