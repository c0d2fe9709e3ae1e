internal import LogbookCore
internal import LogbookTransactions

/// What a collector has done since it started, as numbers.
final class CollectorMetrics: Sendable {
    /// What became of one tenant's entries and events.
    struct Tally: Sendable {
        var deliveries = 0
        var accepted = 0
        var duplicates = 0
        var conflicting = 0
        var rejected = 0
        var erased = 0
    }

    private struct State {
        var tallies: [String: Tally] = [:]
        var answers: [Int: Int] = [:]
        var bytes = 0
        var inFlight = 0
        /// Answers that were begun and have no end.
        var brokenOff = 0
        var removed = 0
        var removedForSize = 0
        var removedFiles = 0
        var times = ClientTimes()
        /// How many archive calls took at most as long as the bound of the same place; the last one took longer than all.
        var latencies = [Int](repeating: 0, count: CollectorMetrics.bounds.count + 1)
        var latencySum: UInt64 = 0
    }

    /// Upper ends of the latencies that are told apart, in milliseconds.
    private static let bounds = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000]

    private let state = Locked(State())

    func begin() -> UnderWay {
        state.withLock { $0.inFlight += 1 }
        return UnderWay(in: self)
    }

    private func end(status: Int?) {
        state.withLock { state in
            state.inFlight -= 1
            if let status { state.answers[status, default: 0] += 1 } else { state.brokenOff += 1 }
        }
    }

    /// A request until its answer is written. One that nobody has any more before that is broken off.
    final class UnderWay: Sendable {
        private let metrics: CollectorMetrics
        private let isOver = Locked(false)

        fileprivate init(in metrics: CollectorMetrics) { self.metrics = metrics }

        deinit { if !isOver.withLock({ $0 }) { metrics.end(status: nil) } }

        /// Once.
        func end(status: Int) {
            isOver.withLock { $0 = true }
            metrics.end(status: status)
        }
    }

    func received(_ bytes: Int) { state.withLock { $0.bytes += bytes } }

    func saw(_ times: ClientTimes) { state.withLock { $0.times += times } }

    /// For their age.
    func removed(_ count: Int) { state.withLock { $0.removed += count } }

    func removedForSize(_ count: Int) { state.withLock { $0.removedForSize += count } }

    func removedFiles(_ count: Int) { state.withLock { $0.removedFiles += count } }

    func archived(in nanoseconds: UInt64) {
        let place = Self.bounds.firstIndex { nanoseconds <= UInt64($0) * 1_000_000 } ?? Self.bounds.count
        state.withLock { state in
            state.latencies[place] += 1
            state.latencySum += nanoseconds
        }
    }

    func count(_ receipt: ArchiveReceipt, rejected: Int, of tenant: String) {
        state.withLock { state in
            var tally = state.tallies[tenant] ?? Tally()
            tally.deliveries += 1
            tally.accepted += receipt.accepted
            tally.duplicates += receipt.duplicates
            tally.conflicting += receipt.conflicting
            tally.rejected += rejected
            tally.erased += receipt.erased
            state.tallies[tenant] = tally
        }
    }

    /// Of what was refused altogether.
    func rejected(_ count: Int, of tenant: String) { state.withLock { $0.tallies[tenant, default: Tally()].rejected += count } }

    func tally(of tenant: String) -> Tally { state.withLock { $0.tallies[tenant] ?? Tally() } }

    /// As Prometheus reads it, of all tenants together.
    func text() -> String {
        let state = state.withLock { $0 }
        var lines: [String] = []
        func add(_ name: String, _ type: String, _ help: String, _ samples: [(String, String)]) {
            lines += ["# HELP logbook_collector_\(name) \(help)", "# TYPE logbook_collector_\(name) \(type)"]
            for (suffix, value) in samples { lines.append("logbook_collector_\(name)\(suffix) \(value)") }
        }
        func sum(_ field: KeyPath<Tally, Int>) -> String { String(state.tallies.values.reduce(0) { $0 + $1[keyPath: field] }) }
        add(
            "requests_total", "counter", "Requests answered, by status.",
            state.answers.sorted { $0.key < $1.key }.map { (#"{status="\#($0.key)"}"#, String($0.value)) })
        add("broken_off_total", "counter", "Answers that broke off before their end.", [("", String(state.brokenOff))])
        add("requests_in_flight", "gauge", "Requests under way.", [("", String(state.inFlight))])
        add("body_bytes_total", "counter", "Bytes of bodies as they arrived.", [("", String(state.bytes))])
        add(
            "items_total", "counter", "Entries and log events, by what became of them.",
            [
                (#"{outcome="accepted"}"#, sum(\.accepted)), (#"{outcome="duplicate"}"#, sum(\.duplicates)),
                (#"{outcome="conflicting"}"#, sum(\.conflicting)), (#"{outcome="rejected"}"#, sum(\.rejected)),
                (#"{outcome="erased"}"#, sum(\.erased)),
            ])
        add(
            "far_off_total", "counter", "Entries and events whose own time is more than seven days from their arrival; they are taken as all others.",
            [(#"{side="past"}"#, String(state.times.past)), (#"{side="future"}"#, String(state.times.future))])
        add("removed_total", "counter", "Transactions and log events removed for their age.", [("", String(state.removed))])
        add(
            "removed_for_size_total", "counter", "Transactions and log events removed, the oldest, since more was stored than may be.",
            [("", String(state.removedForSize))])
        add("removed_files_total", "counter", "Whole files removed for their age.", [("", String(state.removedFiles))])
        var counts: [(String, String)] = []
        var total = 0
        for (place, count) in state.latencies.enumerated() {
            total += count
            let bound = place < Self.bounds.count ? Self.seconds(UInt64(Self.bounds[place]) * 1_000_000) : "+Inf"
            counts.append((#"_bucket{le="\#(bound)"}"#, String(total)))
        }
        counts += [("_sum", Self.seconds(state.latencySum)), ("_count", String(total))]
        add("archive_seconds", "histogram", "How long storing took.", counts)
        let versions = TransactionSetVersion.allCases.map(\.rawValue).joined(separator: " ")
        add("build_info", "gauge", "Always 1; the versions of transaction sets it reads.", [(#"{sets="\#(versions)"}"#, "1")])
        return lines.joined(separator: "\n") + "\n"
    }

    /// `0.005`, with as many digits as it takes.
    private static func seconds(_ nanoseconds: UInt64) -> String {
        var fraction = String(nanoseconds % 1_000_000_000)
        fraction = String(repeating: "0", count: 9 - fraction.utf8.count) + fraction
        while fraction.last == "0" { fraction.removeLast() }
        return "\(nanoseconds / 1_000_000_000)" + (fraction.isEmpty ? "" : "." + fraction)
    }
}
