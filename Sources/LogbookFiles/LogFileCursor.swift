internal import LogbookCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Walks through a log from its oldest archive to the end of the active file, and on from there when more was written: over
/// rolls, renames and truncations, each line once. Belongs to one thread.
package final class LogFileCursor {
    private typealias Files = RestartingFileSystem<SystemFileSystem>
    private struct Reading {
        let file: OwnedDescriptor<Files>
        let status: FileStatus
        /// The archive that it is, or, as far as can be known, will be once it rolls.
        let number: UInt64
        let archive: ArchiveName?
        var offset = 0
    }

    /// An archive that cannot be read, or only in part.
    private struct Unreadable: Error {
        let number: UInt64
        let failure: FileLogProviderError
    }

    package let path: String
    private let files = Files(SystemFileSystem())
    private let name: LogFileName
    private var folder: OwnedDescriptor<Files>
    private let folderPath: String
    private let compression: ArchiveCompression?
    private var reading: Reading?
    private var manifest: ManifestFile<Files>
    private var waiting: [ArchiveName] = []
    /// Archives up to this number were read.
    private var latest: UInt64 = 0
    /// The beginning of a line whose end has not been read.
    private var carry: [UInt8] = []
    private var isNoFileNamed = false
    private let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)

    package init(
        in path: String, name: String, compression: ArchiveCompression?
    ) throws(FileLogProviderError) {
        self.name = try LogFileName(name)
        self.compression = compression
        manifest = ManifestFile(self.name, files)
        // The system would read the path only up to the first zero.
        guard !path.utf8.contains(0) else { throw .cannotRead(path: path, errno: EINVAL) }
        do {
            folder = OwnedDescriptor(try files.openFolder(at: path), files)
            folderPath = try files.resolvedPath(ofFolder: path)
        } catch { throw .cannotRead(path: path, errno: error.number) }
        self.path = folderPath + "/" + self.name.active
    }

    deinit { piece.deallocate() }

    /// Reads everything that is there and was not read yet.
    /// - Parameters:
    ///   - passingOver: Told why an archive cannot be read, or not to its end, before the next one is, and what is no file in the active
    ///     one's place; throws, as by default, to leave it at that. The same does not come again.
    ///   - body: Gets whole lines with their newlines, some at a time, for the time of the call.
    package func read(
        passingOver: (FileLogProviderError) throws -> Void = { throw $0 }, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        while true {
            do {
                if reading == nil {
                    guard try openNext() else { return try nameWhatIsNoFile(passingOver) }
                }
                try readToEnd(body)
            } catch let unreadable as Unreadable {
                latest = max(latest, unreadable.number)
                reading = nil
                try finish(body)
                try passingOver(unreadable.failure)
                continue
            }
            guard try goesOn(body) else { return }
        }
    }

    /// Something else in the active file's place is named once for as long as it is there.
    private func nameWhatIsNoFile(_ passingOver: (FileLogProviderError) throws -> Void) throws {
        let wasNamed = isNoFileNamed
        isNoFileNamed = try activeStatus().map { $0.kind != .regular } ?? false
        if isNoFileNamed && !wasNamed { try passingOver(.notARegularFile(path: path)) }
    }

    /// A last line without an end, when nothing more is to come.
    package func finish(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        if !carry.isEmpty {
            carry.append(0x0A)
            try carry.withUnsafeBytes(body)
            carry = []
        }
    }

    private func failure(_ error: SystemError, _ name: String) -> FileLogProviderError {
        .cannotRead(path: folderPath + "/" + name, errno: error.number)
    }

    private func archives() throws(FileLogProviderError) -> [ArchiveName] {
        do {
            var names = try files.names(in: folder.descriptor).compactMap { ArchiveName($0, of: name) }
            // One that is compressed meanwhile may have neither name in the listing.
            try? manifest.refresh(in: folder.descriptor)
            let listed = Set(names.map(\.number))
            for (number, entry) in manifest.manifest.entries where !listed.contains(number) {
                for name in [entry.name.plain, entry.name.compressed]
                where (try? files.status(of: name.text, in: folder.descriptor)) != nil { names.append(name) }
            }
            return names.sorted()
        } catch { throw failure(error, ".") }
    }

    /// - Returns: False when there is nothing to read at the moment.
    private func openNext() throws -> Bool {
        if waiting.isEmpty { waiting = try archives().filter { $0.number > latest } }
        while let next = waiting.first {
            waiting.removeFirst()
            guard next.number > latest else { continue }  // its compressed twin
            // It may have been compressed, or deleted, since the folder was listed.
            for candidate in [next.plain, next.compressed] where try open(candidate) { return true }
            latest = next.number
        }
        if try openActive() { return true }
        guard let found = newFolder() else { return false }
        beginAnew(in: found)
        return try openNext()
    }

    /// What is in the folder's place since it was removed or moved away; nil where it is still there, or nothing else is.
    private func newFolder() -> OwnedDescriptor<Files>? {
        guard let opened = try? files.openFolder(at: folderPath) else { return nil }
        let found = OwnedDescriptor(opened, files)
        guard let new = try? files.status(of: opened), let old = try? files.status(of: folder.descriptor), !new.isSameFile(as: old)
        else { return nil }
        return found
    }

    private func beginAnew(in newFolder: OwnedDescriptor<Files>) {
        folder = newFolder
        manifest = ManifestFile(name, files)
        latest = 0
    }

    private func open(_ archive: ArchiveName) throws(Unreadable) -> Bool {
        let opened: (OwnedDescriptor<Files>, FileStatus)?
        do { opened = try openRegular(archive.text) } catch { throw Unreadable(number: archive.number, failure: error) }
        guard let (file, status) = opened else { return false }
        reading = Reading(file: file, status: status, number: archive.number, archive: archive)
        return true
    }

    private func openActive() throws -> Bool {
        while true {
            guard let (file, status) = try openRegular(name.active) else { return false }
            // What was archived while we looked comes first.
            let archives = try archives()
            if archives.contains(where: { $0.number > latest }) {
                waiting = archives
                return try openNext()
            }
            // Archives may have been delivered, or deleted, that only the manifest still counts.
            try? manifest.refresh(in: folder.descriptor)
            guard try activeStatus()?.isSameFile(as: status) == true else { continue }
            let before = max(latest, archives.last?.number ?? 0, manifest.manifest.latestNumber)
            reading = Reading(file: file, status: status, number: before + 1, archive: nil)
            return true
        }
    }

    private func openRegular(_ name: String) throws(FileLogProviderError) -> (OwnedDescriptor<Files>, FileStatus)? {
        do {
            let file = OwnedDescriptor(try files.openForReading(name, in: folder.descriptor), files)
            let status = try files.status(of: file.descriptor)
            return status.kind == .regular ? (file, status) : nil
        } catch {
            if [ENOENT, ELOOP].contains(error.number) { return nil }
            throw failure(error, name)
        }
    }

    /// What has the active name; nil when nothing has.
    private func activeStatus() throws(FileLogProviderError) -> FileStatus? {
        do { return try files.status(of: name.active, in: folder.descriptor) } catch {
            if error.number == ENOENT { return nil }
            throw failure(error, name.active)
        }
    }

    private func readToEnd(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        guard var reading else { return }
        if let archive = reading.archive, archive.isCompressed { return try inflate(archive, reading.file, body) }
        // What is no whole line yet may be another one by now: on a full disk it is taken back.
        reading.offset -= carry.count
        carry = []
        self.reading = reading
        while true {
            let count: Int
            do { count = try files.read(reading.file.descriptor, into: piece, at: reading.offset) } catch {
                guard let archive = reading.archive else { throw failure(error, name.active) }
                throw Unreadable(number: archive.number, failure: failure(error, archive.text))
            }
            if count == 0 { break }
            reading.offset += count
            self.reading = reading
            try take(UnsafeRawBufferPointer(rebasing: piece[..<count]), body)
        }
    }

    private func inflate(
        _ archive: ArchiveName, _ file: OwnedDescriptor<Files>, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let path = folderPath + "/" + archive.text
        guard let compression else { throw Unreadable(number: archive.number, failure: .unknownCompression(path: path)) }
        var refusal: (any Error)?  // of the body, whose error is not the file's
        do {
            try ArchiveBytes(files).forEachPiece(of: file.descriptor, inflating: compression) { bytes in
                do { try take(bytes, body) } catch {
                    refusal = error
                    throw error
                }
            }
        } catch {
            if let refusal { throw refusal }
            let reason: FileLogProviderError =
                if let error = error as? SystemError { failure(error, archive.text) } else { .damaged(path: path, reason: "\(error)") }
            throw Unreadable(number: archive.number, failure: reason)
        }
    }

    private func take(_ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        guard let last = bytes.lastIndex(of: 0x0A) else {
            carry += bytes
            return
        }
        var start = 0
        if !carry.isEmpty {
            let first = bytes.firstIndex(of: 0x0A)!
            carry += bytes[...first]
            try carry.withUnsafeBytes(body)
            carry = []
            start = first + 1
        }
        if start <= last { try body(UnsafeRawBufferPointer(rebasing: bytes[start...last])) }
        carry += bytes[(last + 1)...]
    }

    /// The archive that a file has become which was read as the active one; nil when somebody else has moved it away.
    /// - Parameter rolled: The archives that were not read as such.
    private func archivedNumber(of ended: Reading, among rolled: [ArchiveName]) -> UInt64? {
        for archive in rolled {
            let found = try? files.status(of: archive.text, in: folder.descriptor)
            if let found, found.isSameFile(as: ended.status) { return archive.number }
        }
        // Compressed meanwhile, or deleted, it is the first that was rolled since it was opened.
        guard let first = rolled.first, let status = try? files.status(of: ended.file.descriptor) else { return nil }
        let number = min(first.number, ended.number)
        guard let archive = rolled.first(where: { $0.number == number }) else { return status.links == 0 ? number : nil }
        // Another file may have become that one, where it was removed; and it may have names yet, such as NFS gives what is in use.
        if (try? files.status(of: archive.plain.text, in: folder.descriptor)) != nil { return nil }
        guard let compression, let (file, _) = try? openRegular(archive.compressed.text) else { return status.links == 0 ? number : nil }
        struct IsAnother: Error {}
        var offset = 0
        do {
            try ArchiveBytes(files).forEachPiece(of: file.descriptor, inflating: compression) { inflated in
                if try !holds(inflated, ended.file, at: offset) { throw IsAnother() }
                offset += inflated.count
            }
            return offset == status.bytes ? number : nil
        } catch is IsAnother {
            return nil
        } catch { return number }   // what is damaged there was read before
    }

    private func holds(_ bytes: UnsafeRawBufferPointer, _ file: OwnedDescriptor<Files>, at offset: Int) throws -> Bool {
        let own = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 16)
        defer { own.deallocate() }
        var count = 0
        while count < bytes.count {
            let more = try files.read(
                file.descriptor, into: UnsafeMutableRawBufferPointer(rebasing: own[count..<bytes.count]), at: offset + count)
            if more == 0 { return false }
            count += more
        }
        return own[..<count].elementsEqual(bytes)
    }

    /// At the end of a file: whether another one, or more of this one, is to be read now.
    private func goesOn(_ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
        guard let ended = reading else { return false }
        var number = ended.archive?.number
        // Nothing is added to a compressed archive, nor to one with others behind it.
        if waiting.isEmpty, ended.archive?.isCompressed != true {
            // Before the size: what was written until another file had the name is read before this one is left.
            let holder = try activeStatus()
            let isActive = holder?.isSameFile(as: ended.status) == true
            var hasSuccessor = false
            if !isActive {
                let rolled = try archives().filter { $0.number > latest }
                if number == nil { number = archivedNumber(of: ended, among: rolled) }
                let own = number ?? latest
                hasSuccessor = holder?.kind == .regular || rolled.contains(where: { $0.number > own })
            }
            // A folder that was moved away is written to until the log has begun in another.
            let successor = newFolder().flatMap { found in
                (try? files.status(of: name.active, in: found.descriptor))?.kind == .regular ? found : nil
            }
            guard let status = try? files.status(of: ended.file.descriptor) else { return false }
            if status.bytes > ended.offset { return true }
            let whole = ended.offset - carry.count
            if status.bytes < ended.offset, status.bytes >= whole {   // what was no whole line was taken back, as on a full disk
                reading?.offset = whole
                carry = []
                return true
            }
            // A file that was only renamed, or rolled, is written to until another has the name; one that was deleted is not.
            if isActive || (!hasSuccessor && status.links > 0) {
                guard status.bytes < ended.offset else {
                    guard let successor else { return false }
                    try finish(body)
                    reading = nil
                    beginAnew(in: successor)
                    return true
                }
                reading?.offset = 0  // truncated by somebody else
                carry = []
                return status.bytes > 0
            }
        }
        if let number { latest = number }
        try finish(body)
        reading = nil
        return true
    }
}
