// HOT PATH — the caller copies keys and values as they are: nothing is allocated, nothing has to be freed by another thread.

/// Metadata of plain values as it lies in a record: for each member a word that says what comes, the bytes of the key, and those of
/// the value, each filled up to whole words.
@usableFromInline
package struct MemberWords {
    @usableFromInline let words: UnsafeBufferPointer<UInt64>
    /// Members.
    @usableFromInline package let count: Int

    /// What the first word of a member says, in its lowest four bits: what the value is. Behind that come the bytes of the key and of
    /// a text, in 24 bits each; no record is as long.
    @usableFromInline
    enum Kind: UInt64 { case null, no, yes, integer, unsigned, double, text }
    @usableFromInline static var kindBits: UInt64 { @inlinable @inline(__always) get { 4 } }
    @usableFromInline static var lengthBits: UInt64 { @inlinable @inline(__always) get { 24 } }

    init(_ words: UnsafeBufferPointer<UInt64>, count: Int) {
        self.words = words
        self.count = count
    }

    /// At least what ``LogLimits/metadataBytes`` counts.
    @inlinable
    @inline(__always)
    package var maximumBytes: Int { words.count * 8 }

    // MARK: The caller's side

    /// The words that one member takes; nil where the value holds others or is protected.
    @inline(__always)
    static func size(_ key: String, _ value: LogValue) -> Int? {
        let words = 1 + MessageWord.textWords(key.utf8.count)
        switch value {
        case .null, .bool: return words
        case .integer, .unsigned, .double: return words + 1
        case .string(let text): return words + MessageWord.textWords(text.utf8.count)
        case .array, .object, .protected: return nil
        }
    }

    /// The words that metadata takes.
    /// - Returns: Nil when a record cannot say all of it, or it has to be cut first.
    @inline(__always)
    static func size(of metadata: LogMetadata) -> Int? {
        metadata.count > LogLimits.highest.metadataMembers ? nil : metadata.plainWords
    }

    /// - Parameters:
    ///   - metadata: Has a ``size(of:)``.
    ///   - target: Room for so many words.
    /// - Returns: Behind the last of them.
    @discardableResult
    static func write(_ metadata: LogMetadata, to target: UnsafeMutablePointer<UInt64>) -> UnsafeMutablePointer<UInt64> {
        var next = target
        // As a pointer: access to a variable of several closures would be checked while the program runs.
        withUnsafeMutablePointer(to: &next) { next in
            metadata.forEachMember { key, value in
                let head = next.pointee
                next.pointee += 1
                let keyCount = put(key, at: &next.pointee)
                var kind = Kind.null, textCount = 0, bits: UInt64?
                switch value {
                case .bool(let flag): kind = flag ? .yes : .no
                case .integer(let number): (kind, bits) = (.integer, UInt64(bitPattern: number))
                case .unsigned(let number): (kind, bits) = (.unsigned, number)
                case .double(let number): (kind, bits) = (.double, number.bitPattern)
                case .string(let text): (kind, textCount) = (.text, put(text, at: &next.pointee))
                case .null, .array, .object, .protected: break
                }
                if let bits {
                    next.pointee.pointee = bits
                    next.pointee += 1
                }
                head.pointee =
                    kind.rawValue | UInt64(truncatingIfNeeded: keyCount) << kindBits
                    | UInt64(truncatingIfNeeded: textCount) << (kindBits + lengthBits)
            }
        }
        return next
    }

    /// - Returns: Its bytes.
    @inline(__always)
    private static func put(_ text: String, at next: inout UnsafeMutablePointer<UInt64>) -> Int {
        let target = UnsafeMutableRawPointer(next).assumingMemoryBound(to: UInt8.self)
        let count = text.lendingUTF8 { bytes in
            if let start = bytes.baseAddress { copyBytes(bytes.count, from: start, to: target) }
            return bytes.count
        }
        next += MessageWord.textWords(count)
        return count
    }

    // MARK: The reader's side

    /// Whether the answer is true for every member; asks in their order until it is not.
    @inlinable
    @inline(__always)
    package func allMembers(_ isFine: (_ key: UnsafeBufferPointer<UInt8>, _ value: WritableValue) -> Bool) -> Bool {
        guard var next = words.baseAddress else { return true }
        @inline(__always)
        func take(_ count: UInt64) -> UnsafeBufferPointer<UInt8> {
            let count = Int(count & (1 << Self.lengthBits - 1))
            defer { next += (count + 7) / 8 }
            return UnsafeBufferPointer(start: UnsafeRawPointer(next).assumingMemoryBound(to: UInt8.self), count: count)
        }
        @inline(__always)
        func takeWord() -> UInt64 {
            defer { next += 1 }
            return next.pointee
        }
        for _ in 0..<count {
            let head = takeWord()
            let key = take(head >> Self.kindBits)
            let value: WritableValue =
                switch Kind(rawValue: head & (1 << Self.kindBits - 1))! {
                case .null: .null
                case .no: .bool(false)
                case .yes: .bool(true)
                case .integer: .integer(Int64(bitPattern: takeWord()))
                case .unsigned: .unsigned(takeWord())
                case .double: .double(Double(bitPattern: takeWord()))
                case .text: .text(take(head >> (Self.kindBits + Self.lengthBits)))
                }
            if !isFine(key, value) { return false }
        }
        return true
    }

    /// The same as a value of its own.
    package var metadata: LogMetadata {
        if count == 0 { return LogMetadata() }
        var members: [(String, LogValue)] = []
        members.reserveCapacity(count)
        _ = allMembers { key, value in
            members.append((String(decoding: key, as: UTF8.self), value.value))
            return true
        }
        return LogMetadata(distinct: members)
    }
}
