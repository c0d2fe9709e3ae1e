/// Where something of a plan is written.
package struct PlanPlace: Sendable, Hashable {
    package let file: String
    /// Counted from 1; 0 when it is not known.
    package let line: Int
    /// Bytes of the line, counted from 1; 0 for a plan in Swift, where the line is all that is known.
    package let column: Int

    package init(file: String, line: Int, column: Int = 0) {
        self.file = file
        self.line = line
        self.column = column
    }

    func moved(by columns: Int) -> PlanPlace { column == 0 ? self : PlanPlace(file: file, line: line, column: column + columns) }
}

/// A value and where it is written.
package struct Placed<Value: Sendable>: Sendable {
    package var value: Value
    package var place: PlanPlace

    package init(_ value: Value, at place: PlanPlace) {
        self.value = value
        self.place = place
    }
}
