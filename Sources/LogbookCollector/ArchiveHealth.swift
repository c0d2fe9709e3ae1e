#if Collector
    internal import LogbookCore

    /// Whether the archive can be written: asked of it once for all who want to know at the same time, and once a second at most, since
    /// anybody may ask.
    actor ArchiveHealth {
        /// For how long an answer is believed.
        private static let validity = Duration.seconds(1)

        private typealias Outcome = Result<Void, ArchiveError>
        private let archive: any Archive
        private let clock: LogClock
        private var latest: (outcome: Outcome, uptime: UInt64)?
        private var underWay: Task<Outcome, Never>?

        init(of archive: any Archive, clock: LogClock) {
            self.archive = archive
            self.clock = clock
        }

        func check() async throws(ArchiveError) {
            if let latest {
                let age = Int64(clamping: clock.monotonicNanoseconds() &- latest.uptime)
                if age < Self.validity.wholeNanoseconds { return try latest.outcome.get() }
            }
            let task: Task<Outcome, Never>
            if let underWay {
                task = underWay
            } else {
                task = Task { await self.ask() }
                underWay = task
            }
            try await task.value.get()
        }

        /// Goes on when nobody waits any more.
        private func ask() async -> Outcome {
            let outcome: Outcome
            do throws(ArchiveError) {
                try await archive.checkWritable()
                outcome = .success(())
            } catch {
                LogDiagnostics.report("collector", error.description)
                outcome = .failure(error)
            }
            latest = (outcome, clock.monotonicNanoseconds())
            underWay = nil
            return outcome
        }
    }
#endif
