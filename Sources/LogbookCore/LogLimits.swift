/// How much of one event is taken. What is beyond is cut, with a mark that says how much there was, so that no event can fill
/// a disk, exhaust the stack, or hide that something is missing.
///
/// - A text that is too long ends in `… [cut from 104857600 bytes]`.
/// - Metadata with too many or too large members ends in the member `logbook.cut`: `"255 of 1000000 members"`; an array ends in
///   `… [cut from 5000 elements]`.
/// - A value that is nested too deep is the text `… [cut from 10000 levels]`.
///
/// What is cut again, such as by a format with lower limits, still says how much there was at first.
public struct LogLimits: Sendable, Hashable {
    /// Bytes of UTF-8 of one text: the message, an error's description, the place and so on. Default 64 KiB; the mark comes on
    /// top of it.
    public let textBytes: Int
    /// Bytes of all keys and values of the metadata together, where a number, `true` or a text of fewer counts as eight. Default 64 KiB.
    public let metadataBytes: Int
    /// Arrays and objects within each other, not counting the metadata itself. Default 16.
    public let metadataDepth: Int
    /// Members of one object, the mark included. Default 256, which is also what our readers take.
    public let metadataMembers: Int

    /// No limit can be set beyond these, so that what was written can be read.
    public static let highest = LogLimits(
        checkedTextBytes: 1 << 20, metadataBytes: 1 << 20, metadataDepth: 24, metadataMembers: 256)

    /// - Note: Held within `1...` ``highest``.
    public init(
        textBytes: Int = 64 << 10, metadataBytes: Int = 64 << 10, metadataDepth: Int = 16, metadataMembers: Int = 256
    ) {
        func held(_ value: Int, _ highest: Int) -> Int { min(max(value, 1), highest) }
        self.init(
            checkedTextBytes: held(textBytes, Self.highest.textBytes),
            metadataBytes: held(metadataBytes, Self.highest.metadataBytes),
            metadataDepth: held(metadataDepth, Self.highest.metadataDepth),
            metadataMembers: held(metadataMembers, Self.highest.metadataMembers))
    }

    private init(checkedTextBytes textBytes: Int, metadataBytes: Int, metadataDepth: Int, metadataMembers: Int) {
        self.textBytes = textBytes
        self.metadataBytes = metadataBytes
        self.metadataDepth = metadataDepth
        self.metadataMembers = metadataMembers
    }

    /// What an event holds when nothing was configured.
    public static let standard = LogLimits()

    /// The key of the member that says how many members there were.
    package static let cutMember = "logbook.cut"

    private static let markOpening = "… [cut from "

    package static func mark(_ count: Int, _ unit: String) -> String { "\(markOpening)\(count) \(unit)]" }

    /// The mark in which a text ends that was cut; nil where it was not.
    private static func mark(endingIn text: String) -> String? {
        guard let start = text.unicodeScalars.suffix(markBytes).lastIndex(of: "…") else { return nil }
        let mark = String(text[start...])
        return mark.hasPrefix(markOpening) && mark.hasSuffix(" bytes]") ? mark : nil
    }

    /// The number in a mark that is the whole text; nil for every other text, and for a number that nothing ever had.
    fileprivate static func count(namedBy text: String, _ unit: String) -> Int? {
        guard text.utf8.count <= markBytes, text.hasPrefix(markOpening), text.hasSuffix(" \(unit)]") else { return nil }
        let digits = text.utf8.dropFirst(markOpening.utf8.count).dropLast(unit.utf8.count + 2)
        return Int(String(decoding: digits, as: UTF8.self)).flatMap { (1...Int.max / 2).contains($0) ? $0 : nil }
    }

    /// How many members were cut before, as the member says that counts them; nil where there is none.
    private static func missing(in members: LogMetadata) -> Int? {
        guard case .string(let text) = members[cutMember], text.utf8.count <= markBytes else { return nil }
        let words = text.split(separator: " ")
        guard words.count == 4, words[1] == "of", words[3] == "members", let kept = Int(words[0]), let total = Int(words[2]),
            kept >= 0, total > kept, total <= Int.max / 2
        else { return nil }
        return total - kept
    }

    /// The beginning of the text and a mark: its own where it was cut before.
    private static func cut(_ text: String, to bytes: Int) -> String {
        guard let earlier = mark(endingIn: text) else { return text.cut(to: bytes, mark(text.utf8.count, "bytes")) }
        return text.cut(to: min(bytes, text.utf8.count - earlier.utf8.count), earlier)
    }

    /// The text in no more bytes than these, its mark included; one that was cut before keeps what that says.
    /// - Parameter bytes: More than a mark.
    package static func cut(_ text: String, toFit bytes: Int) -> String {
        guard text.utf8.count > bytes else { return text }
        return cut(text, toFit: bytes, endingIn: mark(endingIn: text) ?? mark(text.utf8.count, "bytes"))
    }

    /// The same with another mark.
    /// - Parameter bytes: Fewer than the text has, and more than the mark.
    package static func cut(_ text: String, toFit bytes: Int, endingIn mark: String) -> String {
        text.cut(to: bytes - mark.utf8.count, mark)
    }

    // MARK: Texts

    /// A mark is never longer; texts and metadata may exceed their limit by so much, so that what was cut is not cut again.
    @usableFromInline static var markBytes: Int { @inlinable @inline(__always) get { 64 } }

    func hold(_ text: String) -> Bool { text.utf8.count <= textBytes + Self.markBytes }

    @inlinable
    @inline(__always)
    package func hold(_ text: UnsafeBufferPointer<UInt8>) -> Bool { text.count <= textBytes + Self.markBytes }

    func cut(_ text: String) -> String { hold(text) ? text : Self.cut(text, to: textBytes) }

    // MARK: Metadata

    /// Whether the metadata stays as it is. Never deeper in the stack than ``metadataDepth``.
    func hold(_ metadata: LogMetadata) -> Bool {
        if metadata.isEmpty { return true }
        // As words it takes no less room than is counted.
        if let words = metadata.plainWords, words * 8 <= metadataBytes, metadata.count <= metadataMembers { return true }
        var left = heldBytes
        return hold(metadata, depth: 0, left: &left)
    }

    /// What metadata may count that stays as it is.
    private var heldBytes: Int { metadataBytes + (metadataDepth + 2) * Self.markBytes }

    /// Elements at most of an array that stays as it is: each counts as a number at least.
    package var maximumElements: Int { heldBytes / Self.scalarBytes }

    /// Whether a message with metadata of plain values is so short that it stays as it is; where the answer is no it may, too.
    @inlinable
    @inline(__always)
    package func surelyHold(_ event: PlainEvent) -> Bool {
        hold(event.message) && event.members.count <= metadataMembers && event.members.maximumBytes <= metadataBytes
    }

    private func hold(_ members: LogMetadata, depth: Int, left: inout Int) -> Bool {
        guard members.count <= metadataMembers else { return false }
        return members.allMembers { key, value in
            left -= key.utf8.count
            return left >= 0 && hold(value, depth: depth, left: &left)
        }
    }

    private func hold(_ value: LogValue, depth: Int, left: inout Int) -> Bool {
        switch value {
        case .string(let text): left -= Self.bytes(of: text)
        case .null, .bool, .integer, .unsigned, .double, .protected: left -= Self.scalarBytes
        case .array(let values):
            left -= Self.scalarBytes
            guard depth < metadataDepth, left >= 0 else { return false }
            for value in values where !hold(value, depth: depth + 1, left: &left) { return false }
        case .object(let members):
            left -= Self.scalarBytes
            guard depth < metadataDepth, left >= 0 else { return false }
            return hold(members, depth: depth + 1, left: &left)
        }
        return left >= 0
    }

    private static let scalarBytes = 8

    /// What a text counts: an array of empty ones is no smaller than one of numbers.
    private static func bytes(of text: String) -> Int { max(text.utf8.count, scalarBytes) }

    func cut(_ metadata: LogMetadata) -> LogMetadata {
        if hold(metadata) { return metadata }
        var left = metadataBytes
        return cut(metadata, depth: 0, left: &left)
    }

    private func cut(_ members: LogMetadata, depth: Int, left: inout Int) -> LogMetadata {
        var kept = LogMetadata()
        // The mark of an earlier cut is no member: what was missing then is missing still.
        let missing = Self.missing(in: members), given = missing == nil ? members.count : members.count - 1
        let total = given + (missing ?? 0)
        // Where not all have room, the mark needs a place of its own.
        let most = members.count > metadataMembers ? metadataMembers - 1 : given
        for (key, value) in members where missing == nil || key != Self.cutMember {
            guard kept.count < most, key.utf8.count < left else { break }
            left -= key.utf8.count
            kept[key] = cut(value, depth: depth, left: &left)
        }
        if kept.count < total {
            kept[Self.cutMember] = .string("\(kept.count) of \(total) members")
        }
        return kept
    }

    private func cut(_ value: LogValue, depth: Int, left: inout Int) -> LogValue {
        switch value {
        case .string(let text):
            defer { left = max(0, left - Self.bytes(of: text)) }
            let stays = text.utf8.count <= left || Self.count(namedBy: text, "levels") != nil
            return stays ? value : .string(Self.cut(text, to: left))
        case .null, .bool, .integer, .unsigned, .double, .protected:
            left = max(0, left - Self.scalarBytes)
            return value
        case .array(let values):
            left = max(0, left - (depth < metadataDepth ? Self.scalarBytes : Self.markBytes))
            guard depth < metadataDepth else { return .string(Self.mark(value.levels, "levels")) }
            var kept: [LogValue] = [], given = values[...], total = values.count
            if case .string(let text) = values.last, let count = Self.count(namedBy: text, "elements"), count >= total {
                (given, total) = (values.dropLast(), count)   // the mark of an earlier cut is no element
            }
            for value in given {
                guard left > 0 else { break }
                kept.append(cut(value, depth: depth + 1, left: &left))
            }
            if kept.count < total { kept.append(.string(Self.mark(total, "elements"))) }
            return .array(kept)
        case .object(let members):
            left = max(0, left - (depth < metadataDepth ? Self.scalarBytes : Self.markBytes))
            guard depth < metadataDepth else { return .string(Self.mark(value.levels, "levels")) }
            return .object(cut(members, depth: depth + 1, left: &left))
        }
    }
}

extension LogEvent {
    /// Whether nothing of the event would be cut.
    package func isWithin(_ limits: LogLimits) -> Bool {
        limits.hold(message) && limits.hold(metadata) && source.isWithin(limits)
            && attachment?.isWithin(limits) ?? true
    }

    /// The event itself when it is within the limits, otherwise a copy in which what is beyond has been cut and marked.
    @inline(__always)
    package func within(_ limits: LogLimits) -> LogEvent { isWithin(limits) ? self : cut(to: limits) }

    @inline(never)
    private func cut(to limits: LogLimits) -> LogEvent {
        LogEvent(
            sequence: sequence, time: time, level: level, message: limits.cut(message), metadata: limits.cut(metadata),
            thread: thread, source: source.cut(limits), transaction: transaction?.cut(limits),
            error: error.map { LogErrorDetails(type: limits.cut($0.type), description: limits.cut($0.description)) },
            nesting: nesting
        ).showingPrivate(showsPrivate)
    }
}

extension LogErrorDetails {
    fileprivate func isWithin(_ limits: LogLimits) -> Bool { limits.hold(type) && limits.hold(description) }
}

extension LogSource {
    fileprivate func isWithin(_ limits: LogLimits) -> Bool {
        literals != nil || (limits.hold(file) && limits.hold(function))
    }

    fileprivate func cut(_ limits: LogLimits) -> LogSource {
        if isWithin(limits) { return self }
        return LogSource(fileNamed: limits.cut(file), functionNamed: limits.cut(function), line: line)
    }
}

extension LogEvent.Attachment {
    // By each of the entry's parts: a copy of the whole takes longer.
    fileprivate func isWithin(_ limits: LogLimits) -> Bool {
        func hold(_ text: String?) -> Bool { text.map(limits.hold) ?? true }
        return error?.isWithin(limits) ?? true
            && (!isEntry || hold(transaction?.transactionID) && hold(transaction?.errorDescription) && hold(transaction?.device.make)
                && hold(transaction?.device.os) && hold(transaction?.device.osVersion))
    }
}

extension TransactionEntry {
    fileprivate func cut(_ limits: LogLimits) -> TransactionEntry {
        TransactionEntry(
            transactionID: limits.cut(transactionID), usecase: usecase, kind: kind, errorCode: errorCode,
            errorDescription: errorDescription.map(limits.cut),
            device: DeviceFacts(
                make: limits.cut(device.make), os: limits.cut(device.os), osVersion: limits.cut(device.osVersion))
        ).said(as: self)
    }
}

extension LogValue {
    /// How many arrays and objects are within each other here, or were before they were cut; found without recursion.
    package var levels: Int {
        var deepest = 0
        var open: [(value: LogValue, level: Int)] = [(self, 1)]
        while let (value, level) = open.popLast() {
            switch value {
            case .array(let values):
                deepest = max(deepest, level)
                for value in values { open.append((value, level + 1)) }
            case .object(let members):
                deepest = max(deepest, level)
                for (_, value) in members { open.append((value, level + 1)) }
            case .string(let text):
                if let cut = LogLimits.count(namedBy: text, "levels") { deepest = max(deepest, level - 1 + cut) }
            default: break
            }
        }
        return deepest
    }
}

extension String {
    /// The beginning of the text in whole characters of Unicode, and the mark.
    fileprivate func cut(to bytes: Int, _ mark: String) -> String {
        var end = utf8.index(utf8.startIndex, offsetBy: bytes)
        while end > utf8.startIndex, utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
        return String(self[..<end]) + mark
    }
}
