/// One line of the table.
struct Row {
    let name: String
    let goal: String
    let measured: String
    let isMet: Bool

    /// How much `ours` gets done beside `theirs`, the median of rounds that were measured in turns; per second.
    static func rate(_ name: String, atLeast goal: Double, ours: [Double], theirs: [Double]) -> Row {
        let ratio = median(zip(ours, theirs).map { $0 / $1 })
        return Row(
            name: name, goal: ">= \(goal) x", measured: "\(rounded(ratio)) x (\(Int(median(ours)))/s against \(Int(median(theirs)))/s)",
            isMet: ratio >= goal)
    }

    /// How long `ours` takes beside `theirs`, in the same rounds; seconds.
    static func time(_ name: String, atMost goal: Double, ours: [Double], theirs: [Double]) -> Row {
        let ratio = median(zip(ours, theirs).map { $0 / $1 })
        return Row(
            name: name, goal: "<= \(Int(goal)) x",
            measured: "\(rounded(ratio)) x (\(rounded(median(ours) * 1000)) ms against \(rounded(median(theirs) * 1000)) ms)",
            isMet: ratio <= goal)
    }

    static func memory(_ name: String, atMost megabytes: Int, _ bytes: Int) -> Row {
        Row(
            name: name, goal: "<= \(megabytes) MB", measured: "\(rounded(Double(bytes) / 1e6)) MB",
            isMet: bytes <= megabytes * 1_000_000)
    }

    static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
    private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}

func printTable(_ rows: [Row]) {
    func line(_ cells: [String]) {
        let widths = [58, 10, 42, 7]
        print(zip(cells, widths).map { $0 + String(repeating: " ", count: max(0, $1 - $0.count)) }.joined(separator: "  "))
    }
    line(["what", "goal", "measured", "verdict"])
    for row in rows { line([row.name, row.goal, row.measured, row.isMet ? "met" : "MISSED"]) }
}
