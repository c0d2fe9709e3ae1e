// HOT PATH — text is made of the pieces once, by the thread that formats.

/// The words of a message, wherever they lie.
struct MessageWords {
    let words: UnsafeBufferPointer<UInt64>

    /// Bytes the text has at most.
    var maximumBytes: Int {
        var bytes = 0
        for piece in pieces {
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
            room.baseAddress.map { write(to: $0) } ?? 0
        }
    }

    /// The text with its marks.
    /// - Parameter unmarked: What texts are that stand outside of all marks.
    func markedText(_ unmarked: LogPrivacy) -> MarkedText {
        var marks: [MarkedText.Mark] = [], begin: Int?
        let bytes = [UInt8](unsafeUninitializedCapacity: maximumBytes) { room, count in
            guard let start = room.baseAddress else { return }
            count = write(to: start) { privacy, place in
                if let privacy {
                    begin = place
                    marks.append(MarkedText.Mark(range: place..<place, privacy: privacy))
                    return
                }
                if let begin, begin < place {
                    marks[marks.count - 1].range = begin..<place
                } else {
                    marks.removeLast()   // nothing stands between
                }
                begin = nil
            } text: { range in
                if begin == nil, unmarked != .public, !range.isEmpty { marks.append(MarkedText.Mark(range: range, privacy: unmarked)) }
            }
        }
        return MarkedText(bytes: bytes, marks: marks)
    }

    /// Writes the text.
    /// - Parameters:
    ///   - target: Room for ``maximumBytes``.
    ///   - mark: Called where a mark begins, and, without a privacy, where it ends.
    ///   - text: Called with where a text stands that is no literal.
    /// - Returns: Bytes written.
    func write(
        to target: UnsafeMutablePointer<UInt8>, mark: (LogPrivacy?, Int) -> Void = { _, _ in }, text: (Range<Int>) -> Void = { _ in }
    ) -> Int {
        var next = target
        func append(_ bytes: UnsafeBufferPointer<UInt8>) {
            guard let start = bytes.baseAddress else { return }
            next.update(from: start, count: bytes.count)
            next += bytes.count
        }
        for piece in pieces {
            switch piece {
            case .markBegin(let privacy): mark(privacy, next - target)
            case .markEnd: mark(nil, next - target)
            case .bytes(let bytes): append(bytes)
            case .text(let bytes):
                let start = next - target
                append(bytes)
                text(start..<next - target)
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

    private var pieces: Pieces { Pieces(place: words.baseAddress, left: words.count) }

    /// The pieces one after the other. What is done with one is written once: it is too much to be there for each kind of word.
    private struct Pieces: Sequence, IteratorProtocol {
        var place: UnsafePointer<UInt64>?
        var left: Int

        private mutating func skip(_ count: Int) {
            place! += count
            left -= count
        }

        @inline(__always)
        mutating func next() -> Piece? {
            guard left > 0, let place else { return nil }
            let word = place.pointee
            switch MessageWord.Kind(rawValue: word & MessageWord.kindMask)! {
            case .literal:
                skip(1)
                let address = UnsafePointer<UInt8>(bitPattern: UInt(word >> UInt64(MessageWord.literalAddressShift)))
                return .bytes(UnsafeBufferPointer(start: address, count: MessageWord.literalBytes(word)))
            case .small:
                skip(1)
                return .signed(Int64(bitPattern: word) >> Int64(MessageWord.kindBits))
            case .text:
                let count = Int(word >> UInt64(MessageWord.kindBits))
                skip(1 + MessageWord.textWords(count))
                return .text(UnsafeBufferPointer(start: UnsafeRawPointer(place + 1).assumingMemoryBound(to: UInt8.self), count: count))
            case .signed:
                skip(2)
                return .signed(Int64(bitPattern: place[1]))
            case .unsigned:
                skip(2)
                return .unsigned(place[1])
            case .double:
                skip(2)
                return .double(Double(bitPattern: place[1]))
            case .markBegin:
                skip(1)
                return .markBegin(MessageWord.privacy(of: word))
            case .markEnd:
                skip(1)
                return .markEnd
            }
        }
    }
}
