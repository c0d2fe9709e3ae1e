internal import LogbookCore
internal import LogbookDelivery
internal import LogbookFormat

/// The file of a spool that is being delivered: its events, and the parcels they go in.
struct SpoolHand: Sendable {
    struct Piece {
        let parcel: Parcel
        /// Of its events among the file's.
        let places: [Int]
        /// For which destination it was written.
        let term: Int
    }

    let segment: SpoolName
    /// When the first of its events was said: that stands in the file, so it is the same in each run that sends it.
    let sealed: LogTime
    /// JSON with a newline, one each.
    let lines: [ArraySlice<UInt8>]
    /// Not settled yet, the oldest first.
    var pieces: [Piece] = []
    /// Places of events that are in no piece yet, the oldest first.
    var rest: [Int]

    /// - Parameter time: Stands in where no line says one.
    init(segment: SpoolName, lines: [ArraySlice<UInt8>], otherwise time: LogTime) {
        self.segment = segment
        self.lines = lines
        rest = Array(lines.indices)
        sealed = lines.lazy.compactMap { try? JSONLineFormat.parse(Array($0)).event.time }.first ?? time
    }

    /// Whether the fate of all its events is known.
    var isDone: Bool { pieces.isEmpty && rest.isEmpty }

    /// Whether something of it is not on its way.
    func waits(besides onTheirWay: Set<String>) -> Bool { !rest.isEmpty || !waiting(besides: onTheirWay).isEmpty }

    private func waiting(besides onTheirWay: Set<String>) -> [Piece] { pieces.filter { !onTheirWay.contains($0.parcel.id) } }

    /// The oldest that is not on its way; nil where it has to be written first, or written anew for this destination.
    func next(besides onTheirWay: Set<String>, term: Int) -> Parcel? {
        let waiting = waiting(besides: onTheirWay)
        guard let first = waiting.first, waiting.allSatisfy({ $0.term == term }) else { return nil }
        if let place = rest.first, place < first.places[0] { return nil }
        return first.parcel
    }

    /// Has pieces written anew that are for another destination.
    mutating func takeApart(besides onTheirWay: Set<String>, term: Int) {
        let waiting = waiting(besides: onTheirWay)
        if waiting.allSatisfy({ $0.term == term }) { return }
        pieces.removeAll { !onTheirWay.contains($0.parcel.id) }
        rest = (rest + waiting.flatMap(\.places)).sorted()
    }

    /// Has the events of a piece go into others.
    mutating func takeApart(_ place: Int) {
        let places = pieces.remove(at: place).places
        rest = (rest + places).sorted()
    }

    /// Writes the next pieces, of so many events at most.
    /// - Returns: The places of lines that are no events of ours, although they are whole.
    mutating func writeNext(_ most: Int, _ maker: ParcelMaker, term: Int) throws -> [Int] {
        // Not beyond what is in a piece already: what was taken apart behind it stays behind it.
        let end = rest.first.flatMap { first in pieces.first { $0.places[0] > first }?.places[0] } ?? lines.count
        let next = Array(rest.prefix { $0 < end }.prefix(most))
        let (written, unreadable) = try self.pieces(next, maker, term: term)
        rest.removeFirst(next.count)
        pieces = (pieces + written).sorted { $0.places[0] < $1.places[0] }
        return unreadable
    }

    /// Writes the pieces that hold these events.
    /// - Returns: Also the places of lines that are no events of ours, although they are whole.
    func pieces(_ places: [Int], _ maker: ParcelMaker, term: Int) throws -> (pieces: [Piece], unreadable: [Int]) {
        if let lines = maker.destination as? any LineDestination, lines.takesJSONLines {
            return (try linePieces(places, maker, term: term), [])
        }
        var events: [KeyedEvent] = [], readable: [Int] = [], unreadable: [Int] = []
        for place in places {
            guard let (event, origin) = try? JSONLineFormat.parse(Array(lines[place])) else {
                unreadable.append(place)
                continue
            }
            events.append(KeyedEvent(event, origin: origin ?? LogOrigin(installation: segment.id, epoch: 0)))
            readable.append(place)
        }
        var next = readable[...]
        let pieces = try maker.parcels(events, sealed: sealed) { "" }.map { made in
            let places = Array(next.prefix(made.events.count))
            next = next.dropFirst(made.events.count)
            return Piece(parcel: made.parcel.named(id(places)), places: places, term: term)
        }
        return (pieces, unreadable)
    }

    private func linePieces(_ places: [Int], _ maker: ParcelMaker, term: Int) throws -> [Piece] {
        var pieces: [Piece] = [], body: [UInt8] = [], held: [Int] = []
        func finish() throws {
            if held.isEmpty { return }
            let parcel = try maker.parcel(body, count: held.count, id: id(held), sealed: sealed)
            pieces.append(Piece(parcel: parcel, places: held, term: term))
            body = []
            held = []
        }
        for place in places {
            let line = lines[place]
            if held.count == maker.maximumEvents || body.count + line.count > maker.maximumBytes { try finish() }
            body += line
            held.append(place)
        }
        try finish()
        return pieces
    }

    /// The same for the same part of the same file, also in the next run: `<file>.1000` for all of its thousand events, `<file>.1000.0-499`
    /// for the first half. A crash may bring a file back of which not everything is left. It has another number then, so that what is sent
    /// of it takes no other parcel's place at a receiver that goes by the id.
    private func id(_ places: [Int]) -> String {
        let file = "\(segment.id).\(lines.count)"
        guard let first = places.first, let last = places.last, places.count < lines.count else { return file }
        return last - first == places.count - 1 ? "\(file).\(first)-\(last)" : UniqueID.make()
    }
}

extension Parcel {
    fileprivate func named(_ id: String) -> Parcel {
        Parcel(
            id: id, body: body, contentType: contentType, contentEncoding: contentEncoding, count: count, sealed: sealed)
    }
}
