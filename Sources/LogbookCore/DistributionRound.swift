// HOT PATH — every record goes through here once: its message is made of its pieces, and laid out once for each layout.

/// What one round of distribution hands on, by seat. Used for one round after the other, so that its memory is.
struct DistributionRound {
    /// Records in one round, and bytes of lines in one layout, at most; a single line may be longer. As many as one write is best given:
    /// what comes 256 KiB at a time the kernel keeps in larger pieces than what comes 64 KiB at a time, with a third less of its work.
    static let maximumCount = QueuePolicy.defaultBatchCount
    static let maximumBytes = 264 << 10
    /// Kinds of records that are remembered from one round to the next.
    static let rememberedListeners = 64

    /// Those who hear the records of one kind.
    private struct Listeners {
        let hearing: Hearing
        /// Seats that hear, the layouts among what they want, and seats that do not hear.
        var places: [Int] = [], layouts: [Int] = [], unheardPlaces: [Int] = []
        var wantsEvents = false
        /// What is searched for in these records; nil when nobody among those who hear would see less for it.
        var privacy: SeatPlan.Privacy?
        var count = 0
    }

    /// Lines or events of a chunk that is not made yet.
    private struct Stretch {
        var places: Range<Int>
        let nesting: UInt32
        let isPrivileged: Bool
    }

    /// Nobody's between two rounds, so that no registration is held by it.
    private var plan = SeatPlan.nobody
    /// The latest plan's.
    private var planNumber: UInt64 = 0
    /// Held by the distributor: to count a reference for each record would take longer than to read it.
    private let text: Unmanaged<MessageText>
    private var entries: EntryReader
    private var listeners: [Listeners] = []
    /// Whose records come at the moment, whether those are privileged, and where in each layout's lines they began.
    private var current = -1
    private var currentHearing = Hearing.undecided
    private var currentCount = 0
    private var isPrivileged = false
    /// The layout of all who hear the records at the moment, when it is the only one.
    private var soleLayout: Unmanaged<SeatPlan.Layout>?
    /// The same where nothing stands in the way of laying a record out at once, and the kinds of records for which that is so.
    private var shortcut: Unmanaged<SeatPlan.Layout>?
    private var shortcutKinds = EventRecord.messageKinds(isPrivileged: false)
    private var wantsEvents = false
    /// Searches the records that come at the moment.
    private var scanner: PrivacyScanner?
    private var lineStarts: [Int] = []
    /// The events of this round, for all who want those, and where those began whose records come at the moment.
    private var events: [LogEvent] = []
    private var eventStart = 0
    private var stretches: [[Stretch]] = []
    /// The lines of each layout, and what one seat gets, while it is handed on.
    private var chunks: [LineChunk] = [], items: [QueueItem] = []
    private var count = 0
    /// Whether it has as much as one round should.
    private var isFull = false
    /// Of the objects among the records, by estimate.
    private(set) var heldBytes = 0
    /// Of those events for which others have to be done as well.
    private var placements: [Placement] = []

    /// - Parameters:
    ///   - text: Memory to make messages in, as long as this is used.
    ///   - device: The service's.
    init(text: MessageText, device: Locked<DeviceFacts>) {
        self.text = .passUnretained(text)
        entries = EntryReader(device: device)
    }

    mutating func begin(_ plan: SeatPlan) {
        self.plan = plan
        (count, heldBytes, isFull) = (0, 0, false)
        entries.beginRound()
        if plan.number != planNumber || listeners.count > Self.rememberedListeners {
            planNumber = plan.number
            listeners = []
            lineStarts = plan.layouts.map { _ in 0 }
            stretches = plan.seats.map { _ in [] }
        }
        beginStretch()
    }

    /// - Returns: Whether it takes another one.
    mutating func add(_ memory: UnsafeRawPointer) -> Bool {
        count &+= 1
        let record = memory.assumingMemoryBound(to: EventRecord.self), kind = EventRecord.kind(record.pointee.mark)
        if let shortcut, record.pointee.hearing == currentHearing, kind &- shortcutKinds.first < shortcutKinds.count,
            shortcut._withUnsafeGuaranteedRef({ layout in text._withUnsafeGuaranteedRef { layout.append(atOnce: memory, $0) } })
        {
            currentCount &+= 1
            return count < Self.maximumCount && !shortcut._withUnsafeGuaranteedRef { $0.isFull }
        }
        addSlowly(memory)
        return count < Self.maximumCount && !isFull
    }

    /// Whatever there is to a record.
    @inline(never)
    private mutating func addSlowly(_ memory: UnsafeRawPointer) {
        let record = memory.assumingMemoryBound(to: EventRecord.self)
        if let spoken = record.pointee.takeObject() {
            heldBytes += spoken.estimatedBytes
            if let placement = spoken.placement { placements.append(placement) }
            return add(spoken.event, for: spoken.hearers)
        }
        if EventRecord.isEntry(record.pointee.mark) { return addEntry(memory) }
        let hearing = record.pointee.hearing, isPrivileged = EventRecord.isPrivileged(record.pointee.mark)
        if _slowPath(hearing != currentHearing || isPrivileged != self.isPrivileged) { turn(to: hearing, isPrivileged) }
        currentCount &+= 1
        let view = text._withUnsafeGuaranteedRef { EventRecord.view(of: memory, in: $0) }
        if let scanner, scanner.finds(in: view.message) || scanner.finds(in: view.members) { return addPrivate(view, memory) }
        if _slowPath(view.message.count > LogLimits.highest.textBytes) { return addBeyondTheLimits(view) }
        if let soleLayout {
            isFull = soleLayout._withUnsafeGuaranteedRef { $0.append(view) } || isFull
        } else {
            for layout in listeners[current].layouts where plan.layouts[layout].append(view) { isFull = true }
        }
        if wantsEvents { events.append(view.event) }
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
        wantsEvents = listeners[current].wantsEvents
        scanner = listeners[current].privacy?.terms.scanner
        shortcutKinds = EventRecord.messageKinds(isPrivileged: isPrivileged)
        shortcut = soleLayout.flatMap { sole in
            scanner == nil && !wantsEvents && sole._withUnsafeGuaranteedRef { $0.hasWriter } ? sole : nil
        }
    }

    /// What the caller has left of a transaction's entry: nothing in it is private.
    private mutating func addEntry(_ memory: UnsafeRawPointer) {
        let hearing = memory.assumingMemoryBound(to: EventRecord.self).pointee.hearing
        if hearing != currentHearing || !isPrivileged { turn(to: hearing, true) }
        currentCount &+= 1
        let event = entries.event(of: memory)
        for layout in listeners[current].layouts where plan.layouts[layout].append(event) { isFull = true }
        if wantsEvents { events.append(event) }
    }

    /// A message or metadata in which something is found that not everybody may see, or was marked as what everybody may.
    @inline(never)
    private mutating func addPrivate(_ view: PlainEvent, _ memory: UnsafeRawPointer) {
        let privacy = listeners[current].privacy!, places = listeners[current].places
        let message = EventRecord.message(of: memory).markedText(privacy.terms.rules.unmarkedTexts)
        let event = view.event
        var views = PrivateViews(of: PrivateEvent(event, message, event.metadata, error: nil), privacy.terms)
        for mode in Set(places.map { privacy.modes[$0] }) {
            add(views.view(mode), for: places.filter { privacy.modes[$0] == mode }.compactMap { plan.seats[$0]?.registration })
        }
    }

    /// A message that was made longer by its literals than any event may be.
    private mutating func addBeyondTheLimits(_ view: PlainEvent) {
        let event = view.event.within(.highest)
        for layout in listeners[current].layouts where plan.layouts[layout].append(event) { isFull = true }
        if wantsEvents { events.append(event) }
    }

    /// An event that does not come as a record does.
    private mutating func add(_ event: LogEvent, for hearers: [LogRegistration]) {
        endStretch()
        leaveListeners()
        for hearer in hearers {
            // One that has left meanwhile has no seat, and hears nothing more.
            guard let place = plan.place(of: hearer) else {
                hearer.loseLate(LossRun(event))
                continue
            }
            // The first who wants it in that form lets it be made.
            if let layout = plan.layoutPlaces[place] {
                if lineStarts[layout] == plan.layouts[layout].memory.lineCount, plan.layouts[layout].append(event) { isFull = true }
            } else if eventStart == events.count {
                events.append(event)
            }
            append(fresh(at: place), nesting: event.nesting, isPrivileged: event.isPrivileged, for: place)
        }
        beginStretch()
    }

    /// What the seat's form has gained since the stretch began.
    private func fresh(at place: Int) -> Range<Int> {
        guard let layout = plan.layoutPlaces[place] else { return eventStart..<events.count }
        return lineStarts[layout]..<plan.layouts[layout].memory.lineCount
    }

    private mutating func append(_ places: Range<Int>, nesting: UInt32, isPrivileged: Bool, for seat: Int) {
        if let latest = stretches[seat].last, latest.places.upperBound == places.lowerBound, latest.nesting == nesting,
            latest.isPrivileged == isPrivileged
        {
            stretches[seat][stretches[seat].count - 1].places = latest.places.lowerBound..<places.upperBound
        } else {
            stretches[seat].append(Stretch(places: places, nesting: nesting, isPrivileged: isPrivileged))
        }
    }

    /// Gives those who heard the latest records what they want of them.
    private mutating func endStretch() {
        if current >= 0 {
            listeners[current].count += currentCount
            currentCount = 0
            for place in listeners[current].places {
                let fresh = fresh(at: place)
                if !fresh.isEmpty { append(fresh, nesting: 0, isPrivileged: isPrivileged, for: place) }
            }
        }
        beginStretch()
    }

    private mutating func beginStretch() {
        for layout in lineStarts.indices { lineStarts[layout] = plan.layouts[layout].memory.lineCount }
        eventStart = events.count
    }

    private mutating func place(of hearing: Hearing) -> Int {
        if let known = listeners.firstIndex(where: { $0.hearing == hearing }) { return known }
        var new = Listeners(hearing: hearing)
        for (place, seat) in plan.seats.enumerated() {
            guard let seat, hearing.isAfter(seat.since) else { continue }
            if !hearing.includes(seat: place) {
                new.unheardPlaces.append(place)
                continue
            }
            new.places.append(place)
            if let layout = plan.layoutPlaces[place] {
                if !new.layouts.contains(layout) { new.layouts.append(layout) }
            } else {
                new.wantsEvents = true
            }
        }
        if let privacy = plan.privacy(of: hearing) {
            // Who came later than these rules is not among those who hear.
            let looks = new.places.contains { privacy.terms.lens(privacy.modes[$0]).looks }
            new.privacy = looks ? privacy : nil
        }
        listeners.append(new)
        return listeners.count - 1
    }

    /// Gives everybody what is theirs; the round is over.
    /// - Returns: How many events are placed by that.
    mutating func handOn(under pressure: Pressure) -> Int {
        endStretch()
        leaveListeners()
        for layout in plan.layouts { chunks.append(layout.memory.take()) }
        let events = events.isEmpty ? EventChunk.empty : EventChunk(events)
        for (place, seat) in plan.seats.enumerated() {
            guard let seat, !stretches[place].isEmpty else { continue }
            for stretch in stretches[place] {
                if let layout = plan.layoutPlaces[place] {
                    items.append(
                        .lines(LineRun(chunks[layout], stretch.places, nesting: stretch.nesting, isPrivileged: stretch.isPrivileged)))
                } else {
                    items.append(.events(EventRun(events, stretch.places, nesting: stretch.nesting, isPrivileged: stretch.isPrivileged)))
                }
            }
            stretches[place].removeAll(keepingCapacity: true)
            seat.registration.feed(items, under: pressure)
            items.removeAll(keepingCapacity: true)
        }
        for place in listeners.indices where listeners[place].count > 0 {
            for seat in listeners[place].unheardPlaces { plan.seats[seat]?.registration.passOverPlain(count: listeners[place].count) }
            listeners[place].count = 0
        }
        chunks.removeAll(keepingCapacity: true)
        self.events = []
        plan = .nobody
        let unfinished = placements.count { !$0.isDone() }
        placements.removeAll(keepingCapacity: true)
        return count - unfinished
    }

    /// What follows is no record's.
    private mutating func leaveListeners() {
        current = -1
        currentHearing = .undecided
        soleLayout = nil
        shortcut = nil
    }
}
