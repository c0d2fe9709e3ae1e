#if Collector
    internal import LogbookCore
    internal import LogbookFormat
    internal import LogbookTransactions

    /// The texts in which archives outside this process take rows: one JSON object each.
    struct ArchiveRow {
        private(set) var bytes: [UInt8] = []

        private mutating func begin(_ column: StaticString) {
            bytes.append(bytes.isEmpty ? 0x7B : 0x2C)
            bytes.append(0x22)
            column.withUTF8Buffer { bytes += $0 }
            bytes += [0x22, 0x3A]
        }

        /// Nil is left out: the column then has its default.
        mutating func add(_ column: StaticString, _ text: String?) {
            guard let text else { return }
            begin(column)
            bytes.append(jsonString: text.storable)
        }

        mutating func add(_ column: StaticString, _ number: (some BinaryInteger)?) {
            guard let number else { return }
            begin(column)
            bytes += String(number).utf8
        }

        /// The object, closed.
        var object: [UInt8] { (bytes.isEmpty ? [0x7B] : bytes) + [0x7D] }
    }

    extension LogMetadata {
        /// As a JSON object without NUL, or nil when it is empty.
        var storableJSON: String? {
            if isEmpty { return nil }
            var bytes: [UInt8] = []
            bytes.append(json: self)
            return String(decoding: bytes.replacingEscapedNUL(), as: UTF8.self)
        }
    }

    extension [UInt8] {
        /// A JSON document in which `␀` stands wherever a text has `\u0000`.
        fileprivate func replacingEscapedNUL() -> [UInt8] {
            var replaced: [UInt8] = []
            replaced.reserveCapacity(count)
            var index = 0
            while index < count {
                guard self[index] == 0x5C, index + 1 < count else {
                    replaced.append(self[index])
                    index += 1
                    continue
                }
                if self[index...].starts(with: #"\u0000"#.utf8) {
                    replaced += "\u{2400}".utf8
                    index += 6
                } else {
                    replaced += self[index...index + 1]
                    index += 2
                }
            }
            return replaced
        }
    }
#endif
