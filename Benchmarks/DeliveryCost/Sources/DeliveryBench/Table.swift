import BenchSupport

/// Prints what was measured beside the goals.
/// - Parameter path: A file with a name, a tab and a figure in each line.
/// - Returns: Whether all of them are met.
func printTable(of path: String) -> Bool {
    var values: [String: [Double]] = [:]
    for line in text(of: path).split(separator: "\n") {
        let cells = line.split(separator: "\t")
        if cells.count == 2, let value = Double(cells[1]) { values[String(cells[0]), default: []].append(value) }
    }
    func row(_ what: String, _ ours: String, _ theirs: String, goal: Double?) -> Row {
        // Rounds were measured in turns; the first has warmed up.
        .rate(what, atLeast: goal, ours: Array(values[ours, default: []].dropFirst()), theirs: Array(values[theirs, default: []].dropFirst()))
    }
    return Row.printTable([
        row("7: POST of 1 MB, one at a time, against libcurl", "one 1 MB", "libcurl 1 MB", goal: 0.95),
        row("7: POST of 64 KiB, one at a time, against libcurl", "one 64 KiB", "libcurl 64 KiB", goal: 0.9),
        row("   POST of 1 MB, four at a time", "four 1 MB", "libcurl 1 MB", goal: nil),
        row("   POST of 64 KiB, four at a time", "four 64 KiB", "libcurl 64 KiB", goal: nil),
        .rate("13: events, log call to archive, one parcel at a time", atLeast: 150_000, values["events 1", default: []]),
        .rate("13: events, log call to archive, four parcels at a time", atLeast: 150_000, values["events 4", default: []]),
        .rate("    events into the spool meanwhile", atLeast: nil, values["logged 1", default: []]),
    ])
}
