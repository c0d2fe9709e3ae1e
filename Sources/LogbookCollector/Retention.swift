internal import LogbookCore

/// Removes what is older than it may be: at the start, and every hour.
struct Retention: Sendable {
    let archive: any Archive
    let keep: Duration
    let clock: LogClock
    let metrics: CollectorMetrics
    /// Lets an hour pass; throws when the task is cancelled.
    var pause: @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(3600)) }

    /// Removes what is too old now.
    /// - Returns: How much it was.
    @discardableResult
    func run() async throws(ArchiveError) -> Int {
        let oldest = clock.now().adding(.zero - keep), step = archive.removalStep
        var removed = 0
        while !Task.isCancelled {
            let count = try await archive.remove(receivedBefore: oldest, limit: step)
            removed += count
            metrics.removed(count)
            if count < step { break }
        }
        return removed
    }

    /// Goes on until the task is cancelled. A failure is told, and tried again an hour later.
    func runHourly() async {
        while !Task.isCancelled {
            do throws(ArchiveError) { try await run() } catch { LogDiagnostics.report("collector", error.description) }
            do { try await pause() } catch { return }
        }
    }
}
