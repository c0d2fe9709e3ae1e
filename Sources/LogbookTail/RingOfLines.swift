internal import LogbookCore

/// The last lines of many, with their levels.
struct RingOfLines {
    private var lines: [(bytes: [UInt8], level: LogLevel?)] = []
    private var next = 0
    private let capacity: Int

    init(_ capacity: Int) { self.capacity = capacity }

    mutating func append(_ line: UnsafeRawBufferPointer, _ level: LogLevel?) {
        guard capacity > 0 else { return }
        if lines.count < capacity {
            lines.append((Array(line), level))
        } else {
            lines[next].bytes.removeAll(keepingCapacity: true)
            lines[next].bytes += line
            lines[next].level = level
            next = (next + 1) % capacity
        }
    }

    /// In order; the ring is empty then.
    mutating func takeAll() -> [(bytes: [UInt8], level: LogLevel?)] {
        defer {
            lines = []
            next = 0
        }
        return Array(lines[next...] + lines[..<next])
    }
}
