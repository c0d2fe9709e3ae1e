/// One line of the table.
struct Row {
    let name: String
    let goal: String
    let measured: String
    let isMet: Bool

    /// How fast `ours` is beside `theirs`, the median of rounds that were measured in turns.
    static func speed(_ name: String, atLeast goal: Double, ours: [Double], theirs: [Double]) -> Row {
        let ratios = zip(ours, theirs).map { $1 / $0 }.sorted()
        let ratio = ratios[ratios.count / 2]
        let seconds = "\(rounded(median(ours))) s against \(rounded(median(theirs))) s"
        return Row(name: name, goal: ">= \(goal) x", measured: "\(rounded(ratio)) x (\(seconds))", isMet: ratio >= goal)
    }

    static func memory(_ name: String, atMost megabytes: Int, grown bytes: Int) -> Row {
        Row(name: name, goal: "<= \(megabytes) MiB", measured: "\(rounded(Double(bytes) / 1_048_576)) MiB", isMet: bytes <= megabytes << 20)
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
    private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}

func printTable(_ rows: [Row]) {
    func line(_ cells: [String]) {
        let widths = [48, 10, 32, 7]
        print(zip(cells, widths).map { $0 + String(repeating: " ", count: max(0, $1 - $0.count)) }.joined(separator: "  "))
    }
    line(["what", "goal", "measured", "verdict"])
    for row in rows { line([row.name, row.goal, row.measured, row.isMet ? "met" : "MISSED"]) }
}
