internal import LogbookCore

/// An archive that was deleted undelivered, and stays open until its events are counted: that reads it through, and nobody else who logs
/// should wait for it.
struct GivenUpArchive<Files: FileSystem>: Sendable {
    let archive: LogArchive
    let file: OwnedDescriptor<Files>
    let files: Files
    let compression: ArchiveCompression?
    /// What stands before the events, where the file begins with it.
    let header: [UInt8]

    /// How many lines it has behind its header, read through once; nil when it cannot be.
    func countEvents() -> Int? {
        if archive.isCompressed && compression == nil { return nil }
        var lines = 0
        var last: UInt8 = 0x0A
        var beginning: [UInt8] = []
        do {
            let inflating = archive.isCompressed ? compression : nil
            try ArchiveBytes(files).forEachPiece(of: file.descriptor, inflating: inflating) { piece in
                if beginning.count < header.count { beginning += piece.prefix(header.count - beginning.count) }
                for byte in piece where byte == 0x0A { lines += 1 }
                last = piece.last ?? last
            }
            // A file of an earlier run may have another one, or none.
            if beginning == header { for byte in header where byte == 0x0A { lines -= 1 } }
            return lines + (last == 0x0A ? 0 : 1)
        } catch { return nil }
    }
}
