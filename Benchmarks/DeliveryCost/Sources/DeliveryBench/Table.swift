#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Prints what was measured beside the goals.
/// - Returns: Whether all of them are met.
func printTable(of path: String) -> Bool {
    var values: [String: [Double]] = [:]
    guard let file = fopen(path, "r") else { fail("\(path) cannot be read") }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), file) != nil {
        let cells = String(decoding: line.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init(bitPattern:)), as: UTF8.self).split(separator: "\t")
        if cells.count == 2, let value = Double(cells[1]) { values[String(cells[0]), default: []].append(value) }
    }
    func median(_ values: [Double]) -> Double { values.isEmpty ? 0 : values.sorted()[values.count / 2] }
    func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
    func printRow(_ cells: [String]) {
        print(zip(cells, [58, 14, 42, 7]).map { $0 + String(repeating: " ", count: max(0, $1 - $0.count)) }.joined(separator: "  "))
    }
    var areMet = true
    func compare(_ what: String, _ ours: String, _ theirs: String, goal: Double?) {
        // Rounds were measured in turns; the first has warmed up.
        let ratio = median(zip(values[ours] ?? [], values[theirs] ?? []).dropFirst().map { $0 / $1 })
        let figures = "\(rounded(ratio)) x (\(Int(median(values[ours] ?? []))) against \(Int(median(values[theirs] ?? []))) a second)"
        areMet = areMet && ratio >= goal ?? 0
        printRow([what, goal.map { ">= \($0) x" } ?? "", figures, goal.map { ratio >= $0 ? "met" : "MISSED" } ?? ""])
    }
    func rate(_ what: String, _ name: String, goal: Double?) {
        let rate = median(values[name] ?? [])
        areMet = areMet && rate >= goal ?? 0
        printRow([what, goal.map { ">= \(Int($0 / 1000)) k/s" } ?? "", "\(Int(rate / 1000)) k/s", goal.map { rate >= $0 ? "met" : "MISSED" } ?? ""])
    }
    printRow(["what", "goal", "measured", "verdict"])
    compare("7: POST of 1 MB, one at a time, against libcurl", "one 1 MB", "libcurl 1 MB", goal: 0.95)
    compare("7: POST of 64 KiB, one at a time, against libcurl", "one 64 KiB", "libcurl 64 KiB", goal: 0.9)
    compare("   POST of 1 MB, four at a time", "four 1 MB", "libcurl 1 MB", goal: nil)
    compare("   POST of 64 KiB, four at a time", "four 64 KiB", "libcurl 64 KiB", goal: nil)
    rate("13: events, log call to archive, one parcel at a time", "events 1", goal: 150_000)
    rate("    events, log call to archive, four parcels at a time", "events 4", goal: nil)
    rate("    events into the spool meanwhile", "logged 1", goal: nil)
    return areMet
}
