internal import LogbookCore

/// Removes whole files that are older than they may be.
struct FileRetention: Sendable {
    /// Since a file came whole.
    let keep: Duration
    /// Removes those that came before; says how many they were, and of each folder the first reason why there are not more.
    let remove: @Sendable (_ oldest: LogTime) -> (count: Int, failures: [String])

    /// On a thread of its own: there may be many files, and a disk may take its time. Removes nothing where the machine has none to give.
    func run(at now: LogTime) async -> (count: Int, failures: [String]) {
        await withCheckedContinuation { continuation in
            let isStarted = LogThread.start("collector-files") { continuation.resume(returning: remove(now.adding(.zero - keep))) }
            if !isStarted { continuation.resume(returning: (0, ["there is no thread to remove files on; the next try is in an hour"])) }
        }
    }
}
