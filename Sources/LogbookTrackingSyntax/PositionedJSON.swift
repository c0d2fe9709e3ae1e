/// A value of a JSON text that knows where it stands, so that whoever finds it wrong can say where.
package struct PositionedJSON: Sendable {
    package enum Value: Sendable {
        case null
        case bool(Bool)
        case number(PlanNumber)
        case string(String)
        case array([PositionedJSON])
        case object([Member])
    }

    package struct Member: Sendable {
        package let key: String
        package let keyPlace: Place
        package let value: PositionedJSON
    }

    /// A place in a text: line and byte of the line, both counted from 1.
    package struct Place: Sendable, Hashable {
        package let line: Int
        package let column: Int
        package init(line: Int, column: Int) {
            self.line = line
            self.column = column
        }
    }

    package let value: Value
    package let place: Place

    package subscript(key: String) -> PositionedJSON? {
        guard case .object(let members) = value else { return nil }
        for place in members.indices where members[place].key == key { return members[place].value }
        return nil
    }

    package var string: String? { if case .string(let text) = value { text } else { nil } }
    package var integer: Int? { if case .number(let number) = value { number.integer.flatMap { Int(exactly: $0) } } else { nil } }
    package var elements: [PositionedJSON] { if case .array(let elements) = value { elements } else { [] } }
}
