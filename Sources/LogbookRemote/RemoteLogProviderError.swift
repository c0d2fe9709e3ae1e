/// Why a remote provider could not be made, or what a flush or a shutdown of it could not reach.
public enum RemoteLogProviderError: Error, Equatable, CustomStringConvertible {
    /// `pending` events are not acknowledged; they are kept, and tried again unless the provider was shut down.
    case notDelivered(pending: Int, reason: String)
    /// `count` events were lost while the call waited, or are found to be: the queue had no room for them, the receiver will never take
    /// them (a folder for dead letters has those all the same), or their file in the folder is damaged or gone. A flush says this first;
    /// what it could not make safe the next one says.
    case lost(count: Int)
    /// The spool's folder cannot be used.
    case cannotOpenSpool(folder: String, reason: String)
    /// As many providers have the spool's folder as there are lanes in it.
    case noFreeLane(folder: String, lanes: Int)
    /// The disk did not take what is in some of the spool's files, the first of them for this reason; the kernel has it. The others are
    /// safe, as far as the deadline reached.
    case notSafe(folder: String, reason: String)
    /// The deadline passed before all of the spool's files were safe; so many are left for the next flush.
    case notSafeInTime(folder: String, files: Int)

    public var description: String {
        switch self {
        case .notDelivered(let pending, let reason):
            "\(pending == 1 ? "1 event is" : "\(pending) events are") not delivered: \(reason)"
        // Not the ledger: with a folder that has as delivered what is in it.
        case .lost(let count): "\(count == 1 ? "1 event was" : "\(count) events were") lost; the provider's `deliveries` say why"
        case .cannotOpenSpool(let folder, let reason):
            "cannot keep events in \(folder): \(reason); check that it is a folder and that this user may write there"
        case .noFreeLane(let folder, let lanes):
            "cannot keep events in \(folder): all of its \(lanes) lanes are in use; give some of the programs a folder of their own"
        case .notSafe(let folder, let reason):
            "what is in \(folder) may not survive a crash of the machine: \(reason); check the disk"
        case .notSafeInTime(let folder, let files):
            "what is in \(files) files of \(folder) may not survive a crash of the machine: the deadline passed; give the flush more time"
        }
    }
}
