#if Collector
    internal import LogbookCore
    internal import LogbookFormat

    /// A batch of log events as it travels: one JSON object per line.
    struct LogLines {
        static let mediaTypes = ["application/x-ndjson", "application/ndjson", "application/jsonl"]
        /// Lines of one batch at most.
        static let maximumCount = 100_000
        /// Values of one batch at most, counted by the commas and opening brackets outside of texts: each takes memory, however short it
        /// is. A body of 1 MiB cannot have more.
        static let maximumValues = 1 << 20
        /// Faults that are told in words; the rest is only counted.
        private static let maximumFaults = 10

        struct Fault: Equatable {
            /// `line 3.level`, counted from 1; the line alone when it is no JSON.
            let field: String
            let reason: String
        }

        private(set) var items: [LogBatch.Item] = []
        private(set) var faults: [Fault] = []
        private(set) var faultCount = 0
        private(set) var isTooMany = false
        private(set) var isTooManyValues = false

        /// Empty lines are passed over, and so is nothing else.
        init(_ body: [UInt8]) {
            body.withUnsafeBufferPointer { body in
                // Before anything is made of them.
                isTooManyValues = Self.values(in: body) > Self.maximumValues
                if isTooManyValues { return }
                var reader = JSONLineReader(), start = 0, number = 0
                while start < body.count, !isTooMany {
                    let end = UnsafeRawBufferPointer(body).newline(from: start) ?? body.count
                    number += 1
                    take(UnsafeBufferPointer(rebasing: body[start..<end]), number, &reader)
                    start = end + 1
                }
            }
        }

        private mutating func take(_ line: UnsafeBufferPointer<UInt8>, _ number: Int, _ reader: inout JSONLineReader) {
            if line.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { return }
            if items.count + faultCount == Self.maximumCount {
                isTooMany = true
                return
            }
            do {
                let (event, origin) = try reader.read(line)
                items.append(LogBatch.Item(event: event, origin: origin))
            } catch {
                faultCount += 1
                guard faults.count < Self.maximumFaults else { return }
                switch error {
                case .notJSON, .malformed, .unrecognised:
                    faults.append(Fault(field: "line \(number)", reason: error.description))
                case .invalid(let field, _):
                    faults.append(Fault(field: "line \(number).\(field)", reason: error.description))
                }
            }
        }

        /// As many as each line has up to where it is no JSON any more, or more.
        private static func values(in body: UnsafeBufferPointer<UInt8>) -> Int {
            var count = 0, isText = false, isEscaped = false
            for byte in body {
                switch byte {
                case 0x0A: (isText, isEscaped) = (false, false)
                case _ where isEscaped: isEscaped = false
                case UInt8(ascii: "\""): isText.toggle()
                case UInt8(ascii: "\\"): isEscaped = isText
                case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "{"): if !isText { count += 1 }
                default: break
                }
            }
            return count
        }
    }
#endif
