public import LogbookCore
public import LogbookFormat

/// Reads a log back: its archives, oldest first, and then the active file, while it is written to or not.
///
/// ```swift
/// let reader = try LogFileReader(in: "/var/log/checkout", compression: .gzip)
/// try reader.forEachEvent { event in print(event.message) }
/// ```
public struct LogFileReader: Sendable {
    let folder: String
    let name: String
    private let compression: ArchiveCompression?

    /// - Parameters:
    ///   - name: The log's name: `app` for `app.log`.
    ///   - compression: How archives may be compressed; without it a compressed one is an error.
    /// - Throws: ``FileLogProviderError/invalidName(_:)``, ``FileLogProviderError/cannotRead(path:errno:)`` where there is no such folder.
    public init(
        in folder: String, name: String = "app", compression: ArchiveCompression? = nil
    ) throws(FileLogProviderError) {
        _ = try LogFileCursor(in: folder, name: name, compression: compression)
        self.folder = folder
        self.name = name
        self.compression = compression
    }

    /// Each line once, without its newline, in the order of the files. What is written meanwhile may be among them.
    /// - Throws: ``FileLogProviderError``, which names the file, with ``FileLogProviderError/damaged(path:reason:)`` for a compressed
    ///   archive that cannot be inflated to its end and ``FileLogProviderError/notARegularFile(path:)``, behind the archives, for what
    ///   stands in the active file's place, or what `body` throws.
    public func forEachLine(_ body: ([UInt8]) throws -> Void) throws {
        let cursor = try LogFileCursor(in: folder, name: name, compression: compression)
        func take(_ lines: UnsafeRawBufferPointer) throws {
            for line in lines.dropLast().split(separator: 0x0A, omittingEmptySubsequences: false) { try body(Array(line)) }
        }
        try cursor.read(take)
        try cursor.finish(take)
    }

    /// Each event once, in the order of the files.
    ///
    /// - Parameters:
    ///   - lines: How lines are read.
    ///   - unreadable: Gets lines that are none: a line torn by a kill, or something that another program wrote.
    public func forEachEvent(
        reading lines: LogLineReader = LogLineReader(), unreadable: ([UInt8]) throws -> Void = { _ in },
        _ body: (LogEvent) throws -> Void
    ) throws {
        try forEachLine { line in
            if let event = try? lines.event(from: line) { try body(event) } else { try unreadable(line) }
        }
    }
}
