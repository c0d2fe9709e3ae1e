internal import LogbookCore
internal import LogbookDelivery

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

// The courier's side.
extension Spool {
    var nextParcelIsDue: Duration? {
        state.withLock { state in
            let now = clock.monotonicNanoseconds()
            var due = Duration.nanoseconds(Int64(clamping: state.nextLook > now ? state.nextLook - now : 0))
            if let active = state.active, active.segment.count > 0 {
                due = min(due, max(.zero, policy.parcelAge - .nanoseconds(Int64(clamping: now - min(now, active.since)))))
            }
            // What is in hand has been read, and nobody comes for it.
            for (segment, trouble) in state.unreadable where !state.inHand.contains(segment) {
                due = min(due, .nanoseconds(Int64(clamping: trouble.until > now ? trouble.until - now : 0)))
            }
            return due
        }
    }

    /// Its file is read, checked and compressed meanwhile.
    var preparesNextParcel: Bool { true }

    func nextParcel(besides onTheirWay: Set<String>) throws -> Parcel? {
        while true {
            if let parcel = try parcelInHand(besides: onTheirWay) { return parcel }
            guard let segment = nextSegment() else {
                if state.withLock({ !$0.isReleased && $0.nextLook <= clock.monotonicNanoseconds() }) {
                    try takeOver()
                    continue
                }
                return nil
            }
            try takeInHand(segment)
        }
    }

    var unreadable: String? {
        state.withLock { state -> String? in
            if state.isReleased || state.unreadable.isEmpty { return nil }
            for segment in state.sealed {
                guard let trouble = state.unreadable[segment.name] else { continue }
                return "\(path)/\(segment.name.text): \(trouble.error)"
            }
            return nil
        }
    }

    private func parcelInHand(besides onTheirWay: Set<String>) throws -> Parcel? {
        let term = destination.term
        while var held = hands.withLock({ hands in hands.first { $0.waits(besides: onTheirWay) } }) {
            if let parcel = held.next(besides: onTheirWay, term: term.number) { return parcel }
            held.takeApart(besides: onTheirWay, term: term.number)
            let most = state.withLock { $0.limit.events }
            let unreadable = try held.writeNext(most, maker(term), term: term.number)
            try put(held, losing: unreadable)
        }
        return nil
    }

    private func nextSegment() -> Segment? {
        state.withLock { state in
            if state.isReleased { return nil }
            if let waiting = state.sealed.first(where: { waits($0, state) }) { return waiting }
            if let active = state.active, active.segment.count > 0 {
                let now = clock.monotonicNanoseconds()
                let age = Duration.nanoseconds(Int64(clamping: now - min(now, active.since)))
                if active.isUrgent || age >= policy.parcelAge { sealActive(&state) }
            }
            return state.sealed.first { waits($0, state) }
        }
    }

    private func waits(_ segment: Segment, _ state: State) -> Bool {
        !state.inHand.contains(segment.name) && !rests(segment.name, state)
    }

    /// Reads a file of which parcels are made. What is damaged in it is counted as lost. One that cannot be read is left alone.
    private func takeInHand(_ segment: Segment) throws {
        state.withLock { _ = $0.inHand.insert(segment.name) }   // first: nobody makes room of it from now on
        do {
            try begin(segment)
        } catch {
            state.withLock { _ = $0.inHand.remove(segment.name) }
            throw error
        }
    }

    private func begin(_ segment: Segment) throws {
        let content: [UInt8]
        do throws(SystemError) {
            content = try read(segment.name)
        } catch {
            state.withLock { _ = $0.inHand.remove(segment.name) }
            guard error.isAboutOneFile else { throw error }
            if error.number == ENOENT {
                loseVanished(segment.name)
            } else {
                let remark = state.withLock { leaveAlone(segment.name, because: error, &$0) }
                if let remark { LogDiagnostics.report(name, remark) }
            }
            return
        }
        let (lines, damaged) = SpoolLine.read(content)
        let count = state.withLock { enter(lines.count + damaged, bytes: content.count, of: segment.name, &$0) }
        // Lines beyond the count were written although the disk said no.
        let kept = lines.prefix(count)
        let missing = count - kept.count
        if missing > 0 { loseDamaged(missing, of: segment.name) }
        try put(SpoolHand(segment: segment.name, lines: kept.map(\.json), otherwise: segment.oldest), losing: [])
    }

    /// Nobody but us takes a file out of a lane that is ours. Where one is gone all the same, so is what was in it.
    /// - Returns: How many events that were: none where it is in hand, or where somebody else may have had it since we let go of it.
    @discardableResult
    func loseVanished(_ segment: SpoolName) -> Int {
        let lost = state.withLock { vanished(segment, &$0) }
        if let remark = lost?.remark { LogDiagnostics.report(name, remark) }
        return lost?.count ?? 0
    }

    /// - Returns: Nil where it is in hand, or somebody else's.
    func vanished(_ segment: SpoolName, _ state: inout State) -> (count: Int, remark: String?)? {
        if state.isReleased || state.inHand.contains(segment) { return nil }
        if state.active?.segment.name == segment { sealActive(&state) }
        guard let place = state.sealed.firstIndex(where: { $0.name == segment }) else { return nil }
        return forgetVanished(place, &state)
    }

    private func loseDamaged(_ count: Int, of segment: SpoolName) {
        LogDiagnostics.report(name, "\(count) events in \(path)/\(segment.text) are damaged and lost")
        state.withLock { state in
            state.deliveries.drop(count, .corruptRecovered)
            state.lost += count
            guard let place = state.sealed.firstIndex(where: { $0.name == segment }) else { return }
            let ordinary = min(count, state.sealed[place].ordinary)
            state.sealed[place].ordinary -= ordinary
            state.sealed[place].transactions -= min(count - ordinary, state.sealed[place].transactions)
            state.sealed[place].isMissingLines = false   // what is left is all of it now
        }
    }

    /// Takes a file in hand, or what has become of one, without events that nobody can read. It goes when nothing is left to send.
    private func put(_ held: SpoolHand, losing unreadable: [Int]) throws {
        if held.isDone { try removeFile(of: held) }   // first: should it fail, nothing has been said yet
        if !unreadable.isEmpty { loseDamaged(unreadable.count, of: held.segment) }
        if held.isDone { return finish(held.segment, delivered: 0, rejected: 0) }
        put(held)
    }

    private func put(_ held: SpoolHand) {
        hands.withLock { hands in
            if let place = hands.firstIndex(where: { $0.segment == held.segment }) { hands[place] = held } else { hands.append(held) }
        }
    }

    private func maker(_ term: CurrentDestination.Term) -> ParcelMaker {
        ParcelMaker(
            term.destination, maximumEvents: policy.parcelEvents, maximumBytes: policy.parcelBytes,
            compressionLevel: policy.compressionLevel)
    }

    /// The file that holds the parcel, and which of its pieces that is.
    private func held(_ parcel: Parcel) -> (hand: SpoolHand, place: Int)? {
        for hand in hands.withLock({ $0 }) {
            if let place = hand.pieces.firstIndex(where: { $0.parcel.id == parcel.id }) { return (hand, place) }
        }
        return nil
    }

    /// Under the lock: nobody writes the file anew meanwhile.
    private func removeFile(of held: SpoolHand) throws(SystemError) {
        try state.withLock { state throws(SystemError) in
            // Somebody else may have the lane by now, and miss the file. Who sends it again is known by its events.
            if state.isReleased { return }
            try remove(held.segment)
            if let place = state.sealed.firstIndex(where: { $0.name == held.segment }) { state.sealed[place].isRemoved = true }
        }
    }

    // MARK: Fates

    func settle(_ parcel: Parcel, as fate: ParcelFate) throws {
        switch fate {
        case .delivered: try settle(parcel, rejected: 0, again: [])
        case .rejected: try settle(parcel, rejected: parcel.count, again: [])
        }
    }

    func settle(_ parcel: Parcel, rejecting rejected: Int, because reason: String) throws {
        try settle(parcel, rejected: rejected, again: [])
    }

    func settle(_ parcel: Parcel, entries: EntryFates) throws -> Bool {
        try settle(parcel, rejected: entries.rejected.count, again: entries.again.sorted())
        return true
    }

    private func settle(_ parcel: Parcel, rejected: Int, again: [Int]) throws {
        guard let (held, place) = held(parcel) else { return }
        let piece = held.pieces[place]
        var left = held
        left.pieces.remove(at: place)
        if again.isEmpty {
            if left.isDone { try removeFile(of: held) }   // first: should it fail, nothing has been said yet
        } else {
            left.pieces.insert(contentsOf: try pieces(again.map { piece.places[$0] }, of: held), at: place)
        }
        let delivered = parcel.count - rejected - again.count
        if left.isDone {
            finish(held.segment, delivered: delivered, rejected: rejected)
        } else {
            put(left)
            state.withLock { note(&$0, delivered: delivered, rejected: rejected) }
        }
        state.withLock { $0.limit.settle(parcel.count, rejected: rejected) }
    }

    private func pieces(_ places: [Int], of held: SpoolHand) throws -> [SpoolHand.Piece] {
        let term = destination.term
        return try held.pieces(places, maker(term), term: term.number).pieces
    }

    private func note(_ state: inout State, delivered: Int, rejected: Int) {
        state.deliveries.deliver(delivered)
        state.deliveries.drop(rejected, .rejectedByServer)
        state.lost += rejected
    }

    /// The file is gone.
    private func finish(_ segment: SpoolName, delivered: Int, rejected: Int) {
        hands.withLock { $0.removeAll { $0.segment == segment } }
        state.withLock { state in
            state.inHand.remove(segment)
            state.unreadable[segment] = nil
            guard let place = state.sealed.firstIndex(where: { $0.name == segment }) else { return }
            state.bytes -= state.sealed.remove(at: place).bytes
            note(&state, delivered: delivered, rejected: rejected)
            letGoOfEmptyLanes(&state)
        }
    }

    func split(_ parcel: Parcel) throws -> Bool {
        guard let (hand, place) = held(parcel), hand.pieces[place].places.count > 1 else { return false }
        var held = hand
        let places = held.pieces[place].places, half = places.count / 2
        let halves = try pieces(Array(places[..<half]), of: held) + pieces(Array(places[half...]), of: held)
        held.pieces.replaceSubrange(place...place, with: halves)
        put(held)
        return true
    }

    func splitTooLarge(_ parcel: Parcel) throws -> Bool {
        guard let (hand, place) = held(parcel), hand.pieces[place].places.count > 1 else { return false }
        var held = hand
        held.takeApart(place)
        put(held)
        state.withLock { $0.limit.refuse(parcel.count) }
        return true
    }

    func excerpt(of parcel: Parcel, entries: Set<Int>) -> Parcel? {
        guard let (held, place) = held(parcel) else { return nil }
        let piece = held.pieces[place]
        let lines = entries.sorted().filter { piece.places.indices.contains($0) }.flatMap { held.lines[piece.places[$0]] }
        return Parcel(
            id: parcel.id, body: lines, contentType: "application/x-ndjson", count: entries.count, sealed: parcel.sealed)
    }
}
