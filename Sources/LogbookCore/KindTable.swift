/// What is known about each kind of event; bounded: kinds beyond the limit share one place.
struct KindTable<Kind> {
    private(set) var kinds: [LogEventKey.Value: Kind] = [:]
    private let maximumKinds: Int
    /// Looking for kinds to forget costs a look at all of them, so it is done once for as many events as there are kinds.
    private var untilNextLook = 0

    init(maximumKinds: Int) { self.maximumKinds = maximumKinds }

    /// The place for an event of this kind. When there is no room, kinds that `isOver` says are forgotten first.
    mutating func place(for value: LogEventKey.Value, isOver: (Kind) -> Bool) -> LogEventKey.Value {
        if value == .rest || kinds[value] != nil || hasRoom { return value }
        untilNextLook -= 1
        if untilNextLook > 0 { return .rest }
        untilNextLook = maximumKinds
        forget(isOver)
        return hasRoom ? value : .rest
    }

    /// What is known at the place that an event of this kind would take now.
    func known(for value: LogEventKey.Value, isOver: (Kind) -> Bool) -> Kind? {
        var table = self
        return table.kinds[table.place(for: value, isOver: isOver)]
    }

    mutating func forget(_ isOver: (Kind) -> Bool) { kinds = kinds.filter { !isOver($1) } }

    private var hasRoom: Bool { kinds.count - (kinds[.rest] == nil ? 0 : 1) < maximumKinds }

    subscript(value: LogEventKey.Value) -> Kind? {
        get { kinds[value] }
        set { kinds[value] = newValue }
    }

    subscript(value: LogEventKey.Value, default initial: @autoclosure () -> Kind) -> Kind {
        get { kinds[value] ?? initial() }
        set { kinds[value] = newValue }
    }
}
