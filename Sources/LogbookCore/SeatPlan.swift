/// Who sits where, and how each of them wants events laid out. Never changed: another audience has another plan.
final class SeatPlan: Sendable {
    /// A registration's place. Records name it; nobody else gets it as long as a record may.
    struct Seat: Sendable {
        let registration: LogRegistration
        /// The change of the audience with which it came.
        let since: UInt32
    }
    let seats: [Seat?]
    /// Each once, however many have it.
    let layouts: [any LineLayout]
    /// For each seat the place of its layout; nil where events are wanted.
    let layoutPlaces: [Int?]

    init(_ seats: [Seat?]) {
        var layouts: [any LineLayout] = []
        layoutPlaces = seats.map { seat in
            guard let layout = seat?.registration.lineLayout else { return nil }
            if let place = layouts.firstIndex(where: { $0.isEqual(to: layout) }) { return place }
            layouts.append(layout)
            return layouts.count - 1
        }
        self.seats = seats
        self.layouts = layouts
    }

    func place(of registration: LogRegistration) -> Int? { seats.firstIndex { $0?.registration === registration } }
}
