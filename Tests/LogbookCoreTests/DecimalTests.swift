@testable import LogbookCore
import Testing

@Suite struct DecimalTests {
    private func written(_ magnitude: UInt64, isNegative: Bool = false) -> String {
        // One byte more on both sides, which must stay.
        var bytes = [UInt8](repeating: 0x2E, count: 22)
        let count = bytes.withUnsafeMutableBufferPointer { writeDecimal(magnitude, isNegative: isNegative, to: $0.baseAddress! + 1) }
        if bytes[0] != 0x2E || bytes[21] != 0x2E { Issue.record("\(magnitude) goes beyond its place") }   // an expectation takes its time
        return String(decoding: bytes[1..<1 + count], as: UTF8.self)
    }

    @Test func everyNumberOfDigitsIsWritten() {
        var numbers: [UInt64] = [0, .max, UInt64(Int64.max), 1 << 63]
        var power: UInt64 = 1
        for _ in 0..<20 {
            for near in [power &- 1, power, power &+ 1, power &* 7 &+ 3] { numbers.append(near) }
            power &*= 10
        }
        for number in numbers { #expect(written(number) == "\(number)") }
        for number in [Int64.min, -1, -9, -10, -99_999_999, -100_000_000] {
            #expect(written(number.magnitude, isNegative: true) == "\(number)")
        }
        for number in UInt64(0)..<20_000 where written(number) != "\(number)" { Issue.record("\(number)") }
    }

    /// Where a digit goes over is where one that is computed with a fraction would be one too small, or too large.
    @Test func noDigitIsTooSmallOrTooLarge() {
        for (step, end) in [(100, 10_000), (100, 1_000_000), (10_000, 100_000_000)] as [(UInt64, UInt64)] {
            for number in stride(from: step, through: end, by: UInt64.Stride(step)) {
                for near in [number - 1, number, number + 1] where written(near) != "\(near)" { Issue.record("\(near)") }
            }
        }
    }

    @Test func sixDigitsHaveZerosInFront() {
        var bytes = [UInt8](repeating: 0x2E, count: 8)
        for number: UInt32 in [0, 7, 10, 123, 9_999, 10_000, 99_999, 100_000, 123_456, 999_999] {
            bytes.withUnsafeMutableBufferPointer { writeSixDigits(number, to: $0.baseAddress! + 1) }
            let digits = String(number)
            #expect(String(decoding: bytes, as: UTF8.self) == "." + String(repeating: "0", count: 6 - digits.count) + digits + ".")
        }
        for number: UInt32 in stride(from: 0, to: 1_000_000, by: 100) {
            for near in [number, number + 99] {
                bytes.withUnsafeMutableBufferPointer { writeSixDigits(near, to: $0.baseAddress! + 1) }
                if bytes[1..<7].reduce(0, { $0 * 10 + UInt32($1 - 0x30) }) != near { Issue.record("\(near)") }
            }
        }
    }
}
