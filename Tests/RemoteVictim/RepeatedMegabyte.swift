/// Lines of a log, the same megabyte again and again.
enum RepeatedMegabyte {
    private static let content: [UInt8] = {
        var bytes: [UInt8] = [], number = 0
        while bytes.count < 1 << 20 {
            number += 1
            bytes += "2026-11-22T01:08:26.000Z info checkout  event \(number &* 7919 % 10007) took \(number % 97) ms\n".utf8
        }
        return Array(bytes[..<(1 << 20)])
    }()

    static func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        let start = offset % content.count, count = min(buffer.count, content.count - start)
        content.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<(start + count)])) }
        return count
    }
}
