/// A number of a plan, or one that is compared with it. Whole ones are exact as far as 64 bits go.
package struct PlanNumber: Sendable, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    /// Nil for a fraction, and for a whole number that 64 bits do not hold.
    package let integer: Int64?
    package let double: Double

    package init(_ integer: Int64) {
        self.integer = integer
        double = Double(integer)
    }

    package init(_ double: Double) {
        integer = Int64(exactly: double)
        self.double = double
    }

    /// As JSON writes it.
    package init?(_ text: String) {
        if let integer = Int64(text) {
            self.init(integer)
        } else if let double = Double(text), double.isFinite {
            self.init(double)
        } else {
            return nil
        }
    }

    package init(integerLiteral value: Int64) { self.init(value) }
    package init(floatLiteral value: Double) { self.init(value) }
}

extension PlanNumber: Comparable {
    package static func == (left: PlanNumber, right: PlanNumber) -> Bool {
        if let left = left.integer, let right = right.integer { left == right } else { left.double == right.double }
    }

    package static func < (left: PlanNumber, right: PlanNumber) -> Bool {
        if let left = left.integer, let right = right.integer { left < right } else { left.double < right.double }
    }
    // Of what is no number nothing holds.
    package static func <= (left: PlanNumber, right: PlanNumber) -> Bool { left < right || left == right }
    package static func >= (left: PlanNumber, right: PlanNumber) -> Bool { right <= left }
}
