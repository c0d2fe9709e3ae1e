internal import LogbookCore
internal import LogbookGzip

/// One event in a spool's file: a checksum, whether it is a transaction's, and its JSON line.
///
/// ```
/// 1a2b3c4d e {"time":"2026-11-21T09:29:20.123456789Z","level":"info","message":"cart opened","sequence":42,…}
/// 5e6f7a8b t {"time":"2026-11-21T09:29:20.223456789Z","level":"info","message":"TXN7-…","sequence":43,…}
/// ```
/// The checksum is that of everything behind it, without the newline. A line breaks nowhere but at its end, so what a kill or a
/// bad disk has damaged is one line, or the end of the file.
enum SpoolLine {
    private static let headBytes = 11
    private static let digits = Array("0123456789abcdef".utf8)

    static func append(_ event: KeyedEvent, to bytes: inout [UInt8]) {
        let start = bytes.count
        bytes += "00000000 ".utf8
        bytes += (event.event.isEntry ? "t " : "e ").utf8
        JSONLines.append(event, to: &bytes)
        let sum = checksum(bytes[(start + 9)..<(bytes.count - 1)])
        for place in 0..<8 { bytes[start + place] = digits[Int(sum >> UInt32(28 - 4 * place) & 15)] }
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.withUnsafeBytes { Checksum.of($0) } }

    struct Content {
        var isTransaction: Bool
        /// With its newline.
        var json: ArraySlice<UInt8>
    }

    /// The lines of a file that are whole, and how many others there are. What follows the last newline was never finished, and
    /// is neither.
    static func read(_ file: [UInt8]) -> (lines: [Content], damaged: Int) {
        var lines: [Content] = [], damaged = 0, start = 0
        file.withUnsafeBytes { bytes in
            while let end = bytes.newline(from: start) {
                let line = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
                if line.count > headBytes, sum(line) == Checksum.of(UnsafeRawBufferPointer(rebasing: line[9...])) {
                    lines.append(Content(isTransaction: line[9] == UInt8(ascii: "t"), json: file[(start + headBytes)...end]))
                } else {
                    damaged += 1
                }
                start = end + 1
            }
        }
        return (lines, damaged)
    }

    /// How many lines of a file were finished, whole or damaged.
    static func count(_ file: [UInt8]) -> Int { file.reduce(0) { $0 + ($1 == 0x0A ? 1 : 0) } }

    /// No event takes less: its checksum, its time, and the names of what is always there.
    private static let fewestBytes = 100

    /// As many events as may be in a file of this size.
    static func most(in bytes: Int) -> Int { bytes / fewestBytes + 1 }

    /// What the first eight bytes say; nil when they are no number.
    private static func sum(_ line: UnsafeRawBufferPointer) -> UInt32? {
        var sum: UInt32 = 0
        for byte in line.prefix(8) {
            let letter = byte | 0x20
            if byte &- 0x30 < 10 { sum = sum << 4 | UInt32(byte &- 0x30) }
            else if letter &- 0x61 < 6 { sum = sum << 4 | UInt32(letter &- 0x61 + 10) }
            else { return nil }
        }
        return sum
    }

    /// A whole line as it stands in a file.
    static func bytes(_ content: Content) -> [UInt8] {
        var bytes = Array("00000000 ".utf8)
        bytes += (content.isTransaction ? "t " : "e ").utf8
        bytes += content.json
        let sum = checksum(bytes[9..<(bytes.count - 1)])
        for place in 0..<8 { bytes[place] = digits[Int(sum >> UInt32(28 - 4 * place) & 15)] }
        return bytes
    }
}
