/// What a file holds of the runs before this one.
struct RecordedEvents {
    /// Not handed over yet, oldest first.
    var waiting: [RecordedEvent] = []
    /// The number of the newest record, whether handed over or not.
    var latestNumber: UInt64 = 0
    /// Where the record after it begins.
    var position = 0
    let verdict: RingHeader.Verdict
    /// Of the ring, as the file's size says.
    let capacity: Int

    init(_ file: [UInt8]) {
        verdict = RingHeader.verdict(on: file)
        capacity = max(0, file.count - RingHeader.bytes) / 8 * 8
        guard case .ring(let settled) = verdict else { return }
        latestNumber = settled
        let ring = file[RingHeader.bytes..<(RingHeader.bytes + capacity)]
        for frame in RingFrame.all(in: ring) {
            if frame.number >= latestNumber {
                latestNumber = frame.number
                position = frame.end(in: capacity)
            }
            if frame.number > settled {
                waiting.append(
                    RecordedEvent(line: frame.payload(in: ring), epoch: frame.epoch, showsPrivate: frame.showsPrivate))
            }
        }
    }

    var isRing: Bool { if case .ring = verdict { true } else { false } }
}
