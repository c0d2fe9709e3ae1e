internal import CLogbookSystem
package import LogbookCore

// HOT PATH — appends one line to a byte buffer: pieces are collected on the stack and copied in one go, text that needs no
// escape is copied in runs, and nothing is allocated beside the buffer.

/// Writes pieces of a line at the end of a byte array.
package struct LineWriter {
    private var start: UnsafeMutablePointer<UInt8>
    private var end: UnsafeMutablePointer<UInt8>
    private var next: UnsafeMutablePointer<UInt8>
    /// Where the line goes: an array, through the stack, or memory in which it is written at once.
    private var output: [UInt8] = []
    private let memory: LineMemory?

    /// As much as the standard library gives on the stack.
    private static var stackBytes: Int { 1024 }

    private init(_ space: UnsafeMutableBufferPointer<UInt8>) {
        start = space.baseAddress!
        end = start + space.count
        next = start
        memory = nil
    }

    private init(_ memory: LineMemory) {
        start = memory.next
        end = memory.end
        next = start
        self.memory = memory
    }

    @inline(__always)
    package static func append(to memory: LineMemory, _ body: (inout LineWriter) -> Void) {
        var writer = LineWriter(memory)
        body(&writer)
        memory.finish(at: writer.next)
    }

    @inline(__always)
    package static func append(to bytes: inout [UInt8], _ body: (inout LineWriter) -> Void) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: stackBytes) { space in
            var writer = LineWriter(space)
            swap(&writer.output, &bytes)   // so that the array stays the only owner of its bytes
            body(&writer)
            writer.empty()
            swap(&writer.output, &bytes)
        }
    }

    /// Makes room for at least so many bytes, or for as many as the stack holds.
    @inline(never)
    private mutating func empty(for count: Int = 0) {
        if let memory {
            memory.finish(at: next)
            memory.grow(by: max(count, Self.stackBytes))
            next = memory.next
            end = memory.end
            return
        }
        output.append(contentsOf: UnsafeBufferPointer(start: start, count: next - start))
        next = start
    }

    // MARK: Bytes

    /// Makes room for a few bytes, far fewer than the stack holds.
    @inline(__always)
    private mutating func reserve(_ count: Int) {
        if end - next < count { empty() }
    }

    @inline(__always)
    package mutating func byte(_ byte: UInt8) {
        reserve(1)
        next.pointee = byte
        next += 1
    }

    @inline(__always)
    package mutating func literal(_ text: StaticString) {
        bytes(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Exactly so many bytes, which is known where this is compiled.
    @inline(__always)
    mutating func bytes(_ source: UnsafePointer<UInt8>, count: Int) {
        reserve(count)
        next.update(from: source, count: count)
        next += count
    }

    @inline(__always)
    package mutating func bytes(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let source = bytes.baseAddress else { return }
        if _fastPath(bytes.count <= end - next) {
            copyBytes(bytes.count, from: source, to: next)
            next += bytes.count
        } else {
            self.bytesBeyondTheStack(bytes)
        }
    }

    @inline(never)
    private mutating func bytesBeyondTheStack(_ bytes: UnsafeBufferPointer<UInt8>) {
        empty(for: bytes.count)
        if memory == nil { return output.append(contentsOf: bytes) }
        next.update(from: bytes.baseAddress!, count: bytes.count)
        next += bytes.count
    }

    /// Text that needs no escape, such as the name of a level.
    @inline(__always)
    package mutating func plain(_ text: String) {
        withUTF8(of: text) { writer, bytes in writer.bytes(bytes) }
    }

    @inline(__always)
    mutating func withUTF8(of text: String, _ body: (inout LineWriter, UnsafeBufferPointer<UInt8>) -> Void) {
        if let () = text.utf8.withContiguousStorageIfAvailable({ body(&self, $0) }) { return }
        copyingUTF8(of: text, body)
    }

    /// For text that comes from elsewhere, such as a bridged `NSString`. Apart from the other, so that the usual case counts
    /// no reference to the text.
    @inline(never)
    private mutating func copyingUTF8(
        of text: String, _ body: (inout LineWriter, UnsafeBufferPointer<UInt8>) -> Void
    ) {
        Array(text.utf8).withUnsafeBufferPointer { body(&self, $0) }
    }

    // MARK: Numbers

    @inline(__always)
    package mutating func twoDigits(_ value: Int) {
        reserve(2)
        put(value, at: 0)
        next += 2
    }

    @inline(__always)
    private func put(_ twoDigits: Int, at offset: Int) {
        let pair = LineWriter.pair(UInt64(truncatingIfNeeded: twoDigits))
        next[offset] = pair[0]
        next[offset + 1] = pair[1]
    }

    @inline(__always)
    private static func pair(_ value: UInt64) -> UnsafePointer<UInt8> { digitPairs.utf8Start + Int(value &* 2) }

    @inline(__always)
    package mutating func fourDigits(_ value: Int) {
        twoDigits(value / 100)
        twoDigits(value % 100)
    }

    /// - Parameters:
    ///   - nanosecond: `0..<1_000_000_000`.
    ///   - digits: `1...9`; cut, never rounded up.
    @inline(__always)
    package mutating func fraction(_ nanosecond: Int, digits: Int) {
        reserve(9)
        var rest = UInt64(truncatingIfNeeded: nanosecond)
        next[8] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
        var place = 6
        while place >= 0 {
            let pair = LineWriter.pair(rest % 100)
            next[place] = pair[0]
            next[place + 1] = pair[1]
            rest /= 100
            place -= 2
        }
        next += digits
    }

    package mutating func decimal(_ value: UInt64) {
        reserve(20)
        next += writeDecimal(value, isNegative: false, to: next)
    }

    package mutating func decimal(_ value: Int64) {
        if value < 0 { byte(0x2D) }
        decimal(value.magnitude)
    }

    private mutating func hex(_ value: UInt32, width: Int) {
        for shift in stride(from: (width - 1) * 4, through: 0, by: -4) {
            byte(hexDigits.utf8Start[Int(value >> UInt32(shift) & 15)])
        }
    }

    // MARK: Text

    /// Text within a line: a backslash becomes `\\`, control characters `\n`, `\r`, `\t` or `\u{1b}`.
    package mutating func escapedLine(_ text: String) {
        withUTF8(of: text) { writer, bytes in writer.escapedLine(bytes) }
    }

    /// - Parameter isClean: Whether it is known that there is nothing to escape.
    @inline(__always)
    mutating func escapedLine(
        _ bytes: UnsafeBufferPointer<UInt8>, _ set: EscapedBytes = .line, isClean: Bool
    ) {
        if isClean { self.bytes(bytes) } else { escapedLine(bytes, set) }
    }

    @inline(__always)
    mutating func jsonString(_ bytes: UnsafeBufferPointer<UInt8>, isClean: Bool) {
        guard isClean else { return jsonString(bytes) }
        byte(0x22)
        self.bytes(bytes)
        byte(0x22)
    }

    package mutating func escapedLine(_ bytes: UnsafeBufferPointer<UInt8>) {
        escape(bytes, .line) { writer, scalar in writer.lineEscape(scalar) }
    }

    /// The same, where the text must not begin with that byte.
    mutating func escapedLine(_ bytes: UnsafeBufferPointer<UInt8>, escapingFirst byte: UInt8) {
        guard bytes.first == byte else { return escapedLine(bytes) }
        lineEscape(UInt32(byte))
        escapedLine(UnsafeBufferPointer(rebasing: bytes[1...]))
    }

    /// The same, where up to three more bytes are written `\u{20}` because they end the text.
    mutating func escapedLine(_ bytes: UnsafeBufferPointer<UInt8>, _ set: EscapedBytes) {
        escape(bytes, set) { writer, scalar in writer.lineEscape(scalar) }
    }

    /// A JSON string with its quotes.
    package mutating func jsonString(_ text: String) {
        withUTF8(of: text) { writer, bytes in writer.jsonString(bytes) }
    }

    package mutating func jsonString(_ bytes: UnsafeBufferPointer<UInt8>) {
        // Nearly every text needs no escape: it is copied while it is looked at.
        if let start = bytes.baseAddress, bytes.count + 2 <= end - next, logbook_copy_json(start, bytes.count, next + 1) {
            next.pointee = 0x22
            next[bytes.count + 1] = 0x22
            next += bytes.count + 2
        } else {
            jsonStringWithEscapes(bytes)
        }
    }

    @inline(never)
    private mutating func jsonStringWithEscapes(_ bytes: UnsafeBufferPointer<UInt8>) {
        byte(0x22)
        jsonText(bytes)
        byte(0x22)
    }

    /// What stands between the quotes of a JSON string.
    mutating func jsonText(_ bytes: UnsafeBufferPointer<UInt8>) {
        escape(bytes, .json) { writer, scalar in writer.jsonEscape(scalar) }
    }

    @inline(__always)
    private mutating func escape(
        _ bytes: UnsafeBufferPointer<UInt8>, _ set: EscapedBytes, with write: (inout LineWriter, UInt32) -> Void
    ) {
        var start = 0
        while let character = set.next(in: bytes, from: start) {
            self.bytes(UnsafeBufferPointer(rebasing: bytes[start..<character.position]))
            write(&self, character.scalar)
            start = character.position + character.length
        }
        self.bytes(UnsafeBufferPointer(rebasing: bytes[start...]))
    }

    @inline(never)
    mutating func lineEscape(_ scalar: UInt32) {
        switch scalar {
        case 0x5C: literal(#"\\"#)
        case 0x0A: literal(#"\n"#)
        case 0x0D: literal(#"\r"#)
        case 0x09: literal(#"\t"#)
        default:
            literal(#"\u{"#)
            hex(scalar, width: scalar > 0xFF ? 4 : 2)
            byte(0x7D)
        }
    }

    @inline(never)
    private mutating func jsonEscape(_ scalar: UInt32) {
        switch scalar {
        case 0x22: literal(#"\""#)
        case 0x5C: literal(#"\\"#)
        case 0x0A: literal(#"\n"#)
        case 0x0D: literal(#"\r"#)
        case 0x09: literal(#"\t"#)
        default:
            literal(#"\u"#)
            hex(scalar, width: 4)
        }
    }

    // MARK: JSON

    /// Values deeper than this are marked instead of written: a guard for values that never went through ``LogLimits``.
    private static var deepest: Int { LogLimits.highest.metadataDepth }

    package mutating func json(_ value: LogValue, depth: Int = 0) {
        switch value {
        case .null: literal("null")
        case .bool(let flag): literal(flag ? "true" : "false")
        case .integer(let number): decimal(number)
        case .unsigned(let number): decimal(number)
        case .double(let number): json(number)
        case .string(let text): jsonString(text)
        case .array(let values):
            guard depth < Self.deepest else { return jsonString(LogLimits.mark(value.levels, "levels")) }
            byte(0x5B)
            var isFirst = true
            for value in values {
                if !isFirst { byte(0x2C) }
                isFirst = false
                json(value, depth: depth + 1)
            }
            byte(0x5D)
        case .object(let members):
            guard depth < Self.deepest else { return jsonString(LogLimits.mark(value.levels, "levels")) }
            json(members, depth: depth + 1)
        case .protected: literal(#""<private>""#)   // no event that a service made holds one
        }
    }

    mutating func json(_ value: WritableValue) {
        switch value {
        case .null: literal("null")
        case .bool(let flag): literal(flag ? "true" : "false")
        case .integer(let number): decimal(number)
        case .unsigned(let number): decimal(number)
        case .double(let number): json(number)
        case .text(let bytes): jsonString(bytes)
        case .nested(let value): json(value)
        }
    }

    /// The event's metadata as an object.
    mutating func jsonMetadata(_ event: some WritableEvent) {
        var separator: UInt8 = 0x7B
        event.forEachMember { key, value in
            byte(separator)
            separator = 0x2C
            jsonString(key)
            byte(0x3A)
            json(value)
        }
        byte(0x7D)
    }

    package mutating func json(_ members: LogMetadata, depth: Int = 0) {
        byte(0x7B)
        var isFirst = true
        members.forEachMember { key, value in
            if !isFirst { byte(0x2C) }
            isFirst = false
            jsonString(key)
            byte(0x3A)
            json(value, depth: depth)
        }
        byte(0x7D)
    }

    mutating func json(_ number: Double) {
        if number.isFinite { plain(number.description) }
        else { literal(number.isNaN ? #""NaN""# : number < 0 ? #""-Infinity""# : #""Infinity""#) }
    }
}

private let hexDigits: StaticString = "0123456789abcdef"
private let digitPairs: StaticString = """
    00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354\
    555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899
    """
