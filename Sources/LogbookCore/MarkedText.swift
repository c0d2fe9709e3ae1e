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

    /// Marks what was found as well, except within parts that are marked public.
    ///
    /// - Parameter found: Ranges in their order that do not overlap.
    func marking(_ found: [Range<Int>], _ privacy: LogPrivacy) -> [Mark] {
        if found.isEmpty { return marks }
        var all: [Mark] = []
        var own = 0, next = 0
        while own < marks.count || next < found.count {
            let mark: Mark
            if next == found.count || (own < marks.count && marks[own].range.lowerBound <= found[next].lowerBound) {
                mark = marks[own]
                own += 1
            } else {
                mark = Mark(range: found[next], privacy: privacy)
                next += 1
            }
            guard let last = all.last, last.range.upperBound > mark.range.lowerBound else {
                all.append(mark)
                continue
            }
            if last.privacy == .public, mark.range.upperBound <= last.range.upperBound { continue }
            if last.privacy == .public {
                all[all.count - 1].range = last.range.lowerBound..<mark.range.lowerBound
                all.append(mark)
            } else if mark.privacy != .public || mark.range.upperBound > last.range.upperBound {
                let end = max(last.range.upperBound, mark.range.upperBound)
                all[all.count - 1] = Mark(
                    range: last.range.lowerBound..<end,
                    privacy: last.privacy == .secret || mark.privacy == .secret ? .secret : .private)
            }
        }
        return all
    }
}
