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
            if let active = state.active {
                due = min(due, max(.zero, policy.parcelAge - .nanoseconds(Int64(clamping: now - min(now, active.since)))))
            }
            return due
        }
    }

    func nextParcel() throws -> Parcel? {
        while true {
            if let parcel = try parcelInHand() { return parcel }
            guard let segment = nextSegment() else {
                let isTime = state.withLock { !$0.isReleased && $0.nextLook <= clock.monotonicNanoseconds() }
                guard isTime else { return nil }
                try takeOver()
                if state.withLock({ $0.sealed.isEmpty }) { return nil }
                continue
            }
            try takeInHand(segment)
        }
    }

    private func parcelInHand() throws -> Parcel? {
        guard let held = hand.withLock({ $0 }) else { return nil }
        let term = destination.term
        if held.term != term.number { try write(held.pieces.flatMap(\.places), of: held, for: term) }
        return hand.withLock { $0?.pieces.first?.parcel }
    }

    private func nextSegment() -> Segment? {
        state.withLock { state in
            if state.isReleased { return nil }
            if state.sealed.isEmpty, let active = state.active, active.segment.count > 0 {
                let now = clock.monotonicNanoseconds()
                let age = Duration.nanoseconds(Int64(clamping: now - min(now, active.since)))
                if active.isUrgent || age >= policy.parcelAge { sealActive(&state) }
            }
            state.inHand = state.sealed.first?.name
            return state.sealed.first
        }
    }

    /// Reads a file and makes parcels of it. What is damaged in it is counted as lost.
    private func takeInHand(_ segment: Segment) throws {
        let content: [UInt8]
        do throws(SystemError) {
            content = try read(segment.name)
        } catch {
            guard error.number == ENOENT else { throw error }
            return finish(segment.name, delivered: segment.count, rejected: 0)   // another user had it meanwhile
        }
        let lines = SpoolLine.read(content).lines
        // Lines beyond the count were written although the disk said no.
        let kept = lines.prefix(segment.count)
        let missing = segment.count - kept.count
        if missing > 0 { loseDamaged(missing, of: segment.name) }
        let held = SpoolHand(
            segment: segment.name, sealed: segment.oldest, lines: kept.map(\.json), term: 0)
        try write(Array(kept.indices), of: held, for: destination.term)
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
        }
    }

    /// Replaces all pieces in hand by such that hold these events.
    private func write(_ places: [Int], of held: SpoolHand, for term: CurrentDestination.Term) throws {
        let maker = ParcelMaker(
            term.destination, maximumEvents: policy.parcelEvents, maximumBytes: policy.parcelBytes,
            compressionLevel: policy.compressionLevel)
        let (pieces, unreadable) = try held.pieces(places, maker)
        if pieces.isEmpty { try remove(held.segment) }
        if !unreadable.isEmpty { loseDamaged(unreadable.count, of: held.segment) }
        if pieces.isEmpty { return finish(held.segment, delivered: 0, rejected: 0) }
        hand.withLock { hand in
            hand = held
            hand?.pieces = pieces
            hand?.term = term.number
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
        guard let held = hand.withLock({ $0 }), let piece = held.pieces.first, piece.parcel.id == parcel.id else { return }
        var rest = held
        rest.pieces.removeFirst()
        if again.isEmpty {
            if rest.pieces.isEmpty { try remove(held.segment) }   // first: should it fail, nothing has been said yet
        } else {
            rest.pieces.insert(contentsOf: try self.pieces(again.map { piece.places[$0] }, of: held), at: 0)
        }
        let next = rest.pieces.isEmpty ? nil : rest
        hand.withLock { $0 = next }
        let delivered = parcel.count - rejected - again.count
        if next == nil {
            finish(held.segment, delivered: delivered, rejected: rejected)
        } else {
            state.withLock { note(&$0, delivered: delivered, rejected: rejected) }
        }
    }

    private func pieces(_ places: [Int], of held: SpoolHand) throws -> [SpoolHand.Piece] {
        let maker = ParcelMaker(
            destination.term.destination, maximumEvents: policy.parcelEvents, maximumBytes: policy.parcelBytes,
            compressionLevel: policy.compressionLevel)
        return try held.pieces(places, maker).pieces
    }

    private func note(_ state: inout State, delivered: Int, rejected: Int) {
        state.deliveries.deliver(delivered)
        state.deliveries.drop(rejected, .rejectedByServer)
        state.lost += rejected
    }

    /// The file is gone.
    private func finish(_ segment: SpoolName, delivered: Int, rejected: Int) {
        hand.withLock { $0 = nil }
        state.withLock { state in
            state.inHand = nil
            guard let place = state.sealed.firstIndex(where: { $0.name == segment }) else { return }
            state.bytes -= state.sealed.remove(at: place).bytes
            note(&state, delivered: delivered, rejected: rejected)
        }
    }

    func split(_ parcel: Parcel) throws -> Bool {
        guard let held = hand.withLock({ $0 }), let piece = held.pieces.first, piece.parcel.id == parcel.id,
            piece.places.count > 1
        else { return false }
        let half = piece.places.count / 2
        let halves = try pieces(Array(piece.places[..<half]), of: held) + pieces(Array(piece.places[half...]), of: held)
        hand.withLock { hand in hand?.pieces.replaceSubrange(0..<1, with: halves) }
        return true
    }

    func excerpt(of parcel: Parcel, entries: Set<Int>) -> Parcel? {
        guard let held = hand.withLock({ $0 }), let piece = held.pieces.first, piece.parcel.id == parcel.id else { return nil }
        let lines = entries.sorted().filter { piece.places.indices.contains($0) }.flatMap { held.lines[piece.places[$0]] }
        return Parcel(
            id: parcel.id, body: lines, contentType: "application/x-ndjson", count: entries.count, sealed: parcel.sealed)
    }
}
