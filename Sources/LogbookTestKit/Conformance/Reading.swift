internal import LogbookCore

/// What was read back, held against what was logged.
struct Reading {
    /// What tells one event from another: the first of these that every record keeps.
    private enum Identity { case sequence, message, transaction, none }

    private enum Key: Hashable {
        case sequence(UInt64?)
        case message(ByteText)
        case transaction(id: String?, event: Int?)
    }

    let logged: [LogEvent]
    let records: [RecordedEvent]
    /// What wrappers say that they have held back of these events.
    let suppression: LogSuppression
    /// For each record, in order, the place in `logged` of the event it is; nil when it is none of them.
    private(set) var origins: [Int?] = []
    /// Records of events that already stood there.
    private(set) var repeated: [Int] = []
    /// Records that nobody logged.
    private(set) var strangers: [Int] = []
    /// How many records are of what a wrapper has said, where nothing tells in which event's place they stand.
    private(set) var reports = 0
    /// Places in `logged`.
    private(set) var missing: [Int] = []

    init(_ records: [RecordedEvent], of logged: [LogEvent], _ suppression: LogSuppression = LogSuppression()) {
        self.logged = logged
        self.records = records
        self.suppression = suppression
        let identity = Self.identity(kept: records)
        guard identity != .none else {
            // Nothing but their number is known: take them for the first ones.
            origins = records.indices.map { $0 < logged.count ? $0 : nil }
            repeated = Array(records.indices.dropFirst(logged.count))
            missing = Array(logged.indices.dropFirst(records.count))
            return
        }
        var places: [Key: [Int]] = [:]
        for (place, event) in logged.enumerated() {
            places[Self.key(of: RecordedEvent(event), identity), default: []].append(place)
        }
        var used: [Key: Int] = [:]
        var isThere = [Bool](repeating: false, count: logged.count)
        for (index, record) in records.enumerated() {
            let key = Self.key(of: record, identity)
            guard let candidates = places[key] else {
                origins.append(nil)
                strangers.append(index)
                continue
            }
            let use = used[key, default: 0]
            used[key] = use + 1
            if use < candidates.count {
                origins.append(candidates[use])
                isThere[candidates[use]] = true
            } else {
                origins.append(candidates[candidates.count - 1])
                repeated.append(index)
            }
        }
        missing = logged.indices.filter { !isThere[$0] }
        if identity == .message {
            reports = min(strangers.count, Int(clamping: suppression.reports))
            strangers.removeFirst(reports)
        }
    }

    private static func identity(kept records: [RecordedEvent]) -> Identity {
        if records.allSatisfy({ $0.sequence != nil }) { return .sequence }
        if records.allSatisfy({ $0.message != nil }) { return .message }
        if records.allSatisfy({ $0.transaction != nil }) { return .transaction }
        return .none
    }

    private static func key(of record: RecordedEvent, _ identity: Identity) -> Key {
        switch identity {
        case .sequence, .none: .sequence(record.sequence)
        case .message: .message(ByteText(text: record.message ?? ""))
        case .transaction: .transaction(id: record.transaction?.transactionID, event: record.transaction?.event)
        }
    }

    /// Pairs of what was logged and how it was read back, for the events that are there.
    var pairs: [(event: LogEvent, record: RecordedEvent)] {
        zip(origins, records).compactMap { place, record in place.map { (logged[$0], record) } }
    }

    /// How many events have arrived, themselves or by what a wrapper said in their place.
    var arrived: Int { logged.count - missing.count + reports }
    /// How many events have not arrived and were not held back by a wrapper either; fewer than none where it says so of events that are
    /// there.
    var lost: Int { logged.count - arrived - Int(clamping: suppression.missing) }

    /// How many of these events are there.
    func count(of events: [LogEvent]) -> Int {
        let sequences = Set(events.map(\.sequence)), absent = Set(missing)
        return logged.indices.count { sequences.contains(logged[$0].sequence) && !absent.contains($0) }
    }

    // MARK: In words

    var missingInWords: String? {
        if lost == 0 { return nil }
        let held = suppression.missing
        guard lost > 0, let first = missing.first else {
            return "the suppression counts what has passed: of \(held) held back \(logged.count - arrived) are missing"
        }
        return "\(missing.count) of \(logged.count) events are missing, the first is \(Self.quoted(logged[first].message))"
            + (held == 0 ? "" : ", and the suppression speaks of \(held)") + strangerInWords
    }
    var repeatedInWords: String? {
        repeated.first.map {
            "\(repeated.count) of \(records.count) records repeat an event, the first is \(Self.quoted(records[$0].message))"
        }
    }
    var strangersInWords: String? {
        strangers.isEmpty ? nil : "\(strangers.count) of \(records.count) records are of no event that was logged" + strangerInWords
    }
    private var strangerInWords: String {
        strangers.first.map { "; nobody logged \(Self.quoted(records[$0].message))" } ?? ""
    }

    /// The first pair of one group that stands in the wrong order; nil when all is in order.
    func disorderInWords(within group: (LogEvent) -> Int) -> String? {
        var latest: [Int: Int] = [:]
        for (origin, record) in zip(origins, records) {
            guard let place = origin, !mayBeReport(record, of: logged[place]) else { continue }
            let key = group(logged[place])
            if let before = latest[key], place < before {
                return "\(Self.quoted(logged[before].message)) stands before \(Self.quoted(logged[place].message)), "
                    + "which was logged first"
            }
            latest[key] = place
        }
        return nil
    }

    /// Whether a wrapper may have said it in the event's place, and later than what came behind that.
    private func mayBeReport(_ record: RecordedEvent, of event: LogEvent) -> Bool {
        guard suppression.reports > 0 else { return false }
        return record.metadata?[LogSuppression.key] != nil || record.message.map { !$0.isSame(as: event.message) } ?? false
    }

    /// The first event whose text or transaction is not what was logged.
    var alteredTextInWords: String? {
        var reports = self.reports
        for (event, record) in pairs {
            if let message = record.message, !message.isSame(as: event.message) {
                reports += 1
                if reports <= suppression.reports { continue }
                return "\(Self.quoted(event.message)) was read back as \(Self.quoted(message))"
                    + " (\(event.message.utf8.count) and \(message.utf8.count) bytes)"
            }
            if let transaction = record.transaction, transaction != event.transaction {
                return "the entry \(event.transaction.map { Self.quoted($0.description) } ?? "nil") was read back as "
                    + Self.quoted(transaction.description)
            }
        }
        return nil
    }

    static func quoted(_ text: String?) -> String {
        guard let text else { return "an event whose text is not kept" }
        let beginning = String(text.prefix(80))
        return beginning.debugDescription + (beginning.utf8.count < text.utf8.count ? "…" : "")
    }
}
