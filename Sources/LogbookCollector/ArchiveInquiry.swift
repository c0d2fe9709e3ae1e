#if Collector
    internal import LogbookCore

    /// Something that an archive knows: asked of it once for all who want to know at the same time, and once a second at most, since
    /// anybody may ask.
    actor ArchiveInquiry<Answer: Sendable> {
        private typealias Outcome = Result<Answer, ArchiveError>
        private let question: @Sendable () async throws(ArchiveError) -> Answer
        private let clock: LogClock
        private var latest: (outcome: Outcome, uptime: UInt64)?
        private var underWay: Task<Outcome, Never>?

        init(clock: LogClock, _ question: @escaping @Sendable () async throws(ArchiveError) -> Answer) {
            self.clock = clock
            self.question = question
        }

        func answer() async throws(ArchiveError) -> Answer {
            if let latest {
                let age = Int64(clamping: clock.monotonicNanoseconds() &- latest.uptime)
                // For so long it is believed.
                if age < Duration.seconds(1).wholeNanoseconds { return try latest.outcome.get() }
            }
            let task: Task<Outcome, Never>
            if let underWay {
                task = underWay
            } else {
                task = Task { await self.ask() }
                underWay = task
            }
            return try await task.value.get()
        }

        /// Goes on when nobody waits any more.
        private func ask() async -> Outcome {
            let outcome: Outcome
            do throws(ArchiveError) { outcome = .success(try await question()) } catch { outcome = .failure(error) }
            latest = (outcome, clock.monotonicNanoseconds())
            underWay = nil
            return outcome
        }
    }

    extension ArchiveInquiry<Int> {
        /// What an archive can store without taking more of its disk, once it has given back what it could. A failure of that is reported.
        init(ofRoomOf archive: any Archive, clock: LogClock) {
            self.init(clock: clock) { () async throws(ArchiveError) in
                do throws(ArchiveError) { try await archive.giveBackRoom() } catch {
                    LogDiagnostics.report("collector", error.description)
                }
                return try await archive.reusableBytes()
            }
        }
    }

    extension ArchiveInquiry<Void> {
        /// Whether the archive can be written. A failure is reported.
        init(ofHealthOf archive: any Archive, clock: LogClock) {
            self.init(clock: clock) { () async throws(ArchiveError) in
                do throws(ArchiveError) { try await archive.checkWritable() } catch {
                    LogDiagnostics.report("collector", error.description)
                    throw error
                }
            }
        }
    }
#endif
