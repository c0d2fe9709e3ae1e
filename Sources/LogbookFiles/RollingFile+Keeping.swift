internal import LogbookCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

extension RollingFile {
    /// At the start, after a change of the limits, and when time has made something old: removes what a run that was killed left
    /// half done, and what the limits do not allow to stay.
    mutating func tidyUp() {
        do throws(SystemError) {
            guard let lock = try lockedForRolling() else { return postponeDeletion() }
            defer { files.unlock(lock.descriptor) }
            try manifest.refresh(in: folder.descriptor)
            try finishCompressions()
            keepWithinLimits()
        } catch {
            postponeDeletion()
            notes.append("archives of \(path) cannot be listed: \(error)")
        }
    }

    /// How long an archive that could not be deleted is left alone.
    private static var deletionPause: Duration { .seconds(60) }

    /// What keeps an archive from going, a lock or a disk, may last: its time has come already, and it would be tried again at once
    /// and for ever. Where nobody has seen the archives yet, it may have come for one of them.
    private mutating func postponeDeletion() {
        guard nextDeletion != nil || policy.deletes else { return }
        let again = steady.now(clock).adding(Self.deletionPause)
        nextDeletion = max(nextDeletion ?? again, again)
        hasNewDue = true
    }

    /// So many archives that were given up are open at the same time, to be counted later. What is more is counted at once.
    private static var mostGivenUp: Int { 32 }

    /// Deletes what the limits do not allow to stay. The caller holds the log's lock and has refreshed the manifest.
    /// - Parameters:
    ///   - names: The archives in the folder, where somebody has looked just now.
    ///   - freesRoomNow: What is deleted is closed, too, before this returns.
    mutating func keepWithinLimits(among names: [ArchiveName]? = nil, freesRoomNow: Bool = false) {
        // Listing a folder of thousands of archives for nothing takes its time.
        guard policy.deletes || manifest.isDueForCompaction else {
            nextDeletion = nil   // of limits that were in force before: past for good, it would be looked at again at once and for ever
            return
        }
        do throws(SystemError) {
            var gone: Set<UInt64> = []
            let listed = if let names { names } else { try archiveNames() }
            var kept = keptArchives(among: listed)
            // What was delivered since must not have another archive given up.
            if names != nil, policy.awaitsDelivery, !policy.superfluous(kept, now: steady.now(clock)).isEmpty {
                kept = try keptArchives(among: archiveNames())
            }
            let archives = kept.filter { archive in
                guard manifest.manifest.delivered.contains(archive.number) else { return true }
                // The receiver has it, and whoever noted that could not delete it, or was killed before.
                if (try? delete(archive, nil, freesRoomNow)) == true { gone.insert(archive.number) }
                return false
            }
            let superfluous = policy.superfluous(archives, now: steady.now(clock))
            for (archive, reason) in superfluous {
                do {
                    if try delete(archive, reason, freesRoomNow) { gone.insert(archive.number) }
                } catch where error.isAboutOneFile {
                    notes.append("\(folder.path)/\(archive.names[0].text) cannot be deleted: \(error)")
                }
            }
            let left = archives.filter { !gone.contains($0.number) }
            nextDeletion = policy.nextDeletion(of: left)
            if gone.count < superfluous.count { postponeDeletion() }
            let leftNames = Set(left.flatMap { $0.names.map(\.text) })
            archiveBytes = archiveBytes.filter { leftNames.contains($0.key) }
            let numbers = Set(left.map(\.number))
            firstSeen = firstSeen.filter { numbers.contains($0.key) }
            writtenLast = writtenLast.filter { numbers.contains($0.key) }
            tellWhatIsBeyondLimits(left)
            manifest.usefulLines = left.count
            if manifest.isDueForCompaction { try manifest.compact(keeping: numbersToKeep(left, gone), in: folder.descriptor) }
        } catch {
            postponeDeletion()
            notes.append("archives of \(path) cannot be kept within their limits: \(error)")
        }
    }

    /// Those of the archives that the manifest lists which may be there: a listing of many can miss one that is compressed meanwhile.
    private func numbersToKeep(_ listed: [KeptArchive], _ gone: Set<UInt64>) -> Set<UInt64> {
        var numbers = Set(listed.map(\.number))
        for (number, entry) in manifest.manifest.entries where !numbers.contains(number) && !gone.contains(number) {
            let isThere = [entry.name, entry.name.compressed].contains { name in
                do throws(SystemError) {
                    _ = try files.status(of: name.text, in: folder.descriptor)
                    return true
                } catch {
                    return error.number != ENOENT
                }
            }
            if isThere { numbers.insert(number) }
        }
        return numbers
    }

    /// Those of the archives that the manifest lists, oldest first.
    private mutating func keptArchives(among names: [ArchiveName]) -> [KeptArchive] {
        let entries = manifest.manifest.entries
        let now = steady.now(clock), uptime = clock.monotonicNanoseconds()
        forgetAnotherLog()
        var found: [UInt64: KeptArchive] = [:]
        for name in names.sorted() where entries[name.number]?.name == name.plain {
            let ended = entries[name.number]!.ended
            let seen = firstSeen[name.number] ?? now
            firstSeen[name.number] = seen
            // What this run has written is as old as the time that has passed since: the wall clock may have been wrong then.
            let written = writtenLast[name.number].map { now.adding(.nanoseconds(-Int64(clamping: uptime - $0))) }
            var archive = found[name.number]
                ?? KeptArchive(number: name.number, names: [], bytes: 0, ended: ended, agesFrom: written ?? min(ended, seen))
            archive.names.append(name)
            if needsSizes { archive.bytes = bytes(of: name) }
            found[name.number] = archive
        }
        return found.values.sorted { $0.number < $1.number }
    }

    /// What is known of archives' ages by their numbers is of one log.
    mutating func forgetAnotherLog() {
        guard seenLog != manifest.manifest.log else { return }
        seenLog = manifest.manifest.log
        firstSeen = [:]
        writtenLast = [:]
    }

    private var needsSizes: Bool { policy.maximumTotalBytes > 0 || policy.awaitsDelivery }

    private mutating func bytes(of name: ArchiveName) -> Int {
        if let known = archiveBytes[name.text] { return known }
        guard let found = try? files.status(of: name.text, in: folder.descriptor).bytes else { return 0 }
        archiveBytes[name.text] = found
        return found
    }

    private mutating func tellWhatIsBeyondLimits(_ archives: [KeptArchive]) {
        let bytes = archives.reduce(0) { $0 + $1.bytes }
        let isBeyond =
            policy.awaitsDelivery
            && (policy.maximumArchives > 0 && archives.count > policy.maximumArchives
                || policy.maximumTotalBytes > 0 && bytes > policy.maximumTotalBytes)
        if isBeyond && !isBeyondLimits {
            events.append(.keptBeyondLimits(archives: archives.count, bytes: bytes))
        }
        isBeyondLimits = isBeyond
    }

    /// - Parameter reason: Nil for one that has arrived, of which nothing is said.
    /// - Returns: False when it is being delivered or compressed, is no plain file, or cannot be deleted.
    private mutating func delete(
        _ archive: KeptArchive, _ reason: ArchiveDeletionReason?, _ freesRoomNow: Bool
    ) throws(SystemError) -> Bool {
        var held: [(name: ArchiveName, file: OwnedDescriptor<Files>, bytes: Int)] = []
        defer { for (_, file, _) in held { files.unlock(file.descriptor) } }
        // By both names: it may have been compressed since it was found.
        for name in [archive.names[0].plain, archive.names[0].compressed] {
            let file: OwnedDescriptor<Files>
            do {
                file = OwnedDescriptor(try files.openForLocking(name.text, in: folder.descriptor), files)
            } catch where error.number == ENOENT { continue } catch where error.number == ELOOP { return false }
            let status = try files.status(of: file.descriptor)
            guard status.kind == .regular, try files.tryLock(file.descriptor) else { return false }
            held.append((name, file, status.bytes))
        }
        guard let (name, file, bytes) = held.first else { return true }
        for (name, _, _) in held {
            do { try files.remove(name.text, in: folder.descriptor) } catch where error.number == ENOENT {} catch {
                notes.append("\(folder.path)/\(name.text) cannot be deleted: \(error)")
                return false
            }
        }
        guard let reason else { return true }
        let gone = LogArchive(
            id: manifest.manifest.id(of: archive.number), number: archive.number, path: folder.path + "/" + name.text,
            bytes: bytes, ended: archive.ended, isCompressed: name.isCompressed)
        guard policy.awaitsDelivery else {
            events.append(.deleted(gone, because: reason))
            return true
        }
        let lost = GivenUpArchive(archive: gone, file: file, files: files, compression: policy.compression, header: header)
        let isCounted = freesRoomNow || givenUp.count >= Self.mostGivenUp
        events.append(.droppedUndelivered(gone, events: isCounted ? lost.countEvents() : nil))
        if !isCounted { givenUp.append(lost) }
        return true
    }

    /// A compression that was killed leaves a part, or both files.
    private mutating func finishCompressions() throws(SystemError) {
        let names = try files.names(in: folder.descriptor)
        let parts = names.compactMap { text -> ArchiveName? in
            guard text.hasPrefix("."), text.hasSuffix(".part") else { return nil }
            let name = ArchiveName(String(text.dropFirst().dropLast(".part".count)), of: name)
            return name?.isCompressed == true ? name?.plain : nil
        }
        let compressed = Set(names.compactMap { ArchiveName($0, of: name) }.filter(\.isCompressed).map(\.plain))
        let both = names.compactMap { ArchiveName($0, of: name) }.filter { !$0.isCompressed && compressed.contains($0) }
        for name in Set(parts + both) where manifest.manifest.entries[name.number]?.name == name {
            do {
                try finishCompression(of: name, hasPart: parts.contains(name), hasTwin: both.contains(name))
            } catch where error.isAboutOneFile {
                notes.append("the compression of \(folder.path)/\(name.text) cannot be finished: \(error)")
            }
        }
    }

    private mutating func finishCompression(of name: ArchiveName, hasPart: Bool, hasTwin: Bool) throws(SystemError) {
        var source: OwnedDescriptor<Files>?
        do {
            source = OwnedDescriptor(try files.openForLocking(name.text, in: folder.descriptor), files)
        } catch where error.number == ENOENT {}
        // Another process may be at it right now.
        if let source, try !files.tryLock(source.descriptor) { return }
        defer { if let source { files.unlock(source.descriptor) } }
        do {
            if hasPart { try files.remove(name.part, in: folder.descriptor) }
            // Where archives are compressed, the compressor inflates the twin to its end, and needs no lock of the log for that.
            guard hasTwin, policy.compression == nil, !besideAPart.contains(name), let source else { return }
            if try isWhole(name.compressed, of: source) {
                try files.synchronizeFolder(folder.descriptor)
                try files.remove(name.text, in: folder.descriptor)
            } else {
                besideAPart.insert(name)
                notes.append("\(folder.path)/\(name.compressed.text) is not all of \(name.text), and both stay: remove one of them")
            }
        } catch where error.number == ENOENT {}
    }

    /// Whether a compressed file of this user ends with the length of this content, as gzip's do: without a codec it cannot be inflated. A
    /// `gzip` by hand that was killed leaves a part under the full name, which ends in the middle of something. One that is whole is made
    /// safe, which nobody may have done before.
    private func isWhole(_ compressed: ArchiveName, of source: OwnedDescriptor<Files>) throws(SystemError) -> Bool {
        let file = OwnedDescriptor(try files.openForReading(compressed.text, in: folder.descriptor), files)
        let status = try files.status(of: file.descriptor), bytes = try files.status(of: source.descriptor).bytes
        guard status.kind == .regular, status.owner == files.user, status.links == 1, status.bytes > 4 else { return false }
        let end = UnsafeMutableRawBufferPointer.allocate(byteCount: 4, alignment: 4)
        defer { end.deallocate() }
        guard try files.read(file.descriptor, into: end, at: status.bytes - 4) == 4 else { return false }
        guard end.load(as: UInt32.self).littleEndian == UInt32(truncatingIfNeeded: bytes) else { return false }
        try files.synchronize(file.descriptor)
        return true
    }
}
