/// What a conformance run found out.
///
/// ```swift
/// let report = await ProviderConformance { /* … */ }.run()
/// #expect(report.findings.isEmpty, "\(report)")
/// ```
public struct ConformanceReport: Sendable, Equatable, CustomStringConvertible {
    /// A promise that was not kept, and what was seen.
    public struct Finding: Sendable, Equatable, CustomStringConvertible {
        public let check: ConformanceCheck
        /// What was done, what should have come of it, and what did.
        public let explanation: String
        public var description: String { "\(check.name): \(explanation)" }
    }
    /// A check that could say nothing, and why: it needs a hook that the specimen does not have, or builds on one that failed.
    public struct NotRun: Sendable, Equatable, CustomStringConvertible {
        public let check: ConformanceCheck
        public let reason: String
        public var description: String { "\(check.name): \(reason)" }
    }

    /// Promises that were not kept; empty when all is well. One fault gives one finding as a rule: checks that build on a failed
    /// one are not run.
    public internal(set) var findings: [Finding] = []
    /// Promises that were kept.
    public internal(set) var passed: [ConformanceCheck] = []
    public internal(set) var notRun: [NotRun] = []

    /// Several lines: the findings, then what was not run by its reason, then how many checks passed.
    public var description: String {
        var lines = findings.map { "failed: \($0)\n    the promise: \($0.check.promise)" }
        var reasons: [String] = []
        for reason in notRun.map(\.reason) where !reasons.contains(reason) { reasons.append(reason) }
        for reason in reasons {
            let names = notRun.filter { $0.reason == reason }.map(\.check.name).joined(separator: ", ")
            lines.append("not run: \(names): \(reason)")
        }
        lines.append("\(passed.count) checks passed, \(findings.count) failed, \(notRun.count) were not run")
        return lines.joined(separator: "\n")
    }
}
