// HOT PATH — memory in which one message after the other is made of its pieces.
internal import CLogbookSystem

/// Text of the latest message, until the next one is made. Used by one thread at a time.
package final class MessageText: @unchecked Sendable {
    /// Room of a new one, and what is kept of it, in bytes.
    private static let keptCapacity = 16 << 10
    private static let knownTexts = 1024

    private struct Storage {
        var bytes: UnsafeMutablePointer<UInt8>
        var capacity: Int
    }
    private let storage: UnsafeMutablePointer<Storage>
    /// Words of literals that hold nothing a format escapes, each in the place that its number gives it: the literals of a
    /// program are looked at once. Then the same for files and functions.
    private let known: UnsafeMutablePointer<UInt64>

    init() {
        storage = .allocate(capacity: 1)
        storage.initialize(to: Storage(bytes: .allocate(capacity: Self.keptCapacity), capacity: Self.keptCapacity))
        known = .allocate(capacity: 3 * Self.knownTexts)
        known.initialize(repeating: 0, count: 3 * Self.knownTexts)
    }

    deinit {
        storage.pointee.bytes.deallocate()
        storage.deallocate()
        known.deallocate()
    }

    /// Makes the text of a message.
    /// - Returns: The text, and whether no format has to escape anything of it.
    func make(_ words: MessageWords) -> (text: UnsafeBufferPointer<UInt8>, isClean: Bool) {
        guard var word = words.words.baseAddress else { return (UnsafeBufferPointer(start: nil, count: 0), true) }
        let end = word + words.words.count
        var start = storage.pointee.bytes, next = start, limit = start + storage.pointee.capacity
        var isClean = true

        while word < end {
            let bits = word.pointee
            word += 1
            let source: UnsafePointer<UInt8>, count: Int
            switch bits & MessageWord.kindMask {
            case MessageWord.Kind.literal.rawValue:
                source = UnsafePointer(bitPattern: UInt(bits >> UInt64(MessageWord.literalAddressShift)))!
                count = MessageWord.literalBytes(bits)
                if _slowPath(known[Self.place(of: bits)] != bits), !isCleanLiteral(bits, source, count) { isClean = false }
            case MessageWord.Kind.small.rawValue:
                if _slowPath(limit - next < 20) { grow(&start, &next, &limit, by: 20) }
                let value = Int64(bitPattern: bits) >> Int64(MessageWord.kindBits)
                next += writeDecimal(value.magnitude, isNegative: value < 0, to: next)
                continue
            case MessageWord.Kind.text.rawValue:
                source = UnsafeRawPointer(word).assumingMemoryBound(to: UInt8.self)
                count = Int(bits >> UInt64(MessageWord.kindBits))
                word += MessageWord.textWords(count)
                if isClean { isClean = Self.isClean(UnsafeBufferPointer(start: source, count: count), 0x22, 0x5C) }
            case MessageWord.Kind.signed.rawValue, MessageWord.Kind.unsigned.rawValue, MessageWord.Kind.double.rawValue:
                let piece = MessageWords(words: UnsafeBufferPointer(start: word - 1, count: 2))
                if limit - next < piece.maximumBytes { grow(&start, &next, &limit, by: piece.maximumBytes) }
                next += piece.write(to: next)
                word += 1
                continue
            default: continue   // a record has no marks but that something is for everybody
            }
            if _slowPath(limit - next < count) { grow(&start, &next, &limit, by: count) }
            copyBytes(count, from: source, to: next)
            next += count
        }
        return (UnsafeBufferPointer(start: start, count: next - start), isClean)
    }

    /// Writes one piece of a message to where it stays.
    /// - Parameters:
    ///   - word: Where the piece begins; then where the next one does.
    ///   - end: Where the message ends.
    ///   - next: Where its text goes.
    ///   - room: Bytes that are to be free behind it, and eight more for each word that comes then.
    ///   - most: How much the memory may hold when more of it is needed: what is beyond that is given up.
    /// - Returns: Where the text ends, in memory that may have moved; nil where a format may have to escape something of it, or it was
    ///   given up.
    @inline(never)
    package func writePiece(
        at word: inout UnsafePointer<UInt64>, of end: UnsafePointer<UInt64>, to next: UnsafeMutablePointer<UInt8>, leaving room: Int,
        upTo most: Int, in memory: LineMemory
    ) -> UnsafeMutablePointer<UInt8>? {
        func makeRoom(for count: Int) -> UnsafeMutablePointer<UInt8>? {
            let count = count + room + (end - word) * 8
            return _fastPath(count <= memory.end - next) ? next : Self.grow(memory, by: count, at: next, upTo: most)
        }
        let bits = word.pointee
        word += 1
        let source: UnsafePointer<UInt8>, count: Int
        switch bits & MessageWord.kindMask {
        case MessageWord.Kind.literal.rawValue:
            source = UnsafePointer(bitPattern: UInt(bits >> UInt64(MessageWord.literalAddressShift))).unsafelyUnwrapped
            count = MessageWord.literalBytes(bits)
            if _slowPath(known[Self.place(of: bits)] != bits), !isCleanLiteral(bits, source, count) { return nil }
        case MessageWord.Kind.text.rawValue:
            source = UnsafeRawPointer(word).assumingMemoryBound(to: UInt8.self)
            count = Int(bits >> UInt64(MessageWord.kindBits))
            word += MessageWord.textWords(count)
            guard Self.isClean(UnsafeBufferPointer(start: source, count: count), 0x22, 0x5C) else { return nil }
        case MessageWord.Kind.small.rawValue:
            guard let next = makeRoom(for: 20) else { return nil }
            let value = Int64(bitPattern: bits) >> Int64(MessageWord.kindBits)
            return next + writeDecimal(value.magnitude, isNegative: value < 0, to: next)
        case MessageWord.Kind.signed.rawValue, MessageWord.Kind.unsigned.rawValue, MessageWord.Kind.double.rawValue:
            let piece = MessageWords(words: UnsafeBufferPointer(start: word - 1, count: 2))
            word += 1
            guard let next = makeRoom(for: piece.maximumBytes) else { return nil }
            return next + piece.write(to: next)
        default: return next   // a record has no marks but that something is for everybody
        }
        guard let next = makeRoom(for: count) else { return nil }
        copyText(count, from: source, to: next)
        return next + count
    }

    /// Makes room behind what was written; the memory may move.
    /// - Returns: Where the next byte goes; nil where there are more than `most` already.
    @inline(never)
    private static func grow(
        _ memory: LineMemory, by count: Int, at next: UnsafeMutablePointer<UInt8>, upTo most: Int
    ) -> UnsafeMutablePointer<UInt8>? {
        memory.finish(at: next)
        guard memory.count <= most else { return nil }
        memory.grow(by: count)
        return memory.next
    }

    @inline(never)
    private func isCleanLiteral(_ word: UInt64, _ source: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        let place = Self.place(of: word)
        if isKnown(word, at: place) { return true }
        guard Self.isClean(UnsafeBufferPointer(start: source, count: count), 0x22, 0x5C) else { return false }
        remember(word, at: place)
        return true
    }

    /// A text that came later may have taken the place; then it is in the one beside it.
    @inline(__always)
    private func isKnown(_ word: UInt64, at place: Int) -> Bool { known[place] == word || known[place ^ 1] == word }

    private func remember(_ word: UInt64, at place: Int) {
        known[place ^ 1] = known[place]
        known[place] = word
    }

    /// Whether no format has to escape anything of a file.
    @inline(__always)
    func isCleanFile(_ text: StaticText, _ word: UInt64) -> Bool {
        let place = Self.knownTexts + Self.place(of: word)
        if _fastPath(isKnown(word, at: place)) { return true }
        guard Self.isClean(text.bytes, 0x22, 0x5C), Self.isClean(text.bytes, 0x20, 0x3A, 0x5D, 0x3D) else { return false }
        remember(word, at: place)
        return true
    }

    @inline(__always)
    func isCleanFunction(_ text: StaticText, _ word: UInt64) -> Bool {
        let place = 2 * Self.knownTexts + Self.place(of: word)
        if _fastPath(isKnown(word, at: place)) { return true }
        guard Self.isClean(text.bytes, 0x22, 0x5C, 0x5D, 0x5D) else { return false }
        remember(word, at: place)
        return true
    }

    @inline(__always)
    private static func place(of word: UInt64) -> Int { Int(truncatingIfNeeded: (word &* 0x9E37_79B9_7F4A_7C15) >> 54) }

    /// Whether the text holds neither these bytes nor what no line may hold.
    private static func isClean(
        _ text: UnsafeBufferPointer<UInt8>, _ first: UInt32, _ second: UInt32, _ third: UInt32 = 0x22, _ fourth: UInt32 = 0x22
    ) -> Bool {
        logbook_find_escape(text.baseAddress, text.count, first | second << 8 | third << 16 | fourth << 24) == text.count
    }

    @inline(never)
    private func grow(
        _ start: inout UnsafeMutablePointer<UInt8>, _ next: inout UnsafeMutablePointer<UInt8>,
        _ limit: inout UnsafeMutablePointer<UInt8>, by count: Int
    ) {
        let used = next - start, capacity = max(storage.pointee.capacity * 2, used + count)
        let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        moved.update(from: start, count: used)
        start.deallocate()
        storage.pointee = Storage(bytes: moved, capacity: capacity)
        start = moved
        next = moved + used
        limit = moved + capacity
    }

    /// Gives back what a long message needed.
    func trim() {
        guard storage.pointee.capacity > Self.keptCapacity else { return }
        storage.pointee.bytes.deallocate()
        storage.pointee = Storage(bytes: .allocate(capacity: Self.keptCapacity), capacity: Self.keptCapacity)
    }
}
