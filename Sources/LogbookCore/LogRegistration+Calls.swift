// Flushes and shutdowns, each on a thread of its own: a provider that does not come back holds up nobody else.
extension LogRegistration {
    /// Flushes and shutdowns that may be on their way into one provider at a time. A provider that never comes back holds as many
    /// threads, and not one more for every further call.
    private static let maximumCalls = 4
    /// Calls at most that wait until one of those has come back, each for a caller who waits as well.
    private static let maximumWaitingCalls = 1024
    private static let tooManyCalls = "\(maximumCalls) earlier calls have not come back from it"

    /// A flush or a shutdown that somebody waits for.
    struct Call {
        let number: UInt64
        let deadline: LogDeadline
        /// Also when nobody waits for it any longer.
        let isLast: Bool
        let body: @Sendable (LogRegistration) throws -> Void
        let answer: @Sendable (CallAnswer) -> Void
    }

    /// What went wrong with a flush or a shutdown, in words.
    struct CallFailure {
        var reason: String
        /// What was pending then; nil where the provider could not be asked.
        var pending: UInt64?
    }

    enum CallAnswer {
        case wentWell
        /// What is pending is being asked for, which may take longer than who waits has time.
        case failing(CallFailure)
        case failed(CallFailure)

        var isPreliminary: Bool { if case .failing = self { true } else { false } }
    }

    struct Calls {
        /// Each has a thread.
        var onTheirWay = 0
        /// The oldest first.
        var waiting: [Call] = []
        var latest: UInt64 = 0
    }

    /// Flushes and shutdowns that were asked for and have not come back.
    var callCount: Int { calls.withLock { $0.onTheirWay + $0.waiting.count } }

    /// Runs a flush or a shutdown on a thread of its own; where too many are on their way, when one of those has come back.
    /// - Parameters:
    ///   - deadline: Until when the caller waits; one without an end is refused rather than left to wait.
    ///   - isLast: It is a shutdown: it is made also when its deadline has passed before there was room for it.
    ///   - answer: Called once, unless the call is given up before it has begun; before ``CallAnswer/failed(_:)`` possibly once more, with a
    ///     preliminary answer.
    /// - Returns: The call's number, for ``giveUp(_:)``.
    func call(
        _ body: @escaping @Sendable (LogRegistration) throws -> Void, by deadline: LogDeadline, isLast: Bool = false,
        answer: @escaping @Sendable (CallAnswer) -> Void
    ) -> UInt64 {
        enum Step { case start, wait, refuse }
        let (new, step) = calls.withLock { calls -> (Call, Step) in
            calls.latest += 1
            let new = Call(number: calls.latest, deadline: deadline, isLast: isLast, body: body, answer: answer)
            if calls.onTheirWay < Self.maximumCalls {
                calls.onTheirWay += 1
                return (new, .start)
            }
            guard deadline != .never, calls.waiting.count < Self.maximumWaitingCalls else { return (new, .refuse) }
            calls.waiting.append(new)
            return (new, .wait)
        }
        switch step {
        case .start: start(new)
        case .wait: break
        case .refuse: answer(.failed(CallFailure(reason: Self.tooManyCalls)))
        }
        return new.number
    }

    private func start(_ call: Call) {
        let started = LogThread.start("logbook-flush") {
            var next: Call? = call
            while let call = next {
                var answer = CallAnswer.wentWell
                do { try call.body(self) } catch {
                    var failure = CallFailure(reason: LogFlushReport.Unfinished.reason(error))
                    // A provider may say it but once, and who hears of it may be gone when what is pending is known.
                    call.answer(.failing(failure))
                    // The account is the provider's, too: on this thread, not on that of a caller with a deadline.
                    failure.pending = self.ledger(by: call.deadline).pending
                    answer = .failed(failure)
                }
                next = self.comeBack()
                call.answer(answer)
            }
        }
        if started { return }
        // Whoever waits for a call that is on its way is left alone only if there is none.
        let stranded = calls.withLock { calls -> [Call] in
            calls.onTheirWay -= 1
            guard calls.onTheirWay == 0 else { return [] }
            defer { calls.waiting = [] }
            return calls.waiting
        }
        for call in [call] + stranded { call.answer(.failed(CallFailure(reason: "the machine gives no thread for it"))) }
    }

    /// - Returns: The call that goes on with the thread of one that has come back; nil when none waits.
    private func comeBack() -> Call? {
        calls.withLock { calls -> Call? in
            if !calls.waiting.isEmpty { return calls.waiting.removeFirst() }
            calls.onTheirWay -= 1
            return nil
        }
    }

    /// Takes a call back that nobody waits for any longer, unless it has begun or is the last.
    /// - Returns: Why it has no answer, in words.
    func giveUp(_ number: UInt64) -> String {
        let given = calls.withLock { calls -> Call? in
            guard let place = calls.waiting.firstIndex(where: { $0.number == number }) else { return nil }
            return calls.waiting[place].isLast ? calls.waiting[place] : calls.waiting.remove(at: place)
        }
        return given == nil ? "it had not answered when the deadline passed" : Self.tooManyCalls
    }
}
