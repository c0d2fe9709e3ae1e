import LogbookCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A text that one line after the other repeats, made anew only where it differs.
package struct RecentText {
    private var latest = ""

    package init() {}

    package mutating func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        if !latest.withUTF8({ $0.equals(bytes) }) { latest = String(decoding: bytes, as: UTF8.self) }
        return latest
    }

    mutating func text(_ reader: inout JSONReader, _ name: StaticString, else fault: inout LogLineError?) throws(JSONError) -> String? {
        if let bytes = reader.plainString() { return self.text(bytes) }
        let text = try reader.value(depth: 1).text
        if text == nil, fault == nil { fault = .invalid(field: name.description, expected: Expected.text) }
        return text
    }
}

/// Times that lie in the same second, as those of lines that follow each other do: of those, only the fraction is read.
struct RecentSecond {
    /// `2026-11-21T09:29:20.`
    private static let prefixBytes = 20
    private static let digits = 9

    private var prefix: [UInt8] = []
    private var start = LogTime(nanoseconds: 0)

    mutating func time(_ reader: inout JSONReader, else fault: inout LogLineError?) throws(JSONError) -> LogTime? {
        let time: LogTime?
        if let bytes = reader.plainString() {
            time = within(bytes) ?? begin(bytes)
        } else {
            time = try reader.value(depth: 1).text.flatMap { ISO8601.time($0) }
        }
        if time == nil, fault == nil { fault = .invalid(field: "time", expected: Expected.time) }
        return time
    }

    private func within(_ bytes: UnsafeBufferPointer<UInt8>) -> LogTime? {
        guard bytes.count == Self.prefixBytes + Self.digits + 1, bytes.last == 0x5A,
            prefix.withUnsafeBufferPointer({ $0.equals(UnsafeBufferPointer(rebasing: bytes.prefix(Self.prefixBytes))) })
        else { return nil }
        var fraction: Int64 = 0
        for byte in bytes[Self.prefixBytes..<bytes.count - 1] {
            guard byte.isDigit else { return nil }
            fraction = fraction * 10 + Int64(byte - 0x30)
        }
        let (nanoseconds, overflow) = start.nanoseconds.addingReportingOverflow(fraction)
        return overflow ? nil : LogTime(nanoseconds: nanoseconds)
    }

    private mutating func begin(_ bytes: UnsafeBufferPointer<UInt8>) -> LogTime? {
        guard let time = ISO8601.time(String(decoding: bytes, as: UTF8.self)) else { return nil }
        if bytes.count > Self.prefixBytes, bytes.last == 0x5A, bytes[Self.prefixBytes - 1] == 0x2E,
            let second = ISO8601.time(String(decoding: bytes.prefix(Self.prefixBytes - 1), as: UTF8.self) + "Z"),
            second.nanosecondOfSecond == 0   // the earliest second there is has no beginning: a time cannot be so early
        {
            prefix = Array(bytes.prefix(Self.prefixBytes))
            start = second
        }
        return time
    }
}

extension UnsafeBufferPointer<UInt8> {
    @inline(__always)
    func equals(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard count == other.count, let start = baseAddress, let otherStart = other.baseAddress else { return count == other.count }
        return memcmp(start, otherStart, count) == 0
    }
}

extension StaticString {
    func equals(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount).equals(bytes)
    }
}
