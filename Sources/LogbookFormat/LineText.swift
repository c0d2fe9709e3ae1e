internal import LogbookCore

/// What a terminal would show of a line that any program wrote, as text.
package enum LineText {
    /// The bytes without colours and other terminal sequences (`ESC [ … letter`).
    package static func withoutTerminalSequences(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(0x1B) else { return bytes }
        var shown: [UInt8] = []
        var position = 0
        while position < bytes.count {
            if bytes[position] == 0x1B, position + 1 < bytes.count, bytes[position + 1] == 0x5B {
                var end = position + 2
                while end < bytes.count, (0x20...0x3F).contains(bytes[end]) { end += 1 }
                if end < bytes.count, (0x40...0x7E).contains(bytes[end]) {
                    position = end + 1
                    continue
                }
            }
            shown.append(bytes[position])
            position += 1
        }
        return shown
    }

    /// Longer sequences are not waited for.
    private static let longestSequence = 32

    /// The terminal sequence that the bytes end within; empty where they end within none.
    package static func unfinishedTerminalSequence(of bytes: [UInt8]) -> ArraySlice<UInt8> {
        guard let escape = bytes.suffix(longestSequence).lastIndex(of: 0x1B) else { return [] }
        let behind = bytes[(escape + 1)...]
        let goesOn = behind.isEmpty || behind.first == 0x5B && behind.dropFirst().allSatisfy { (0x20...0x3F).contains($0) }
        return goesOn ? bytes[escape...] : []
    }

    /// The bytes as text. A byte that is no UTF-8 becomes `\xE9`, so that it is seen and can be told.
    package static func decoded(_ bytes: some BidirectionalCollection<UInt8>) -> String {
        let bytes = Array(bytes)
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var readable: [UInt8] = []
        var position = 0
        while position < bytes.count {
            let length = characterLength(bytes, at: position)
            if length > 0 {
                readable.append(contentsOf: bytes[position..<position + length])
            } else {
                let byte = bytes[position]
                readable += [0x5C, 0x78, (byte >> 4).capitalHexadecimalDigit, (byte & 15).capitalHexadecimalDigit]
            }
            position += max(length, 1)
        }
        return String(decoding: readable, as: UTF8.self)
    }

    /// How many bytes the character at this place takes; 0 when none begins here (Unicode standard, table 3-7).
    private static func characterLength(_ bytes: [UInt8], at position: Int) -> Int {
        let first = bytes[position]
        if first < 0x80 { return 1 }
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch first {
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        case 0xF1...0xF3: length = 4
        default: return 0
        }
        guard position + length <= bytes.count, second.contains(bytes[position + 1]) else { return 0 }
        return bytes[(position + 2)..<(position + length)].allSatisfy { $0 & 0xC0 == 0x80 } ? length : 0
    }
}
