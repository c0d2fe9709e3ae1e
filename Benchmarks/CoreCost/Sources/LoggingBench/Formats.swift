import Counters
import Foundation
import Logbook

/// What a time stamp and a line of JSON cost, beside what Foundation has for them.
enum Formats {
    static func measure(_ rows: Rows) throws {
        let rounds = 200_000
        nonisolated(unsafe) var sink = 0
        func nanoseconds(_ count: Int = rounds, _ body: (Int) -> Int) -> Double {
            for i in 0..<count / 10 { sink &+= body(i) }
            let start = counters_processor_nanoseconds()
            for i in 0..<count { sink &+= body(i) }
            return Double(counters_processor_nanoseconds() - start) / Double(count)
        }
        func time(_ name: String, _ count: Int = rounds, _ body: (Int) -> Int) throws {
            try rows.add(name, "ns", nanoseconds(count, body))
        }
        func moment(_ i: Int) -> Double { 1_763_717_360 + Double(i) / 1000 }

        let layout = try TextFormat.layout("\(.time(digits: 6, zone: .utc)) \(.message)")
        let other = try TextFormat.layout(" \(.message)")
        let events = (0..<1000).map { i in
            LogEvent(sequence: UInt64(i), time: LogTime(seconds: moment(i)), level: .info, message: "")
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(1 << 10)
        // What a line takes with its time stamp and without.
        func line(_ format: TextFormat) -> Double {
            nanoseconds(10 * rounds) { i in
                bytes.removeAll(keepingCapacity: true)
                format.append(events[i % 1000], to: &bytes)
                return bytes.count
            }
        }
        let without = line(other)
        try rows.add("stamp", "ns", line(layout) - without)
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        try time("ISO8601FormatStyle") { Date(timeIntervalSince1970: moment($0)).formatted(style).utf8.count }
        let formatter = DateFormatter()
        formatter.dateFormat = "yyyy-MM-dd'T'HH:mm:ss.SSSZZZZZ"
        formatter.locale = Locale(identifier: "en_US_POSIX")
        try time("DateFormatter", rounds / 10) { formatter.string(from: Date(timeIntervalSince1970: moment($0))).utf8.count }

        // Lines as a server writes them: a message, its place and four facts.
        struct Line: Encodable {
            let time: Date, level: String, message: String, sequence: Int, thread: Int, file: String, function: String, line: Int
            struct Metadata: Encodable { let user: String, attempt: Int, bytes: Int, gateway: String }
            let metadata: Metadata
        }
        let full = (0..<1000).map { i in
            LogEvent(
                sequence: UInt64(i), time: LogTime(seconds: moment(i)), level: .info, message: LineCase.ready,
                metadata: ["user": .string("user-\(i)"), "attempt": 2, "bytes": .integer(Int64(18_234 + i)), "gateway": "north"],
                thread: 4711, source: LogSource(file: "Checkout/Cart.swift", function: "pay(order:)", line: 120))
        }
        let encodable = (0..<1000).map { i in
            Line(
                time: Date(timeIntervalSince1970: moment(i)), level: "info", message: LineCase.ready, sequence: i, thread: 4711,
                file: "Checkout/Cart.swift", function: "pay(order:)", line: 120,
                metadata: Line.Metadata(user: "user-\(i)", attempt: 2, bytes: 18_234 + i, gateway: "north"))
        }
        let format = JSONLineFormat()
        bytes.reserveCapacity(1 << 20)
        try time("json lines", 300) { _ in
            bytes.removeAll(keepingCapacity: true)
            full.withUnsafeBufferPointer { events in
                for i in events.indices { format.append(events[i], to: &bytes) }
            }
            return bytes.count
        }
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        try time("JSONEncoder", 20) { _ in
            encodable.reduce(0) { $0 + ((try? encoder.encode($1).count) ?? 0) }
        }
    }
}
