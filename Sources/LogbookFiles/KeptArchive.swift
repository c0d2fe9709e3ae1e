internal import LogbookCore

/// An archive that stands in the manifest and in the folder: as it was rolled, compressed, or for a moment both.
struct KeptArchive: Sendable, Hashable {
    let number: UInt64
    /// Its names in the folder, plain before compressed; at least one.
    var names: [ArchiveName]
    var bytes: Int
    let ended: LogTime
    /// What its age is reckoned from: ``ended``, or when this run of the program first saw it, on the steady clock, if that is earlier.
    let agesFrom: LogTime

    init(number: UInt64, names: [ArchiveName], bytes: Int, ended: LogTime, agesFrom: LogTime? = nil) {
        (self.number, self.names, self.bytes, self.ended) = (number, names, bytes, ended)
        self.agesFrom = agesFrom ?? ended
    }
}
