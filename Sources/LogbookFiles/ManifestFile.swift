internal import LogbookCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The manifest as it stands in its file, followed from one look to the next.
struct ManifestFile<Files: FileSystem>: Sendable {
    private(set) var manifest = ArchiveManifest()
    private let name: LogFileName
    private let files: Files
    /// Which file was read, and how far. It stays open, so that no other file can be taken for it.
    private var read: (file: OwnedDescriptor<Files>, status: FileStatus, end: Int)?
    private var endsMidLine = false
    /// The file of which the disk has not confirmed a line: what it confirms later is not to be believed.
    private var distrusted: FileStatus?
    /// Whether the file, which has been read, has to be written anew before it is safe.
    var isDistrusted: Bool { distrusted != nil && read != nil }

    /// Fewer superfluous lines than this are left alone.
    private static var maximumIdleLines: Int { 64 }
    /// How many lines meant something when that was counted last.
    var usefulLines = 0

    /// Whether it has grown so much that it is worth finding out what of it still means something, or has to be written anew anyway.
    var isDueForCompaction: Bool { isDistrusted || manifest.lines > 2 * usefulLines + Self.maximumIdleLines }

    init(_ name: LogFileName, _ files: Files) {
        self.name = name
        self.files = files
    }

    /// Reads what was added since the last look; all of it when it is another file.
    mutating func refresh(in folder: FileDescriptor) throws(SystemError) {
        let status: FileStatus
        do { status = try files.status(of: name.manifest, in: folder) } catch where error.number == ENOENT {
            manifest = ArchiveManifest()
            read = nil
            endsMidLine = false
            distrusted = nil
            return
        }
        if let read, read.status.isSameFile(as: status), status.bytes == read.end { return }
        let file = OwnedDescriptor(try files.openForReading(name.manifest, in: folder), files)
        try readNew(of: file)
    }

    private mutating func readNew(of file: OwnedDescriptor<Files>) throws(SystemError) {
        let status = try files.status(of: file.descriptor)
        if read.map({ !$0.status.isSameFile(as: status) || status.bytes < $0.end }) ?? true {
            manifest = ArchiveManifest()
            read = (file, status, 0)
        }
        if let distrusted, !distrusted.isSameFile(as: status) { self.distrusted = nil }
        guard var end = read?.end else { return }
        let bytes = try bytes(of: file, from: end)
        // A line that is not whole yet is read again with its rest.
        let whole = Self.wholeLines(of: bytes)
        for line in String(decoding: bytes[..<whole], as: UTF8.self).split(separator: "\n") {
            manifest.read(line, of: name)
        }
        endsMidLine = whole < bytes.count
        end += whole
        read = (file, status, end)
    }

    /// Adds lines, and makes them safe where a crash of the machine must not undo them. The caller has refreshed, and
    /// holds the log's lock unless another line in between would do no harm.
    mutating func append(_ text: String, in folder: FileDescriptor, isSafe: Bool) throws(SystemError) {
        let file = OwnedDescriptor(
            try files.openForAppending(name.manifest, in: folder, permissions: 0o600), files)
        var text = text
        if manifest.log == nil { text = ArchiveManifest.header(log: UniqueID.make()) + text }
        // Ended as it is, what is there of `delivered 12` may say `delivered 1`. With two words too many no line says anything.
        if endsMidLine { text = " is torn\n" + text }
        // Asked before anything is written: where that fails there is no line that nobody has confirmed.
        let status = isSafe ? try files.status(of: file.descriptor) : nil
        try write(text, to: file)
        if isSafe {
            do throws(SystemError) { try files.synchronize(file.descriptor) } catch {
                distrusted = status
                throw error
            }
        }
        try readNew(of: file)
    }

    private func write(_ text: String, to file: OwnedDescriptor<Files>) throws(SystemError) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = try rest.withUnsafeBufferPointer { bytes throws(SystemError) in
                try files.append(UnsafeRawBufferPointer(bytes), to: file.descriptor)
            }
            guard count > 0 else { throw SystemError(ENOSPC, in: "write") }
            rest = rest.dropFirst(count)
        }
    }

    /// Writes the manifest anew, without what speaks of files that are gone. The caller holds the log's lock.
    mutating func compact(keeping numbers: Set<UInt64>, in folder: FileDescriptor) throws(SystemError) {
        do { try files.remove(name.newManifest, in: folder) } catch where error.number == ENOENT {}
        let file = OwnedDescriptor(try files.openNew(name.newManifest, in: folder, permissions: 0o600), files)
        try write(manifest.text(keeping: numbers), to: file)
        try files.synchronize(file.descriptor)
        try files.replace(name.manifest, with: name.newManifest, in: folder)
        let late = try addedLate()
        read = nil
        try readNew(of: file)
        if !late.isEmpty { try append(late, in: folder, isSafe: true) }
    }

    /// Whole lines that somebody without the log's lock has added since the last look, and has seen there.
    private func addedLate() throws(SystemError) -> String {
        guard let read else { return "" }
        let bytes = try bytes(of: read.file, from: read.end)
        return String(decoding: bytes[..<Self.wholeLines(of: bytes)], as: UTF8.self)
    }

    private static func wholeLines(of bytes: [UInt8]) -> Int { bytes.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0 }

    private func bytes(of file: OwnedDescriptor<Files>, from start: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = try piece.withUnsafeMutableBufferPointer { buffer throws(SystemError) in
                try files.read(file.descriptor, into: UnsafeMutableRawBufferPointer(buffer), at: start + bytes.count)
            }
            if count == 0 { return bytes }
            bytes += piece[..<count]
        }
    }
}
