internal import LogbookCore

/// An archive that stands in the manifest and in the folder: as it was rolled, compressed, or for a moment both.
struct KeptArchive: Sendable, Hashable {
    let number: UInt64
    /// Its names in the folder, plain before compressed; at least one.
    var names: [ArchiveName]
    var bytes: Int
    let ended: LogTime
}
