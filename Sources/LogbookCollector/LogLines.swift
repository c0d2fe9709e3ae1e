#if Collector
    internal import LogbookCore
    internal import LogbookFormat

    /// A batch of log events as it travels: one JSON object per line.
    struct LogLines {
        static let mediaTypes = ["application/x-ndjson", "application/ndjson", "application/jsonl"]
        /// Lines of one batch at most.
        static let maximumCount = 100_000
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

        /// Empty lines are passed over, and so is nothing else.
        init(_ body: [UInt8]) {
            for (index, line) in body.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
                if line.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { continue }
                if items.count + faultCount == Self.maximumCount {
                    isTooMany = true
                    return
                }
                do {
                    let (event, origin) = try JSONLineFormat.parse(Array(line))
                    items.append(LogBatch.Item(event: event, origin: origin))
                } catch {
                    faultCount += 1
                    guard faults.count < Self.maximumFaults else { continue }
                    switch error {
                    case .notJSON, .malformed, .unrecognised:
                        faults.append(Fault(field: "line \(index + 1)", reason: error.description))
                    case .invalid(let field, _):
                        faults.append(Fault(field: "line \(index + 1).\(field)", reason: error.description))
                    }
                }
            }
        }
    }
#endif
