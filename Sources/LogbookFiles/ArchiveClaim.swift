internal import LogbookCore

/// An archive in the hands of somebody who delivers it: nobody else does while this lives, and its bytes do not change.
package final class ArchiveClaim: Sendable {
    package let archive: LogArchive
    /// The file's size.
    package let bytes: Int
    /// It is shorter than it was when it was rolled: somebody has cut it.
    package let isTruncated: Bool
    private let reader: @Sendable (UnsafeMutableRawBufferPointer, Int) throws -> Int
    private let unlock: @Sendable () -> Void

    init<Files: FileSystem>(
        _ archive: LogArchive, bytes: Int, isTruncated: Bool, _ file: OwnedDescriptor<Files>, _ files: Files
    ) {
        self.archive = archive
        self.bytes = bytes
        self.isTruncated = isTruncated
        reader = { buffer, offset in try files.read(file.descriptor, into: buffer, at: offset) }
        let lineage = ProcessLineage.current
        unlock = { if lineage.isCurrent { files.unlock(file.descriptor) } }   // in a forked child it is its parent's
    }

    deinit { unlock() }

    /// Lets others have it, also while somebody still holds this.
    package func release() { unlock() }

    /// Reads from an offset of the file as it is.
    /// - Returns: How many bytes; 0 at the end.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int { try reader(buffer, offset) }
}
