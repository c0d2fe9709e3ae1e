/// One line of the table: what was measured beside what was meant.
public struct Row {
    let cells: [String]
    /// False when a goal was missed.
    public let isMet: Bool

    /// - Parameter goal: Nil for a figure that is only shown.
    private init(_ name: String, goal: String?, measured: String, isMet: Bool) {
        cells = [name, goal ?? "", measured, goal == nil ? "" : isMet ? "met" : "MISSED"]
        self.isMet = isMet || goal == nil
    }

    /// How much `ours` gets done beside `theirs`, the median of rounds that were measured in turns; per second.
    public static func rate(_ name: String, atLeast goal: Double?, ours: [Double], theirs: [Double]) -> Row {
        let ratio = median(zip(ours, theirs).map { $0 / $1 })
        return Row(
            name, goal: goal.map { ">= \($0) x" }, measured: "\(rounded(ratio)) x (\(Int(median(ours)))/s against \(Int(median(theirs)))/s)",
            isMet: ratio >= goal ?? 0)
    }

    /// How much gets done in a second, the median of rounds.
    public static func rate(_ name: String, atLeast goal: Double?, _ rates: [Double]) -> Row {
        Row(name, goal: goal.map { ">= \(Int($0))/s" }, measured: "\(Int(median(rates)))/s", isMet: median(rates) >= goal ?? 0)
    }

    /// How fast `ours` is beside `theirs`, in the same rounds; both in seconds.
    public static func speed(_ name: String, atLeast goal: Double, ours: [Double], theirs: [Double]) -> Row {
        let ratio = median(zip(ours, theirs).map { $1 / $0 })
        return Row(
            name, goal: ">= \(goal) x", measured: "\(rounded(ratio)) x (\(rounded(median(ours))) s against \(rounded(median(theirs))) s)",
            isMet: ratio >= goal)
    }

    /// How long `ours` takes beside `theirs`, in the same rounds; both in seconds.
    public static func time(_ name: String, atMost goal: Double?, ours: [Double], theirs: [Double]) -> Row {
        let ratio = median(zip(ours, theirs).map { $0 / $1 })
        return Row(
            name, goal: goal.map { "<= \($0) x" },
            measured: "\(rounded(ratio)) x (\(rounded(median(ours) * 1000)) ms against \(rounded(median(theirs) * 1000)) ms)",
            isMet: ratio <= goal ?? .infinity)
    }

    /// - Parameter goal: In MiB.
    public static func memory(_ name: String, atMost goal: Int, _ bytes: Int) -> Row {
        Row(name, goal: "<= \(goal) MiB", measured: "\(rounded(Double(bytes) / 1_048_576)) MiB", isMet: bytes <= goal << 20)
    }

    /// - Returns: Whether every goal is met.
    public static func printTable(_ rows: [Row]) -> Bool {
        let lines = [["what", "goal", "measured", "verdict"]] + rows.map(\.cells)
        let widths = lines[0].indices.map { column in lines.map(\.[column].count).max() ?? 0 }
        for line in lines {
            print(zip(line, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  "))
        }
        return rows.allSatisfy(\.isMet)
    }
}

/// The middle of some figures; 0 when there are none.
public func median(_ values: [Double]) -> Double { percentile(values, 0.5) }

/// The figure below which so large a part of them lies; 0 when there are none.
public func percentile(_ values: [Double], _ part: Double) -> Double {
    values.isEmpty ? 0 : values.sorted()[min(values.count - 1, Int(Double(values.count) * part))]
}

private func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
