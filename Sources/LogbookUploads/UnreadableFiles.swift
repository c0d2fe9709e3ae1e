internal import LogbookCore
internal import LogbookFiles

/// Files that could not be opened or read: the others go on meanwhile. All couriers of an uploader share one, so that what is wrong
/// with a file is told once.
final class UnreadableFiles: Sendable {
    private struct Trouble {
        /// What was told of it.
        var reasons: Set<Int32> = []
        /// On the clock.
        var until: UInt64 = 0
    }
    /// By the files' ids.
    private let troubles = Locked<[String: Trouble]>([:])
    /// How much has arrived of files that went in pieces and could not be read any further, and under which terms: they go on there,
    /// whichever courier has them next. By their ids.
    private let arrived = Locked<[String: (term: Int, bytes: Int)]>([:])
    private let clock: LogClock
    private let onEvent: @Sendable (UploadEvent) -> Void

    /// How long such a file is left alone: a failing disk takes its time with every attempt.
    private static let pause = Duration.seconds(30)

    init(clock: LogClock, onEvent: @escaping @Sendable (UploadEvent) -> Void) {
        self.clock = clock
        self.onEvent = onEvent
    }

    /// Ids of files that are not tried just now.
    var resting: Set<String> {
        let now = clock.monotonicNanoseconds()
        return troubles.withLock { troubles in troubles.isEmpty ? [] : Set(troubles.filter { now < $0.value.until }.keys) }
    }

    /// Forgets files that are gone.
    func keep(_ ids: some Sequence<String>) {
        if troubles.withLock({ $0.isEmpty }), arrived.withLock({ $0.isEmpty }) { return }
        let present = Set(ids)
        troubles.withLock { troubles in troubles = troubles.filter { present.contains($0.key) } }
        arrived.withLock { arrived in arrived = arrived.filter { present.contains($0.key) } }
    }

    /// Remembers how much of a file's content has arrived.
    func note(arrived bytes: Int, of archive: LogArchive, under term: Int) { arrived.withLock { $0[archive.id] = (term, bytes) } }

    /// How much of a file's content has arrived under these terms.
    func arrived(of archive: LogArchive, under term: Int) -> Int {
        arrived.withLock { arrived in arrived[archive.id].flatMap { $0.term == term ? $0.bytes : nil } ?? 0 }
    }

    /// All of it has arrived, or it is set aside: should it go again, it does from its beginning.
    func forgetArrived(of archive: LogArchive) { arrived.withLock { _ = $0.removeValue(forKey: archive.id) } }

    /// How long until one of them is tried again; nil when there is none.
    var nextTry: Duration? { troubles.withLock { $0.isEmpty ? nil : Self.pause } }

    /// Leaves the file alone for a while, and tells what is news.
    /// - Throws: The error, where it is not one file's: with a table of descriptors that is full, the next would fare no better.
    func add(_ archive: LogArchive, _ error: SystemError) throws(SystemError) {
        guard error.isAboutOneFile else { throw error }
        let until = clock.monotonicNanoseconds() + UInt64(Self.pause.wholeNanoseconds)
        let isNews = troubles.withLock { troubles in
            troubles[archive.id, default: Trouble()].until = until
            return troubles[archive.id, default: Trouble()].reasons.insert(error.number).inserted
        }
        guard isNews else { return }
        LogDiagnostics.report("upload", "cannot read \(archive.path), which is kept and tried again: \(error)")
        onEvent(.cannotRead(id: archive.id, reason: "\(error)"))
    }

    /// It could be read.
    func remove(_ archive: LogArchive) { troubles.withLock { _ = $0.removeValue(forKey: archive.id) } }
}
