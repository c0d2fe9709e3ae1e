/// A text of which not every reader may see every part.
struct MarkedText: Sendable {
    /// A part of the text, in bytes.
    struct Mark: Sendable, Equatable {
        var range: Range<Int>
        var privacy: LogPrivacy
    }
    var bytes: [UInt8]
    /// In their order; none overlaps another.
    var marks: [Mark]

    init(bytes: [UInt8], marks: [Mark] = []) {
        self.bytes = bytes
        self.marks = marks
    }

    /// - Parameter privacy: What all of it is.
    init(_ text: String, _ privacy: LogPrivacy = .public) {
        let bytes = Array(text.utf8)
        let isOpen = privacy == .public || bytes.isEmpty
        self.init(bytes: bytes, marks: isOpen ? [] : [Mark(range: bytes.indices, privacy: privacy)])
    }

    var isMarked: Bool { !marks.isEmpty }

    /// Marks what was found as well, beside the own marks: those stand, so that equal values are equal marks wherever they are.
    ///
    /// - Parameters:
    ///   - found: Ranges in their order that do not overlap.
    ///   - privacy: What they are; where that is secret, so is what is marked private within them.
    func marking(_ found: [Range<Int>], _ privacy: LogPrivacy) -> [Mark] {
        var all: [Mark] = [], own = marks[...], end = 0
        for range in found {
            end = max(end, range.lowerBound)
            while let mark = own.first, mark.range.lowerBound < range.upperBound {
                own.removeFirst()
                let isWithin = mark.range.upperBound > range.lowerBound
                if isWithin, end < mark.range.lowerBound { all.append(Mark(range: end..<mark.range.lowerBound, privacy: privacy)) }
                let isSecret = isWithin && privacy == .secret && mark.privacy == .private
                all.append(Mark(range: mark.range, privacy: isSecret ? .secret : mark.privacy))
                end = max(end, mark.range.upperBound)
            }
            if end < range.upperBound { all.append(Mark(range: end..<range.upperBound, privacy: privacy)) }
            end = max(end, range.upperBound)
        }
        return all + own
    }
}
