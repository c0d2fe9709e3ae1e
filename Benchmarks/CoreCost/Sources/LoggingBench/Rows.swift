import Foundation

/// Measured values, a line each: `name⇥metric⇥value`. Several runs append to one file.
struct Rows {
    let path: String

    func add(_ name: String, _ metric: String, _ value: Double) throws {
        let line = Data("\(name)\t\(metric)\t\(value)\n".utf8)
        if let file = FileHandle(forWritingAtPath: path) {
            try file.seekToEnd()
            try file.write(contentsOf: line)
        } else {
            try line.write(to: URL(fileURLWithPath: path))
        }
    }

    /// Each round's value, by name and metric, in the order of the rounds.
    func read() throws -> [String: [Double]] {
        var values: [String: [Double]] = [:]
        for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
            let fields = line.split(separator: "\t")
            guard fields.count == 3, let value = Double(fields[2]) else { throw BenchError("not a row: \(line)") }
            values[fields[0] + " " + fields[1], default: []].append(value)
        }
        return values
    }
}
