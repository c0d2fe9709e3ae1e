// HOT PATH — every record goes through here once: its message is made of its pieces, and laid out once for each layout.

/// What one round of distribution hands on, by seat.
struct DistributionRound {
    /// Records in one round, and bytes of lines in one layout, at most; a single line may be longer.
    static let maximumCount = 512
    static let maximumBytes = 64 << 10

    /// Those who hear the records of one kind.
    private struct Listeners {
        let hearing: Hearing
        /// Seats with events, layouts with lines, and seats that do not hear.
        var eventPlaces: [Int] = [], linePlaces: [Int] = [], layouts: [Int] = [], unheardPlaces: [Int] = []
        var count = 0
    }

    /// Lines of a chunk that is not made yet.
    private struct Stretch {
        let layout: Int
        var lines: Range<Int>
        let nesting: UInt32
        let isPrivileged: Bool
    }

    private enum Part {
        case event(LogEvent)
        case stretch(Stretch)
    }

    private let plan: SeatPlan
    private let text: MessageText
    private var listeners: [Listeners] = []
    /// Whose records come at the moment, whether those are privileged, and where in each layout's lines they began.
    private var current = -1
    private var currentHearing = Hearing.undecided
    private var currentCount = 0
    private var isPrivileged = false
    /// The layout of all who hear the records at the moment, when it is the only one.
    private var soleLayout: Unmanaged<SeatPlan.Layout>?
    private var hasEventPlaces = false
    private var starts: [Int]
    private var parts: [[Part]]
    private var count = 0
    /// Whether it has as much as one round should.
    private(set) var isFull = false
    /// Of the objects among the records, by estimate.
    private(set) var heldBytes = 0

    /// - Parameter text: Memory to make messages in.
    init(_ plan: SeatPlan, text: MessageText) {
        self.plan = plan
        self.text = text
        starts = plan.layouts.map { _ in 0 }
        parts = plan.seats.map { _ in [] }
    }

    mutating func add(_ memory: UnsafeRawPointer) {
        count &+= 1
        if _slowPath(count >= Self.maximumCount) { isFull = true }
        let record = memory.assumingMemoryBound(to: EventRecord.self)
        if let spoken = record.pointee.takeObject() { return add(spoken) }
        let hearing = record.pointee.hearing, isPrivileged = EventRecord.isPrivileged(record.pointee.mark)
        if _slowPath(hearing != currentHearing || isPrivileged != self.isPrivileged) { turn(to: hearing, isPrivileged) }
        currentCount &+= 1
        let view = EventRecord.view(of: memory, in: text)
        if _slowPath(view.message.count > LogLimits.highest.textBytes) { return addBeyondTheLimits(view) }
        if let soleLayout {
            isFull = soleLayout._withUnsafeGuaranteedRef { $0.append(view) } || isFull
        } else {
            for layout in listeners[current].layouts where plan.layouts[layout].append(view) { isFull = true }
        }
        if hasEventPlaces { addEvent(view.event) }
    }

    @inline(never)
    private mutating func addEvent(_ event: LogEvent) {
        for place in listeners[current].eventPlaces { parts[place].append(.event(event)) }
    }

    /// What follows is heard by others, or counts as privileged, or no longer does.
    @inline(never)
    private mutating func turn(to hearing: Hearing, _ isPrivileged: Bool) {
        endStretch()
        current = place(of: hearing)
        currentHearing = hearing
        self.isPrivileged = isPrivileged
        let layouts = listeners[current].layouts
        soleLayout = layouts.count == 1 ? .passUnretained(plan.layouts[layouts[0]]) : nil
        hasEventPlaces = !listeners[current].eventPlaces.isEmpty
    }

    /// A message that was made longer by its literals than any event may be.
    private mutating func addBeyondTheLimits(_ view: PlainEvent) {
        let event = view.event.within(.highest)
        for layout in listeners[current].layouts where plan.layouts[layout].append(event) { isFull = true }
        addEvent(event)
    }

    private mutating func add(_ spoken: SpokenEvent) {
        heldBytes += spoken.estimatedBytes
        endStretch()
        current = -1
        currentHearing = .undecided   // no record's
        let event = spoken.event
        var laidOut: [Int] = []
        for hearer in spoken.hearers {
            // One that has left meanwhile has no seat, and hears nothing more.
            guard let place = plan.place(of: hearer) else { continue }
            guard let layout = plan.layoutPlaces[place] else {
                parts[place].append(.event(event))
                continue
            }
            if !laidOut.contains(layout) {
                laidOut.append(layout)
                if plan.layouts[layout].append(event) { isFull = true }
            }
            let line = plan.layouts[layout].memory.lineCount - 1
            append(
                Stretch(
                    layout: layout, lines: line..<line + 1, nesting: event.nesting, isPrivileged: event.isPrivileged),
                for: place)
        }
    }

    private mutating func append(_ stretch: Stretch, for place: Int) {
        if case .stretch(var latest)? = parts[place].last, latest.lines.upperBound == stretch.lines.lowerBound,
            latest.nesting == stretch.nesting, latest.isPrivileged == stretch.isPrivileged
        {
            latest.lines = latest.lines.lowerBound..<stretch.lines.upperBound
            parts[place][parts[place].count - 1] = .stretch(latest)
        } else {
            parts[place].append(.stretch(stretch))
        }
    }

    /// Gives those who heard the latest records their lines.
    private mutating func endStretch() {
        if current >= 0 {
            listeners[current].count += currentCount
            currentCount = 0
            for place in listeners[current].linePlaces {
                let layout = plan.layoutPlaces[place]!
                let stretch = starts[layout]..<plan.layouts[layout].memory.lineCount
                if stretch.isEmpty { continue }
                append(Stretch(layout: layout, lines: stretch, nesting: 0, isPrivileged: isPrivileged), for: place)
            }
        }
        for layout in starts.indices { starts[layout] = plan.layouts[layout].memory.lineCount }
    }

    private mutating func place(of hearing: Hearing) -> Int {
        if let known = listeners.firstIndex(where: { $0.hearing == hearing }) { return known }
        var new = Listeners(hearing: hearing)
        for (place, seat) in plan.seats.enumerated() {
            guard let seat, hearing.isAfter(seat.since) else { continue }
            if !hearing.includes(seat: place) {
                new.unheardPlaces.append(place)
            } else if let layout = plan.layoutPlaces[place] {
                new.linePlaces.append(place)
                if !new.layouts.contains(layout) { new.layouts.append(layout) }
            } else {
                new.eventPlaces.append(place)
            }
        }
        listeners.append(new)
        return listeners.count - 1
    }

    mutating func handOn(under pressure: Pressure) {
        endStretch()
        let chunks = plan.layouts.map { $0.memory.take() }
        for (place, seat) in plan.seats.enumerated() {
            guard let seat, !parts[place].isEmpty else { continue }
            let items: [QueueItem] = parts[place].map { part in
                switch part {
                case .event(let event): .event(event)
                case .stretch(let stretch):
                    .lines(
                        LineRun(
                            chunks[stretch.layout], stretch.lines, nesting: stretch.nesting,
                            isPrivileged: stretch.isPrivileged))
                }
            }
            seat.registration.feed(items, under: pressure)
        }
        for listeners in listeners {
            for place in listeners.unheardPlaces {
                guard let registration = plan.seats[place]?.registration else { continue }
                // No level, rule or filter but the registration's own keeps a plain message from it.
                let isForEntriesOnly = registration.provider.interest == .transactionEntries
                registration.pass(over: isForEntriesOnly ? .interest : .level, count: listeners.count)
            }
        }
    }
}
