internal import LogbookCore

/// Runs checks one after the other, each on a fresh subject and on a thread of its own, and goes on without one that hangs.
///
/// A suite for another kind of subject brings its own checks; the order, the limits and the report are the same.
package struct ConformanceRunner<Subject: Sendable>: Sendable {
    package struct Check: Sendable {
        let check: ConformanceCheck
        let foundations: [ConformanceCheck]
        let body: @Sendable (Subject) throws -> Void

        /// - Parameters:
        ///   - foundations: Checks that come before; when one of them failed, this one could only say the same again.
        ///   - body: Returns when the promise is kept; throws ``CheckFailed``, ``CheckNotApplicable``, or anything that came up.
        package init(
            _ check: ConformanceCheck, after foundations: [ConformanceCheck] = [],
            _ body: @escaping @Sendable (Subject) throws -> Void
        ) {
            self.check = check
            self.foundations = foundations
            self.body = body
        }
    }

    private enum Outcome: Sendable { case passed, failed(String), notApplicable(String) }

    private let patience: Duration
    private let clock: LogClock
    private let make: @Sendable (CheckProgress) throws -> Subject
    private let dispose: @Sendable (Subject) -> Void

    /// - Parameters:
    ///   - patience: How long a check may take before it counts as hanging.
    ///   - clock: Measures the patience, and nothing else.
    ///   - make: Makes a fresh subject, once per check.
    ///   - dispose: Called once per subject, after its check.
    package init(
        patience: Duration, clock: LogClock = .system, make: @escaping @Sendable (CheckProgress) throws -> Subject,
        dispose: @escaping @Sendable (Subject) -> Void
    ) {
        self.patience = patience
        self.clock = clock
        self.make = make
        self.dispose = dispose
    }

    /// Never blocks a thread of Swift's pool.
    package func run(_ checks: [Check]) async -> ConformanceReport {
        await withCheckedContinuation { continuation in
            let started = LogThread.start("conformance") { continuation.resume(returning: report(on: checks)) }
            if !started { continuation.resume(returning: Self.withoutThread(checks)) }
        }
    }

    private static func withoutThread(_ checks: [Check]) -> ConformanceReport {
        var report = ConformanceReport()
        report.findings = checks.prefix(1).map { .init(check: $0.check, explanation: "the machine gives no thread to run on") }
        report.notRun = checks.dropFirst().map { .init(check: $0.check, reason: "the machine gives no thread to run on") }
        return report
    }

    private func report(on checks: [Check]) -> ConformanceReport {
        var report = ConformanceReport()
        /// Checks that failed, and those that build on them, each with the one that failed.
        var unsound: [ConformanceCheck: ConformanceCheck] = [:]
        for check in checks {
            if let failed = check.foundations.lazy.compactMap({ unsound[$0] }).first {
                unsound[check.check] = failed
                report.notRun.append(.init(check: check.check, reason: "they build on \(failed), which failed"))
                continue
            }
            switch outcome(of: check) {
            case .passed: report.passed.append(check.check)
            case .notApplicable(let reason): report.notRun.append(.init(check: check.check, reason: reason))
            case .failed(let explanation):
                unsound[check.check] = check.check
                report.findings.append(.init(check: check.check, explanation: explanation))
            }
        }
        return report
    }

    private func outcome(of check: Check) -> Outcome {
        let progress = CheckProgress()
        let answer = Monitor<Outcome?>(nil)
        let until = clock.monotonicNanoseconds() + UInt64(patience.wholeNanoseconds)
        let observation = clock.onAdvance { answer.withLock { $0.broadcast() } }
        defer { withExtendedLifetime(observation) {} }
        let started = LogThread.start(check.check.name) { [make, dispose] in
            let outcome = Self.attempt(check, progress, make, dispose)
            answer.withLock { access in
                access.value = outcome
                access.broadcast()
            }
        }
        guard started else { return .failed("the machine gives no thread to run on") }
        let outcome = answer.withLock { access in
            while access.value == nil, clock.monotonicNanoseconds() < until { clock.wait(in: access, until: until) }
            return access.value
        }
        if let outcome { return outcome }
        // The thread is left to itself; whatever the check had put in the subject's way is taken out of it.
        let step = progress.abandon()
        return .failed("\(step) had not come back after \(patience)")
    }

    private static func attempt(
        _ check: Check, _ progress: CheckProgress, _ make: (CheckProgress) throws -> Subject, _ dispose: (Subject) -> Void
    ) -> Outcome {
        do {
            let subject = try progress.doing("the factory") { try make(progress) }
            defer { dispose(subject) }
            try check.body(subject)
            return .passed
        } catch let failure as CheckFailed {
            return .failed(failure.explanation)
        } catch let reason as CheckNotApplicable {
            return .notApplicable(reason.reason)
        } catch {
            return .failed("\(progress.step) threw: \(error)")
        }
    }
}
