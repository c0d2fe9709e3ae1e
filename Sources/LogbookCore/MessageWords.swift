// HOT PATH — text is made of the pieces once, by the thread that formats.
internal import CLogbookSystem

/// The words of a message, wherever they lie.
struct MessageWords {
    let words: UnsafeBufferPointer<UInt64>

    /// Bytes the text has at most.
    var maximumBytes: Int {
        var bytes = 0
        forEachPiece { piece in
            switch piece {
            case .bytes(let text), .text(let text): bytes += text.count
            case .signed, .unsigned: bytes += 20
            case .double: bytes += 32
            case .markBegin, .markEnd: break
            }
        }
        return bytes
    }

    /// The text, whatever is marked in it.
    var string: String {
        String(unsafeUninitializedCapacity: maximumBytes) { room in
            room.baseAddress.map { write(to: $0) { _, _ in } } ?? 0
        }
    }

    /// The text with its marks.
    /// - Parameter unmarked: What texts are that stand outside of all marks.
    func markedText(_ unmarked: LogPrivacy) -> MarkedText {
        var text = markedText
        guard unmarked != .public else { return text }
        var place = 0, isMarked = false, all: [MarkedText.Mark] = [], own = text.marks[...]
        forEachPiece { piece in
            let start = place
            switch piece {
            case .markBegin: isMarked = true
            case .markEnd: isMarked = false
            case .bytes(let bytes), .text(let bytes): place += bytes.count
            case .signed(let value): place += Int(logbook_decimal_digits(value.magnitude)) + (value < 0 ? 1 : 0)
            case .unsigned(let value): place += Int(logbook_decimal_digits(value))
            case .double(let value): place += value.description.utf8.count
            }
            if case .text = piece, !isMarked, place > start {
                while let mark = own.first, mark.range.lowerBound < start {
                    all.append(mark)
                    own.removeFirst()
                }
                all.append(MarkedText.Mark(range: start..<place, privacy: unmarked))
            }
        }
        text.marks = all + own
        return text
    }

    private var markedText: MarkedText {
        var marks: [MarkedText.Mark] = [], begin = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: maximumBytes) { room, count in
            guard let start = room.baseAddress else { return }
            count = write(to: start) { privacy, place in
                if let privacy {
                    begin = place
                    marks.append(MarkedText.Mark(range: place..<place, privacy: privacy))
                } else if begin < place {
                    marks[marks.count - 1].range = begin..<place
                } else {
                    marks.removeLast()   // nothing stands between
                }
            }
        }
        return MarkedText(bytes: bytes, marks: marks)
    }

    /// Writes the text.
    /// - Parameters:
    ///   - target: Room for ``maximumBytes``.
    ///   - mark: Called where a mark begins, and, without a privacy, where it ends.
    /// - Returns: Bytes written.
    func write(to target: UnsafeMutablePointer<UInt8>, mark: (LogPrivacy?, Int) -> Void) -> Int {
        var next = target
        forEachPiece { piece in
            switch piece {
            case .markBegin(let privacy): mark(privacy, next - target)
            case .markEnd: mark(nil, next - target)
            case .bytes(let text), .text(let text):
                guard let start = text.baseAddress else { return }
                next.update(from: start, count: text.count)
                next += text.count
            case .signed(let value): next += writeDecimal(value.magnitude, isNegative: value < 0, to: next)
            case .unsigned(let value): next += writeDecimal(value, isNegative: false, to: next)
            case .double(let value):
                for byte in value.description.utf8 {
                    next.pointee = byte
                    next += 1
                }
            }
        }
        return next - target
    }

    private enum Piece {
        /// A literal.
        case bytes(UnsafeBufferPointer<UInt8>)
        /// Any other text.
        case text(UnsafeBufferPointer<UInt8>)
        case signed(Int64), unsigned(UInt64), double(Double), markBegin(LogPrivacy), markEnd
    }

    @inline(__always)
    private func forEachPiece(_ body: (Piece) -> Void) {
        guard var next = words.baseAddress else { return }
        let end = next + words.count
        while next < end {
            let word = next.pointee
            next += 1
            switch MessageWord.Kind(rawValue: word & MessageWord.kindMask)! {
            case .literal:
                let address = UnsafePointer<UInt8>(bitPattern: UInt(word >> UInt64(MessageWord.literalAddressShift)))
                let count = Int(word >> UInt64(MessageWord.kindBits)) & (1 << MessageWord.literalLengthBits - 1)
                body(.bytes(UnsafeBufferPointer(start: address, count: count)))
            case .small: body(.signed(Int64(bitPattern: word) >> Int64(MessageWord.kindBits)))
            case .text:
                let count = Int(word >> UInt64(MessageWord.kindBits))
                body(.text(UnsafeBufferPointer(start: UnsafeRawPointer(next).assumingMemoryBound(to: UInt8.self), count: count)))
                next += MessageWord.textWords(count)
            case .signed:
                body(.signed(Int64(bitPattern: next.pointee)))
                next += 1
            case .unsigned:
                body(.unsigned(next.pointee))
                next += 1
            case .double:
                body(.double(Double(bitPattern: next.pointee)))
                next += 1
            case .markBegin: body(.markBegin(MessageWord.privacy(of: word)))
            case .markEnd: body(.markEnd)
            }
        }
    }
}
