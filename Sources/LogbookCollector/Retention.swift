internal import LogbookCore

/// Removes what is older than it may be: at the start, and every hour. Nothing while the clock is in doubt: what is removed does not come
/// back when the clock does.
struct Retention: Sendable {
    let archive: any Archive
    let keep: Duration
    let clock: LogClock
    let metrics: CollectorMetrics
    /// Lets an hour pass; throws when the task is cancelled.
    var pause: @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(3600)) }
    /// Tells whoever runs the collector.
    var remark: @Sendable (String) -> Void = { LogDiagnostics.report("retention", $0) }
    let doubt = Locked(ClockDoubt())

    /// Removes what is too old now.
    /// - Returns: How much it was.
    @discardableResult
    func run() async throws(ArchiveError) -> Int {
        let now = clock.now(), uptime = clock.monotonicNanoseconds()
        switch doubt.withLock({ $0.look(at: now, uptime: uptime) }) {
        case .believed: break
        case .doubted(let days, let isNew):
            if isNew {
                remark(
                    "the clock went \(days) days further than the time that has passed; nothing is removed before it has been so for a day")
            }
            return 0
        }
        let oldest = now.adding(.zero - keep), step = archive.removalStep
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
