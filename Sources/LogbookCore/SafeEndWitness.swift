/// A provider that keeps something for a bad end, and wants to know when the program ends with everything safe.
///
/// It hears an event in its turn: others may be given the same one after it. So it is told when giving one out begins and ends, and what
/// it keeps is settled only as far as everybody had been given it when the last flush began.
package protocol SafeEndWitness: LogProvider, AnyObject {
    /// Called under no lock before an event is given to anybody, by the thread that gives it out.
    /// - Returns: A mark for ``givingOutEnds(_:)``.
    func givingOutBegins() -> UInt64

    /// Everybody has been given that event, or its queue has.
    func givingOutEnds(_ mark: UInt64)

    /// How far everybody else has been given what it keeps.
    var givenOut: UInt64 { get }

    /// Called on the thread that ends the program, after every provider has been flushed; events may still come.
    /// - Parameter mark: ``givenOut`` from before that flush began: what came later may have reached nobody else.
    func programEndsSafely(through mark: UInt64)
}

/// How far everybody has been given what some witnesses keep: taken before a flush or a shutdown, and told to them when that made
/// everything safe.
struct SafeEnd {
    private let marks: [(witness: any SafeEndWitness, mark: UInt64)]

    /// Lets wrappers in front of the witnesses first say what they hold back: it belongs to what had been said by now.
    init(of registrations: [LogRegistration], by deadline: LogDeadline) {
        let wrapped = registrations.filter { $0.witness != nil && $0.isWrapped }
        if !wrapped.isEmpty {
            let limit = deadline.remaining.map { LogDeadline.after($0 / 2) } ?? .never   // the rest of the time is the others'
            _ = LogService.report(among: wrapped, by: limit) { try $0.flush(by: limit) }
        }
        marks = registrations.compactMap { registration in registration.witness.map { ($0, $0.givenOut) } }
    }

    func isReached() {
        for (witness, mark) in marks { witness.programEndsSafely(through: mark) }
    }
}

/// One event on its way to everybody.
struct GivingOut {
    private let marks: [(witness: any SafeEndWitness, mark: UInt64)]

    /// - Returns: Nil where nobody wants to know.
    @inline(__always)
    init?(among witnesses: [any SafeEndWitness]) {
        if _fastPath(witnesses.isEmpty) { return nil }
        marks = witnesses.map { ($0, $0.givingOutBegins()) }
    }

    func ends() {
        for (witness, mark) in marks { witness.givingOutEnds(mark) }
    }
}
