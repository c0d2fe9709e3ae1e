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

    /// - Parameter time: Stands in where no line says one.
    init(segment: SpoolName, lines: [ArraySlice<UInt8>], otherwise time: LogTime) {
        self.segment = segment
        self.lines = lines
        sealed = lines.lazy.compactMap { try? JSONLineFormat.parse(Array($0)).event.time }.first ?? time
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

    /// The file's own id for all of it, and the same id for the same part of it, also in the next run.
    private func id(_ places: [Int]) -> String {
        guard let first = places.first, let last = places.last, places.count < lines.count else { return segment.id }
        return last - first == places.count - 1 ? "\(segment.id).\(first)-\(last)" : UniqueID.make()
    }
}

extension Parcel {
    fileprivate func named(_ id: String) -> Parcel {
        Parcel(
            id: id, body: body, contentType: contentType, contentEncoding: contentEncoding, count: count, sealed: sealed)
    }
}
