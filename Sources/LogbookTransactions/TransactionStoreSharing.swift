/// What becomes of a process that finds the store open in another one.
public enum TransactionStoreSharing: Sendable, Hashable {
    /// It writes to a store beside it, `<path>.lane-1` and so on, up to 63 of them; then it is told
    /// ``TransactionStoreError/noFreeLane(path:lanes:)``. What a process leaves behind when it ends, or is killed, is delivered by
    /// whichever of the others looks next, within half a minute, or by the next one to start. Who delivers it has that store open
    /// meanwhile, one at a time, and not while the receiver cannot be reached. It does the same where a newer version of the library has
    /// written the store, and leaves that to it.
    case siblings
    /// It is told ``TransactionStoreError/storeLocked(path:)``, and nothing is made.
    case refused
}
