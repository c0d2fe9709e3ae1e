/// A time zone file, as `zic` would make it.
struct ZoneFile {
    /// Seconds since 1970, and which type holds from then on.
    var changes: [(second: Int64, type: UInt8)] = []
    /// Seconds east of UTC.
    var offsets: [Int32] = [3600]
    var footer = "CET-1CEST,M3.5.0,M10.5.0/3"
    var version = UInt8(ascii: "2")
    var leapSeconds = 0

    var bytes: [UInt8] {
        var file: [UInt8] = []
        func number(_ value: Int64, _ count: Int) {
            for place in (0..<count).reversed() { file.append(UInt8(truncatingIfNeeded: value >> (8 * place))) }
        }
        func header(_ changes: Int, _ types: Int) {
            file += Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15)
            for count in [0, 0, leapSeconds, changes, types, 4] { number(Int64(count), 4) }
        }
        // The old block is never read, and may be shorter than the new one.
        header(0, 1)
        file += [UInt8](repeating: 0xFF, count: 6 + 4 + leapSeconds * 8)
        header(changes.count, offsets.count)
        for change in changes { number(change.second, 8) }
        file += changes.map(\.type)
        for offset in offsets {
            number(Int64(offset), 4)
            file += [0, 0]
        }
        file += Array("CET\0".utf8) + [UInt8](repeating: 0, count: leapSeconds * 12)
        return file + Array("\n\(footer)\n".utf8)
    }
}
