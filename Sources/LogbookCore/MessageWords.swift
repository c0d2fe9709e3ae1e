// HOT PATH — text is made of the pieces once, by the thread that formats.

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
        forEachPiece { piece in
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
                body(.bytes(UnsafeBufferPointer(start: address, count: MessageWord.literalBytes(word))))
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
