package import LogbookCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A log's archives as those see them who deliver them: what waits, who has it in hand, and what has arrived.
///
/// Whoever delivers an archive holds a lock on the file, which ends with the process: nobody else delivers, compresses or deletes
/// it meanwhile. That it has arrived is written down before it is deleted, so it is not sent again when it cannot be. On a full disk,
/// which takes no note, deleting it is what makes room.
package final class ArchiveShelf<Base: FileSystem>: Sendable {
    private typealias Files = RestartingFileSystem<Base>

    private let name: LogFileName
    private let folderPath: String
    private let files: Files
    private let manifest: Locked<ManifestFile<RestartingFileSystem<Base>>>

    /// The manifest may be written anew by somebody at the very moment a line is added, and then lacks it.
    private static var noteTries: Int { 5 }

    /// - Parameter folder: Made, with its parents and for this user alone, where it is missing: whoever delivers may be there first.
    package init(of name: String, in folder: String, files base: Base) throws(FileLogProviderError) {
        self.name = try LogFileName(name)
        files = Files(base)
        manifest = Locked(ManifestFile(self.name, files))
        folderPath = try LogFolder(folder, files).path
    }

    /// The log's active file.
    package var path: String { folderPath + "/" + name.active }

    /// Names of files that look like archives and that the manifest does not list: it may have been lost, or left behind by a copy. They are
    /// left alone, since they may be somebody else's.
    /// - Throws: As ``waiting()``.
    package func unlisted() throws(FileLogProviderError) -> [String] {
        let folder = try reading(folderPath) { () throws(SystemError) in try openFolder() }
        let names = try reading(folderPath) { () throws(SystemError) in try files.names(in: folder.descriptor) }
        // Read behind the names: an archive is listed before it has its name.
        let manifest = try reading(folderPath + "/" + name.manifest) { () throws(SystemError) in try manifestNow(in: folder) }
        return names.filter { text in
            guard let name = ArchiveName(text, of: name), manifest.entries[name.number]?.name != name.plain else { return false }
            return (try? files.status(of: text, in: folder.descriptor))?.kind == .regular
        }.sorted()
    }

    /// Archives that nobody has received yet, oldest first. Deletes what has arrived and could not be deleted then.
    /// - Throws: ``FileLogProviderError/cannotRead(path:errno:)``, which names the manifest or the folder.
    package func waiting() throws(FileLogProviderError) -> (archives: [LogArchive], undeletable: [LogArchive]) {
        let folder = try reading(folderPath) { () throws(SystemError) in try openFolder() }
        let manifest = try reading(folderPath + "/" + name.manifest) { () throws(SystemError) in try manifestNow(in: folder) }
        var names = try reading(folderPath) { () throws(SystemError) in
            try files.names(in: folder.descriptor).compactMap { ArchiveName($0, of: name) }.sorted()
        }
        // One that is compressed meanwhile may have neither name in the listing, or be gone under the one that is there: looked up by name.
        let listed = Set(names.map(\.number))
        for (number, entry) in manifest.entries where !manifest.delivered.contains(number) {
            if !listed.contains(number) { names.append(entry.name) }
            names.append(entry.name.compressed)
        }
        var archives: [LogArchive] = []
        var undeletable: [LogArchive] = []
        var seen: Set<UInt64> = []
        for name in names {
            guard !seen.contains(name.number), let entry = manifest.entries[name.number], entry.name == name.plain,
                let status = try? files.status(of: name.text, in: folder.descriptor), status.kind == .regular
            else { continue }
            let archive = LogArchive(
                id: manifest.id(of: name.number), number: name.number, path: folderPath + "/" + name.text,
                bytes: status.bytes, ended: entry.ended, isCompressed: name.isCompressed,
                isSetAside: manifest.setAside.contains(name.number))
            if manifest.delivered.contains(name.number) {
                do { try files.remove(name.text, in: folder.descriptor) } catch { undeletable.append(archive) }
            } else {
                seen.insert(name.number)
                archives.append(archive)
            }
        }
        archives.sort { $0.number < $1.number }
        return (archives, undeletable)
    }

    /// Says what could not be read.
    private func reading<Result>(
        _ path: String, _ body: () throws(SystemError) -> Result
    ) throws(FileLogProviderError) -> Result {
        do { return try body() } catch { throw .cannotRead(path: path, errno: error.number) }
    }

    private func manifestNow(in folder: OwnedDescriptor<Files>) throws(SystemError) -> ArchiveManifest {
        try manifest.withLock { manifest throws(SystemError) in
            try manifest.refresh(in: folder.descriptor)
            return manifest.manifest
        }
    }

    private func openFolder() throws(SystemError) -> OwnedDescriptor<RestartingFileSystem<Base>> {
        OwnedDescriptor(try files.openFolder(at: folderPath), files)
    }

    /// Takes an archive in hand, which may have been compressed since it was found.
    /// - Returns: Nil when it is in other hands, may still be written to, is gone, or was received or set aside since it was found.
    /// - Throws: ``FileLogProviderError/cannotRead(path:errno:)``, which names the manifest or the folder; what is wrong with the archive
    ///   alone as ``SystemError``.
    package func claim(_ found: LogArchive) throws -> ArchiveClaim? {
        let folder = try reading(folderPath) { () throws(SystemError) in try openFolder() }
        guard let (archive, file) = try opened(found, in: folder) else { return nil }
        let status = try files.status(of: file.descriptor)
        guard status.kind == .regular, try files.tryLock(file.descriptor) else { return nil }
        do {
            if try files.status(of: archive.fileName, in: folder.descriptor).isSameFile(as: status) {
                // Looked at again under the lock: somebody may have received it or set it aside, and a late writer have added a line.
                let manifest = try reading(folderPath + "/" + name.manifest) { () throws(SystemError) in try manifestNow(in: folder) }
                if manifest.awaits(archive) {
                    let expected = manifest.entries[archive.number]?.bytes ?? 0
                    return ArchiveClaim(
                        archive, bytes: try files.status(of: file.descriptor).bytes,
                        isTruncated: !archive.isCompressed && status.bytes < expected, file, files)
                }
            }
        } catch let error as SystemError where error.number == ENOENT {} catch {
            files.unlock(file.descriptor)
            throw error
        }
        files.unlock(file.descriptor)
        return nil
    }

    /// Whether an archive that could not be claimed is in other hands, or may still be written to. False for one that nobody has to come
    /// back for: it is gone, or was received or set aside since it was found.
    package func isInOtherHands(_ archive: LogArchive) throws -> Bool {
        let folder = try reading(folderPath) { () throws(SystemError) in try openFolder() }
        let manifest = try reading(folderPath + "/" + name.manifest) { () throws(SystemError) in try manifestNow(in: folder) }
        return try manifest.awaits(archive) && opened(archive, in: folder) != nil
    }

    /// Opens an archive as it was found, or as it is called once it is compressed.
    private func opened(
        _ archive: LogArchive, in folder: OwnedDescriptor<Files>
    ) throws(SystemError) -> (archive: LogArchive, file: OwnedDescriptor<Files>)? {
        for archive in archive.isCompressed ? [archive] : [archive, archive.compressed] {
            do throws(SystemError) {
                return (archive, OwnedDescriptor(try files.openForLocking(archive.fileName, in: folder.descriptor), files))
            } catch {
                if ![ENOENT, ELOOP].contains(error.number) { throw error }
            }
        }
        return nil
    }

    /// Writes down that the receiver has the archive, and deletes it.
    /// - Returns: False when it could not be deleted; ``waiting()`` tries again.
    /// - Throws: When it could be neither written down nor deleted; the archive still counts as not delivered.
    package func settle(_ claim: ArchiveClaim) throws -> Bool {
        let folder = try openFolder()
        let number = claim.archive.number
        let manifest = try manifestNow(in: folder)
        guard manifest.isStillOfThisLog(claim) else { return true }
        let entry = manifest.entries[number]
        var failure: SystemError?
        do { try note(ArchiveManifest.delivered(number), in: folder) { $0.delivered.contains(number) } } catch { failure = error }
        guard let entry else {
            if let failure { throw failure }
            return true
        }
        var isGone = true
        for name in [entry.name, entry.name.compressed] {
            do { try files.remove(name.text, in: folder.descriptor) } catch { if error.number != ENOENT { isGone = false } }
        }
        if !isGone, let failure { throw failure }
        return isGone
    }

    /// Writes down that the receiver will never take the archive as it is.
    package func setAside(_ claim: ArchiveClaim) throws {
        let folder = try openFolder()
        let number = claim.archive.number
        guard try manifestNow(in: folder).isStillOfThisLog(claim) else { return }
        try note(ArchiveManifest.setAside(number), in: folder) { $0.setAside.contains(number) }
    }

    /// Writes down that what was set aside is to be sent again.
    package func forgive() throws {
        let folder = try openFolder()
        for number in try manifestNow(in: folder).setAside.sorted() {
            try note(ArchiveManifest.forgiven(number), in: folder) { !$0.setAside.contains(number) }
        }
    }

    /// Adds a line to the manifest until it is there.
    @discardableResult
    private func note(
        _ line: String, in folder: OwnedDescriptor<Files>, until isThere: (ArchiveManifest) -> Bool
    ) throws(SystemError) -> ArchiveManifest {
        // Without the log's lock, which would keep a file from rolling when it is full: a line is one write at the end.
        try manifest.withLock { manifest throws(SystemError) in
            try manifest.refresh(in: folder.descriptor)
            // One that is there may be of a try that the disk has not confirmed. It is not written anew: that takes the log's lock.
            var isMissing = manifest.isDistrusted || !isThere(manifest.manifest)
            for _ in 0..<Self.noteTries where isMissing {
                try manifest.append(line, in: folder.descriptor, isSafe: true)
                try manifest.refresh(in: folder.descriptor)
                isMissing = !isThere(manifest.manifest)
            }
            return manifest.manifest
        }
    }
}

extension ArchiveManifest {
    /// False for an archive that is gone with its folder: the log there has begun anew, and counts from 1 again.
    fileprivate func isStillOfThisLog(_ claim: ArchiveClaim) -> Bool { isStillOfThisLog(claim.archive) }
    private func isStillOfThisLog(_ archive: LogArchive) -> Bool { id(of: archive.number) == archive.id }

    /// Whether nobody has received an archive, or set it aside, since it was found.
    fileprivate func awaits(_ archive: LogArchive) -> Bool {
        isStillOfThisLog(archive) && !delivered.contains(archive.number) && (archive.isSetAside || !setAside.contains(archive.number))
    }
}

extension LogArchive {
    fileprivate var fileName: String { path.split(separator: "/").last.map(String.init) ?? "" }

    /// The same once it is compressed.
    fileprivate var compressed: LogArchive {
        LogArchive(
            id: id, number: number, path: path + ArchiveName.compressedSuffix, bytes: bytes, ended: ended, isCompressed: true,
            isSetAside: isSetAside)
    }
}
