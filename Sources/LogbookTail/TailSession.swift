internal import LogbookCompression
internal import LogbookConsole
internal import LogbookCore
public import LogbookFiles
internal import LogbookFormat

/// Shows the end of a log, and follows it across rolls. Belongs to one thread.
///
/// ```swift
/// let session = try TailSession(in: "/var/log/checkout", lines: 10, isColoured: true) { bytes in write(bytes) }
/// try session.showWhatIsThere()
/// while !isStopped { try session.showWhatIsNew(); pause() }
/// ```
public final class TailSession {
    private let cursor: LogFileCursor
    private let filter: TailFilter
    private let text: [UInt8]
    private let isColoured: Bool
    private let maximumLines: Int?
    private let show: ([UInt8]) -> Void
    private let passingOver: (FileLogProviderError) throws -> Void
    private let reader = LogLineReader()

    private var latest: RingOfLines
    private var output: [UInt8] = []
    /// The level of the latest event, for lines that continue it; nil while there was none.
    private var level: LogLevel?

    /// Bytes that are shown in one call at most, unless a line is longer.
    private static let outputBytes = 64 << 10

    /// - Parameters:
    ///   - name: The log's name: `app` for `app.log`.
    ///   - lines: How many of the lines that are there are shown, the last of those that pass the filter; nil for all.
    ///   - isColoured: Lines get the colours of their levels, as on a console.
    ///   - show: Gets whole lines.
    ///   - passingOver: Told why a rolled file cannot be read, or not to its end, before the next one is, and once what is no file in the
    ///     active one's place; throws, as by default, to leave it at that.
    /// - Throws: ``FileLogProviderError`` when there is no such folder.
    public init(
        in folder: String, name: String = "app", filter: TailFilter = TailFilter(), lines: Int? = 10,
        isColoured: Bool = false, show: @escaping ([UInt8]) -> Void,
        passingOver: @escaping (FileLogProviderError) throws -> Void = { throw $0 }
    ) throws {
        cursor = try LogFileCursor(in: folder, name: name, compression: .gzip)
        self.filter = filter
        text = Array(filter.text.utf8)
        self.isColoured = isColoured
        maximumLines = lines
        self.show = show
        self.passingOver = passingOver
        latest = RingOfLines(lines ?? 0)
    }

    /// Reads to the end and shows the last lines.
    /// - Parameter isFollowed: Whether ``showWhatIsNew()`` will show the rest of a last line that has no end yet. Otherwise that is a line
    ///   like the others.
    public func showWhatIsThere(isFollowed: Bool = true) throws {
        let keep = { lines in self.take(lines, keeping: self.maximumLines != nil) }
        try cursor.read(passingOver: passingOver, keep)
        if !isFollowed { try cursor.finish(keep) }
        for line in latest.takeAll() { append(line.bytes, of: line.level) }
        flush()
    }

    /// Shows what was written since.
    public func showWhatIsNew() throws {
        try cursor.read(passingOver: passingOver) { lines in take(lines, keeping: false) }
        flush()
    }

    private func take(_ lines: UnsafeRawBufferPointer, keeping: Bool) {
        let needsLevel = filter.level != nil || isColoured
        // A level can come from the line before, which then must be looked at whatever it holds.
        filter.forEachLine(holding: needsLevel ? [] : text, in: lines) { line in
            if needsLevel {
                level = (try? reader.event(from: Array(line)).level) ?? level
                if let lowest = filter.level, let level, level < lowest { return }
                guard text.isEmpty || holdsText(line) else { return }
            }
            if keeping { latest.append(line, level) } else { append(line, of: level) }
        }
    }

    private func holdsText(_ line: UnsafeRawBufferPointer) -> Bool {
        var isFound = false
        filter.forEachLine(holding: text, in: line) { _ in isFound = true }
        return isFound
    }

    private func append(_ line: some Collection<UInt8>, of level: LogLevel?) {
        if isColoured, let level, level != .info {
            output.append(ConsoleColour.start(level))
            output += line.dropLast()
            output.append(ConsoleColour.end)
            output.append(0x0A)
        } else {
            output += line
        }
        if output.count >= Self.outputBytes { flush() }
    }

    private func flush() {
        if output.isEmpty { return }
        show(output)
        output.removeAll(keepingCapacity: true)
    }
}
