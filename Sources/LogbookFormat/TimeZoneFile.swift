internal import LogbookCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The files that a system keeps the rules of its time zones in.
///
/// - Note: Source: RFC 8536, "The Time Zone Information Format (TZif)".
enum TimeZoneFile {
    /// Where they are looked for.
    static var folders: [String] {
        if let folder = getenv("TZDIR"), folder.pointee != 0 { return [String(cString: folder)] }
        return ["/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/usr/share/lib/zoneinfo", "/etc/zoneinfo", "/var/db/timezone/zoneinfo"]
    }

    static func rules(of name: String, in folders: [String]) throws(LogTimeZoneError) -> TimeZoneRules {
        guard isName(name) else { throw .invalidName(name) }
        for folder in folders {
            let path = "\(folder)/\(name)"
            let bytes: [UInt8]
            do throws(SystemError) { bytes = try contents(of: path) } catch {
                if error.number == ENOENT || error.number == ENOTDIR { continue }
                throw .cannotRead(name: name, path: path, errno: error.number)
            }
            do throws(Damage) { return try rules(in: bytes) } catch {
                throw .damaged(name: name, path: path, reason: error.rawValue)
            }
        }
        throw .unknown(name: name, folders: folders)
    }

    /// Only what zones are called: without dots, so that no name leads out of the folder.
    private static func isName(_ name: String) -> Bool {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z"), digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return name.utf8.count <= 255
            && parts.allSatisfy { part in
                !part.isEmpty && part.allSatisfy { letters.contains($0 | 0x20) || digits.contains($0) || "_+-".utf8.contains($0) }
            }
    }

    /// Far beyond the largest there is.
    private static let maximumBytes = 1 << 20

    private static func contents(of path: String) throws(SystemError) -> [UInt8] {
        // Zones are symbolic links on some systems, which a `FileSystem` does not follow.
        var file: Int32
        repeat { file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) } while file < 0 && errno == EINTR
        guard file >= 0 else { throw SystemError(errno, in: "open") }
        defer { close(file) }
        var found = stat()
        guard fstat(file, &found) == 0 else { throw SystemError(errno, in: "fstat") }
        guard found.st_mode & S_IFMT == S_IFREG else {
            throw SystemError(found.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL, in: "open")
        }
        guard found.st_size <= maximumBytes else { throw SystemError(EFBIG, in: "read") }
        var bytes = [UInt8](repeating: 0, count: Int(found.st_size))
        var filled = 0
        while filled < bytes.count {
            let count = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress! + filled, $0.count - filled) }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw SystemError(errno, in: "read") }
            if count == 0 { break }
            filled += count
        }
        bytes.removeLast(bytes.count - filled)
        return bytes
    }

    /// What is wrong with a file.
    enum Damage: String, Error {
        case noTimeZone = "it is no time zone file"
        case old = "it is of version 1, whose times end in 2038"
        case short = "it ends too early"
        case counts = "its counts contradict each other"
        case order = "its times are out of order"
        case type = "it names a kind of time that it does not hold"
        case offset = "an offset lies beyond a day"
        case footer = "its last line is no rule"
        case leapSeconds = "it counts leap seconds, which the system's clock does not"
    }

    static func rules(in bytes: [UInt8]) throws(Damage) -> TimeZoneRules {
        var reader = Reader(bytes: bytes[...])
        // The first block is for readers of version 1.
        let old = try reader.header()
        guard old.version >= UInt8(ascii: "2") else { throw .old }
        _ = try reader.take(old.bytes(ofTime: 4))
        let header = try reader.header()
        guard header.leapSeconds == 0 else { throw .leapSeconds }
        guard header.types > 0, [0, header.types].contains(header.standardMarks), [0, header.types].contains(header.utcMarks)
        else { throw .counts }

        var block = Reader(bytes: try reader.take(header.bytes(ofTime: 8)))
        var changes: [Int64] = []
        for _ in 0..<header.times { changes.append(Int64(bitPattern: try block.number(8))) }
        guard zip(changes, changes.dropFirst()).allSatisfy({ $0 < $1 }) else { throw .order }
        let kinds = try block.take(header.times)
        var types: [Int32] = []
        for _ in 0..<header.types {
            let offset = Int32(truncatingIfNeeded: Int64(try block.number(4)))
            guard abs(Int64(offset)) < 26 * 3600 else { throw .offset }
            types.append(offset)
            _ = try block.take(2)
        }
        guard kinds.allSatisfy({ Int($0) < types.count }) else { throw .type }

        guard try reader.take(1).first == 0x0A, let end = reader.bytes.firstIndex(of: 0x0A) else { throw .footer }
        let footer = reader.bytes[..<end]
        let recurring = footer.isEmpty ? nil : RecurringOffsets(footer)
        guard footer.isEmpty || recurring != nil else { throw .footer }
        return TimeZoneRules(
            changes: changes, offsets: kinds.map { types[Int($0)] }, firstOffset: types[0], recurring: recurring)
    }

    private struct Header {
        let version: UInt8
        let utcMarks, standardMarks, leapSeconds, times, types, letters: Int

        /// Of what follows.
        func bytes(ofTime: Int) -> Int {
            times * (ofTime + 1) + types * 6 + letters + leapSeconds * (ofTime + 4) + standardMarks + utcMarks
        }
    }

    private struct Reader {
        var bytes: ArraySlice<UInt8>

        mutating func take(_ count: Int) throws(Damage) -> ArraySlice<UInt8> {
            guard count <= bytes.count else { throw .short }
            defer { bytes = bytes.dropFirst(count) }
            return bytes.prefix(count)
        }

        /// The most significant byte comes first.
        mutating func number(_ count: Int) throws(Damage) -> UInt64 {
            try take(count).reduce(0) { $0 << 8 | UInt64($1) }
        }

        mutating func header() throws(Damage) -> Header {
            guard bytes.starts(with: "TZif".utf8) else { throw .noTimeZone }
            let start = try take(20)
            var counts: [Int] = []
            // Below 2^32 each, so that no sum of them overflows.
            for _ in 0..<6 { counts.append(Int(try number(4))) }
            return Header(
                version: start[start.startIndex + 4], utcMarks: counts[0], standardMarks: counts[1], leapSeconds: counts[2],
                times: counts[3], types: counts[4], letters: counts[5])
        }
    }
}
