internal import Synchronization

/// Who sits where, and how each of them wants events laid out. Never changed: another audience has another plan.
final class SeatPlan: Sendable {
    /// A registration's place. Records name it; nobody else gets it as long as a record may.
    struct Seat: Sendable {
        let registration: LogRegistration
        /// The change of the audience with which it came, or a later one once no record is that old.
        var since: UInt32
    }
    /// What is private, and how each seat sees that.
    struct Privacy: Sendable {
        let terms: PrivacyTerms
        /// By seat.
        let modes: [PrivacyMode]
        /// The change of the audience with which it came, or a later one once no record is that old.
        var since: UInt32

        /// Where nothing is searched there is nothing to tell apart.
        func isSame(as other: Privacy) -> Bool {
            terms.scanner == nil && other.terms.scanner == nil || terms == other.terms && modes == other.modes
        }
    }
    /// Behind a reference, so that using it copies nothing.
    final class Layout: Sendable {
        let layout: any LineLayout
        /// Belongs to the thread that distributes.
        let memory = LineMemory()
        private let writer: any RecordWriter
        /// Whether there is a short way for records.
        let hasWriter: Bool

        init(_ layout: any LineLayout) {
            self.layout = layout
            let writer = layout.recordWriter()
            hasWriter = writer != nil
            self.writer = writer ?? NoRecordWriter()
        }

        /// Appends a record the short way.
        /// - Returns: False where there is more to it: nothing was appended.
        @inline(__always)
        func append(atOnce memory: UnsafeRawPointer, _ texts: MessageText) -> Bool {
            guard writer.append(PlainRecord(memory), texts, to: self.memory) else { return false }
            let header = memory.assumingMemoryBound(to: EventRecord.self)
            self.memory.endLine(header.pointee.time, header.pointee.sequence)
            return true
        }

        /// Whether the memory has as much as one round should.
        @inline(__always)
        var isFull: Bool { memory.count >= DistributionRound.maximumBytes }

        /// - Returns: Whether the memory has as much as one round should.
        @inline(__always)
        func append(_ event: PlainEvent) -> Bool {
            layout.append(event, to: memory)
            memory.endLine(event.time, event.sequence)
            return isFull
        }

        func append(_ event: LogEvent) -> Bool {
            layout.append(event, to: memory)
            memory.endLine(event.time, event.sequence)
            return isFull
        }
    }
    static let nobody = SeatPlan([])
    private static let numbers = Atomic<UInt64>(0)

    /// Another for each plan.
    let number = numbers.add(1, ordering: .relaxed).newValue
    let seats: [Seat?]
    /// Each once, however many have it.
    let layouts: [Layout]
    /// For each seat the place of its layout; nil where events are wanted.
    let layoutPlaces: [Int?]

    /// The oldest first: a record is searched as it was to be when it was said.
    private let privacies: [Privacy]

    init(_ seats: [Seat?], _ privacies: [Privacy] = []) {
        self.privacies = privacies
        var layouts: [Layout] = []
        layoutPlaces = seats.map { seat in
            guard let layout = seat?.registration.lineLayout else { return nil }
            if let place = layouts.firstIndex(where: { $0.layout.isEqual(to: layout) }) { return place }
            layouts.append(Layout(layout))
            return layouts.count - 1
        }
        self.seats = seats
        self.layouts = layouts
    }

    /// What is searched for in the records of one kind; nil when that is nothing.
    func privacy(of hearing: Hearing) -> Privacy? {
        let privacy = privacies.last { hearing.isAfter($0.since) } ?? privacies.first
        return privacy?.terms.scanner == nil ? nil : privacy
    }

    func place(of registration: LogRegistration) -> Int? { seats.firstIndex { $0?.registration === registration } }
}
