internal import LogbookCore

// Single events and what they may hold.
extension ProviderBench {
    func oneEvent() throws {
        let event = event("the first")
        log(event)
        let reading = try settled([event])
        try requireEverything(reading)
        try refuse(reading.alteredTextInWords)
    }

    func writesOnce() throws {
        let events = events(3)
        log(events)
        try flush()
        try requireOnce(readBack(events))
    }

    func everyLevel() throws {
        let events = LogLevel.allCases.map { event("at \($0.name)", level: $0) }
        log(events)
        let reading = try settled(events)
        try requireIntact(reading)
        for (event, record) in reading.pairs {
            guard let level = record.level else { continue }
            try require(level == event.level, "an event of level \(event.level.name) was read back as \(level.name)")
        }
    }

    func emptyMessage() throws {
        let events = ["before", "", "after"].map { event($0) }
        log(events)
        try requireIntact(settled(events))
    }

    func unusualTimes() throws {
        // A second from either end, for formats that round.
        let second: Int64 = 1_000_000_000
        let times = [0, 1, -1, -second, -86_400 * second, Int64.min + second, .max - second, 4_102_444_800 * second]
        let events = times.map { event("at \($0)", at: LogTime(nanoseconds: $0)) }
        log(events)
        let reading = try settled(events)
        try requireIntact(reading)
        let resolution = UInt64(max(1, claims.timeResolution.wholeNanoseconds))
        for (event, record) in reading.pairs {
            guard let time = record.time else { continue }
            let (later, earlier) = (max(time, event.time).nanoseconds, min(time, event.time).nanoseconds)
            try require(
                UInt64(bitPattern: later &- earlier) < resolution,
                "the time \(event.time.nanoseconds) ns was read back as \(time.nanoseconds) ns")
        }
    }

    func outOfSequence() throws {
        let order: [UInt64] = [5, 3, 9, 1, 7]
        let events = order.map { event("sequence \($0)", at: LogTime(seconds: 1_767_225_600 + Double($0)), sequence: $0) }
        log(events)
        try requireIntact(settled(events))
    }

    func error() throws {
        let errors = [
            nil, LogErrorDetails(type: "PaymentError", description: "the card was declined"), nil,
            LogErrorDetails(type: "Timeout", description: "no answer after 3 s"),
        ]
        let events = errors.map { event($0 == nil ? "it works" : "it failed", error: $0) }
        try logWithinCapacity(events)
        // Not held against the text: a format may have the error stand behind it.
        let reading = try settled(events)
        try require(
            reading.records.count == events.count - held(in: reading), "\(events.count) events made \(reading.records.count) records")
        func inWords(_ error: LogErrorDetails?) -> String { error.map { "\($0.type): \($0.description)" } ?? "none" }
        for (event, record) in reading.pairs {
            guard let error = record.error else { continue }
            try require(error == event.error, "the error \(inWords(event.error)) was read back as \(inWords(error))")
        }
    }

    private func held(in reading: Reading) -> Int { Int(clamping: reading.suppression.missing) }

    // MARK: Metadata

    func metadata() throws {
        let values: [(String, LogValue)] = [
            ("null", nil), ("true", true), ("false", false), ("zero", 0), ("negative", -42), ("smallest", .integer(.min)),
            ("almost largest signed", .integer(.max - 1)), ("largest", .unsigned(.max)), ("half", 0.5), ("tiny", 5e-300),
            ("text", "plain"), ("empty", ""),
            ("list", [1, "two", nil]), ("emptyList", []), ("object", ["inner": ["deeper": true]]), ("emptyObject", [:]),
        ]
        let events = [event("without metadata")] + self.events("with one of each", values) + [event("again", metadata: ["one": 1])]
        log(events)
        try requireMetadata(settled(events), where: isWithinClaims)
    }

    /// With what is kept whole of these members, in as many events as it takes.
    private func events(_ word: String, _ members: [(String, LogValue)]) -> [LogEvent] {
        let kept = members.filter { $0.1.levels <= claims.deepestMetadata ?? .max }
        let most = max(1, min(claims.mostMembers ?? kept.count, kept.count))
        return stride(from: 0, to: kept.count, by: most).map { first in
            let part = LogMetadata(kept[first..<min(first + most, kept.count)])
            return event(first == 0 ? word : "\(word), from \(first)", metadata: part)
        }
    }

    /// Whether its metadata is claimed to be kept whole.
    private func isWithinClaims(_ event: LogEvent) -> Bool {
        event.metadata.count <= claims.mostMembers ?? .max
            && event.metadata.allSatisfy { $0.value.levels <= claims.deepestMetadata ?? .max }
    }

    static let manyKeys = 1_000
    static let deepLevels = 24

    private static func wide(_ count: Int) -> LogMetadata { LogMetadata((0..<count).map { ("key\($0 + 1)", .integer(Int64($0 + 1))) }) }

    private static func deep(_ levels: Int) -> LogMetadata {
        var value: LogValue = "the bottom"
        for level in 0..<levels { value = level % 2 == 0 ? .object(["down": value]) : [value] }
        return ["deep": value]
    }

    func largeMetadata() throws {
        let members = min(claims.mostMembers ?? Self.manyKeys, Self.manyKeys)
        let levels = min(claims.deepestMetadata ?? Self.deepLevels, Self.deepLevels)
        let names = [
            "message", "level", "time", "sequence", "metadata", "@timestamp", "msg", "source", "a.b", "a b", "a=b", "{", "ключ",
        ]
        let borrowed = names.map { ($0, LogValue.string("not the format's own \($0)")) }
        let hostile = HostileText.all.enumerated().map { number, text in ("value\(number)", LogValue.string(text)) }
        let hostileKeys = HostileText.all.filter { !$0.isEmpty }.map { ("key \($0)", LogValue.integer(1)) }
        var events = [event("wide", metadata: Self.wide(members)), event("deep", metadata: Self.deep(levels))]
        events += self.events("borrowed", borrowed)
        events += self.events("hostile", hostile)
        events += self.events("hostile keys", hostileKeys)
        events.append(event("after"))
        let wider = event("wider than claimed", metadata: Self.wide(Self.manyKeys))
        let deeper = event("deeper than claimed", metadata: Self.deep(Self.deepLevels))
        log(events + [wider, deeper])
        let reading = try settled(events + [wider, deeper])
        try requireIntact(reading)
        if claims.keepsText { try requireMetadata(reading, where: isWithinClaims) }
        for (event, record) in reading.pairs where event == wider {
            try requireBeginning(of: wider, members, in: record)
        }
    }

    private func requireBeginning(of event: LogEvent, _ members: Int, in record: RecordedEvent) throws {
        guard let metadata = record.metadata else { return }
        let expected = members == Self.manyKeys ? members : max(0, members - 1)
        for (key, value) in event.metadata.prefix(expected) {
            try require(
                metadata[key].map { value.isEquivalent(to: $0) } ?? false,
                "of \(Self.manyKeys) members the \(expected) first are claimed, and \(key) is not among them")
        }
    }

    private func requireMetadata(_ reading: Reading, where isCompared: (LogEvent) -> Bool) throws {
        try requireIntact(reading)
        for (event, record) in reading.pairs where isCompared(event) {
            guard var metadata = record.metadata else { continue }
            if reading.suppression.heldBack > 0 { metadata[LogSuppression.key] = nil }
            try refuse(event.metadata.difference(from: metadata).map { "of \(Reading.quoted(event.message)) \($0)" })
        }
    }

    // MARK: Text

    func oneInOneOut() throws {
        let events = HostileText.all.flatMap { text in
            [
                event("text \(text)"), event("an error", error: LogErrorDetails(type: text, description: text)),
                event("a place", from: LogSource(fileNamed: text, functionNamed: text, line: 1)),
            ]
        }
        try logWithinCapacity(events)
        let reading = try settled(events), count = reading.records.count
        let expected = events.count - held(in: reading) - (events.count > room ? Int(provider.ledger?.droppedTotal ?? 0) : 0)
        try require(count == expected, "\(expected) events with hostile text made \(count) records")
    }

    func hostileText() throws {
        guard claims.keepsText else { throw CheckNotApplicable("the provider does not claim to keep text as it was") }
        let events = HostileText.all.map { event($0) }
        log(events)
        try requireIntact(settled(events))
    }

    static let hugeBytes = 1 << 20

    func hugeEvent() throws {
        let unit = "0123456789abcde "
        let huge = event(String(repeating: unit, count: Self.hugeBytes / unit.utf8.count))
        let neighbours = [event("before"), event("after")]
        let events = [neighbours[0], huge, neighbours[1]]
        try logWithinCapacity(events)
        let written = try settled(events)
        guard let limit = claims.largestMessage, limit < Self.hugeBytes else { return try requireIntact(written) }
        // Where only messages tell events apart, one that was shortened is known by its beginning.
        var records = written.records
        for place in written.strangers where Self.commonBytes(records[place].message ?? "", huge.message) > 0 {
            records[place].message = huge.message
        }
        let reading = Reading(records, of: events, written.suppression)
        try requireOnce(reading)
        try require(reading.count(of: neighbours) + held(in: reading) >= 2, "a neighbour of the huge event is missing")
        if reading.count(of: [huge]) == 0 {
            if held(in: reading) > 0 { return }
            let dropped = provider.ledger?.droppedTotal ?? 0
            return try require(dropped == 1, "the huge event is missing" + Self.inWords(provider.ledger))
        }
        let kept = zip(reading.origins, written.records).first { origin, _ in origin == 1 }?.1.message
        let beginning = kept.map { Self.commonBytes($0, huge.message) } ?? limit
        try require(
            beginning >= min(limit, Self.hugeBytes) / 2,
            "of the huge event only the first \(beginning) bytes are kept; \(limit) are claimed")
    }

    /// Of two texts, from the first byte on.
    private static func commonBytes(_ one: String, _ other: String) -> Int {
        zip(one.utf8, other.utf8).prefix { $0 == $1 }.count
    }
}
