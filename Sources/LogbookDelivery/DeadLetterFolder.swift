package import LogbookCore
internal import LogbookHTTP

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A folder for what a receiver will never take: each parcel as it was sent, and beside it a file that says why in words.
///
/// ```
/// 0000000001-586AB00B-F16E-4AE6-8A91-0210264925C7.body          (.body.gz where it was compressed)
/// 0000000001-586AB00B-F16E-4AE6-8A91-0210264925C7.reason.txt
/// ```
/// The folder is bounded: the oldest letters go when there is no room for a new one. It belongs to one courier of one process.
/// Files whose names do not look like these are left alone.
public final class DeadLetterFolder: Sendable {
    private struct Letter {
        let number: UInt64
        var names: [String] = []
        var bytes = 0
    }
    private struct State {
        /// The oldest first.
        var letters: [Letter] = []
        var latest: UInt64 = 0
    }

    public let path: String
    private let maximumBytes: Int
    private let maximumLetters: Int
    private let files: any FileSystem
    private let folder: FileDescriptor
    private let state = Locked(State())

    /// - Parameters:
    ///   - path: Made, for this user alone, when it is not there; the folder around it must be.
    ///   - maximumBytes: Of all letters together; one that is larger alone is not kept.
    ///   - maximumLetters: At least 1.
    public convenience init(
        at path: String, maximumBytes: Int = 64 << 20, maximumLetters: Int = 1000
    ) throws(DeadLetterError) {
        try self.init(at: path, maximumBytes: maximumBytes, maximumLetters: maximumLetters, files: SystemFileSystem())
    }

    package init(
        at path: String, maximumBytes: Int, maximumLetters: Int, files base: some FileSystem
    ) throws(DeadLetterError) {
        requireValid(maximumBytes > 0, "DeadLetterFolder: maximumBytes must be positive")
        requireValid(maximumLetters > 0, "DeadLetterFolder: maximumLetters must be positive")
        self.path = path
        self.maximumBytes = maximumBytes
        self.maximumLetters = maximumLetters
        let files = RestartingFileSystem(base)
        self.files = files
        try? files.makeFolder(at: path)
        do throws(SystemError) {
            folder = try files.openFolder(at: path)
        } catch {
            throw .cannotOpen(folder: path, reason: error.description)
        }
        do throws(SystemError) {
            try readFolder()
        } catch {
            throw .cannotOpen(folder: path, reason: error.description)   // deinit closes the folder
        }
    }

    deinit { files.close(folder) }

    private func readFolder() throws(SystemError) {
        var letters: [UInt64: Letter] = [:]
        for name in try files.names(in: folder) {
            guard let number = Self.number(of: name), let status = try? files.status(of: name, in: folder),
                status.kind == .regular
            else { continue }
            letters[number, default: Letter(number: number)].names.append(name)
            letters[number, default: Letter(number: number)].bytes += status.bytes
        }
        let found = letters.values.sorted { $0.number < $1.number }
        state.withLock { state in
            state.letters = found
            state.latest = found.last?.number ?? 0
        }
    }

    /// How many letters are there.
    public var count: Int { state.withLock { $0.letters.count } }

    /// The number in `0000000001-<id>.body`, `….body.gz` or `….reason.txt`; nil for any other name.
    static func number(of name: String) -> UInt64? {
        let bytes = Array(name.utf8)
        guard bytes.count > 11, bytes[10] == UInt8(ascii: "-"), bytes[..<10].allSatisfy({ (0x30...0x39).contains($0) }),
            [".body", ".body.gz", ".reason.txt"].contains(where: { name.hasSuffix($0) })
        else { return nil }
        return UInt64(name.prefix(10))
    }

    /// Keeps a parcel and the reason for which it was refused.
    func keep(_ parcel: Parcel, because reason: String, now: LogTime) throws(SystemError) {
        let size = Self.size(of: parcel)
        let text = Array(Self.explanation(of: parcel, reason, now: now, isKept: size <= maximumBytes).utf8)
        let number = makeRoom(for: (size <= maximumBytes ? size : 0) + text.count)
        let stem = String(repeating: "0", count: max(0, 10 - "\(number)".utf8.count)) + "\(number)-" + Self.safe(parcel.id)
        var letter = Letter(number: number)
        if size <= maximumBytes {
            let name = stem + (parcel.contentEncoding == "gzip" ? ".body.gz" : ".body")
            letter.names.append(name)
            letter.bytes += size
            do throws(SystemError) {
                try write(name) { (append) throws(SystemError) in try Self.copy(parcel, append) }
            } catch {
                try? files.remove(name, in: folder)
                throw error
            }
        }
        letter.names.append(stem + ".reason.txt")
        letter.bytes += text.count
        let kept = letter
        state.withLock { $0.letters.append(kept) }
        try write(stem + ".reason.txt") { (append) throws(SystemError) in try append(text[...]) }
    }

    /// Removes the oldest letters until there is room.
    /// - Returns: The next letter's number.
    private func makeRoom(for bytes: Int) -> UInt64 {
        let (number, old) = state.withLock { state in
            var old: [Letter] = []
            var total = state.letters.reduce(bytes) { $0 + $1.bytes }
            while !state.letters.isEmpty, state.letters.count >= maximumLetters || total > maximumBytes {
                let letter = state.letters.removeFirst()
                total -= letter.bytes
                old.append(letter)
            }
            state.latest += 1
            return (state.latest, old)
        }
        for letter in old { for name in letter.names { try? files.remove(name, in: folder) } }
        return number
    }

    private typealias Append = (ArraySlice<UInt8>) throws(SystemError) -> Void

    private func write(_ name: String, _ body: (Append) throws(SystemError) -> Void) throws(SystemError) {
        let file = try files.openNew(name, in: folder, permissions: 0o600)
        defer { files.close(file) }
        try body { (bytes) throws(SystemError) in try files.appendAll(bytes, to: file) }
    }

    private static func copy(_ parcel: Parcel, _ append: Append) throws(SystemError) {
        guard let stream = parcel.stream else { return try append(parcel.body[...]) }
        var rest = stream.bytes ?? .max
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        let reader: any HTTPBodyReader
        do { reader = try stream.open() } catch { throw (error as? SystemError) ?? SystemError(EIO, in: "open") }
        while rest > 0 {
            let read: Int
            do { read = try piece.withUnsafeMutableBytes { try reader.read(into: $0) } } catch {
                throw (error as? SystemError) ?? SystemError(EIO, in: "read")
            }
            if read <= 0 { break }
            try append(piece[..<min(read, rest)])
            rest -= min(read, rest)
        }
        // Half a letter would be taken for all of it.
        if stream.bytes != nil, rest > 0 { throw SystemError(EIO, in: "read") }
    }

    /// A body whose length nobody has said is read once more to learn it.
    private static func size(of parcel: Parcel) -> Int {
        guard let stream = parcel.stream else { return parcel.body.count }
        if let bytes = stream.bytes { return bytes }
        guard let reader = try? stream.open() else { return 0 }
        var size = 0
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while let read = try? piece.withUnsafeMutableBytes({ try reader.read(into: $0) }), read > 0 { size += read }
        return size
    }

    private static func explanation(of parcel: Parcel, _ reason: String, now: LogTime, isKept: Bool) -> String {
        let line = String(reason.map { $0.isNewline ? " " : $0 })
        let body = isKept ? "" : "body: not kept, it is larger than this folder may be\n"
        return """
            reason: \(line)
            parcel: \(parcel.id)
            entries: \(parcel.count)
            content type: \(parcel.contentType)
            sealed: \(moment(parcel.sealed))
            refused: \(moment(now))
            \(body)
            """
    }

    /// `2026-11-21 10:29:20 UTC`
    private static func moment(_ time: LogTime) -> String {
        var seconds = time_t(time.wholeSeconds), parts = tm()
        guard gmtime_r(&seconds, &parts) != nil else { return "\(time.wholeSeconds) s" }
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let date = "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
        return date + " \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) UTC"
    }

    /// An id as part of a file's name: other than letters, digits, `.`, `_` and `-` nothing passes, and no more than 64 bytes.
    private static func safe(_ id: String) -> String {
        String(
            decoding: id.utf8.prefix(64).map { byte -> UInt8 in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): byte
                default: UInt8(ascii: "_")
                }
            }, as: UTF8.self)
    }
}

extension FileSystem {
    /// Appends everything, in as many writes as it takes.
    package func appendAll(_ bytes: ArraySlice<UInt8>, to file: FileDescriptor) throws(SystemError) {
        var rest = bytes
        while !rest.isEmpty {
            let written = try Self.unwrapping(rest.withUnsafeBytes { buffer in
                Result { () throws(SystemError) in try append(buffer, to: file) }
            })
            guard written > 0 else { throw SystemError(ENOSPC, in: "write") }   // a device that takes nothing more
            rest = rest.dropFirst(written)
        }
    }

    private static func unwrapping(_ result: Result<Int, SystemError>) throws(SystemError) -> Int { try result.get() }
}
