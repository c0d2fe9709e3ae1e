internal import LogbookCore
internal import LogbookDelivery
internal import LogbookGzip

/// Makes parcels of events, as a destination wants them and within the limits of both sides.
struct ParcelMaker: Sendable {
    let destination: any LogDestination
    let maximumEvents: Int
    let maximumBytes: Int
    let compressionLevel: Int

    init(_ destination: any LogDestination, maximumEvents: Int, maximumBytes: Int, compressionLevel: Int) {
        self.destination = destination
        self.maximumEvents = min(maximumEvents, destination.limits.events)
        self.maximumBytes = min(maximumBytes, destination.limits.bytes)
        self.compressionLevel = compressionLevel
    }

    /// One parcel where the events fit into one, otherwise several; an event that is too large alone is a parcel.
    /// - Parameter id: Called for each parcel.
    func parcels(_ events: [KeyedEvent], sealed: LogTime, id: () -> String) throws -> [(parcel: Parcel, events: [KeyedEvent])] {
        guard !events.isEmpty else { return [] }
        let ages = agesApart(events)
        if ages.count > 1 { return try ages.flatMap { try self.parcels($0, sealed: sealed, id: id) } }
        if events.count <= maximumEvents {
            let body = destination.encode(events)
            if body.count <= maximumBytes || events.count == 1 {
                return [(try parcel(body, count: events.count, id: id(), sealed: sealed), events)]
            }
        }
        var parcels: [(Parcel, [KeyedEvent])] = []
        for piece in pieces(events) { parcels += try self.parcels(piece, sealed: sealed, id: id) }
        return parcels
    }

    /// The events in pieces, none of which spans more time than the receiver takes at once; all in one where it takes any.
    private func agesApart(_ events: [KeyedEvent]) -> [[KeyedEvent]] {
        guard let span = destination.limits.span?.wholeNanoseconds else { return [events] }
        var pieces: [[KeyedEvent]] = [], piece: [KeyedEvent] = []
        var earliest = Int64.max, latest = Int64.min
        for event in events {
            let time = event.event.time.nanoseconds
            let (widest, overflow) = max(latest, time).subtractingReportingOverflow(min(earliest, time))
            if !piece.isEmpty, overflow || widest > span {
                pieces.append(piece)
                (piece, earliest, latest) = ([], .max, .min)
            }
            piece.append(event)
            earliest = min(earliest, time)
            latest = max(latest, time)
        }
        return pieces + [piece]
    }

    /// At least two pieces of more than one event, of about the right size; what comes out too large is cut again.
    private func pieces(_ events: [KeyedEvent]) -> [[KeyedEvent]] {
        var pieces: [[KeyedEvent]] = [], piece: [KeyedEvent] = [], bytes = 0
        for event in events {
            let estimate = event.event.estimatedBytes
            if !piece.isEmpty, piece.count >= maximumEvents || bytes + estimate > maximumBytes {
                pieces.append(piece)
                (piece, bytes) = ([], 0)
            }
            piece.append(event)
            bytes += estimate
        }
        if !pieces.isEmpty { return pieces + [piece] }
        let half = events.count / 2
        return [Array(events[..<half]), Array(events[half...])]
    }

    func parcel(_ body: [UInt8], count: Int, id: String, sealed: LogTime) throws -> Parcel {
        let (bytes, encoding) = try compressed(body)
        return Parcel(
            id: id, body: bytes, contentType: destination.contentType, contentEncoding: encoding, count: count, sealed: sealed)
    }

    private func compressed(_ body: [UInt8]) throws -> ([UInt8], encoding: String?) {
        guard destination.takesGzip else { return (body, nil) }
        let compressed = try Gzip.compress(body, level: compressionLevel)
        // A receiver may take what grows beyond all measure for an attack.
        return body.count <= compressed.count * (Gzip.suspectedRatio * 9 / 10) ? (compressed, "gzip") : (body, nil)
    }
}
