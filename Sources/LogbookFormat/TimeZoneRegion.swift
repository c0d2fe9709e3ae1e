internal import LogbookCore

/// A zone of the system's time zone files, with its past and its summer time: `Europe/Berlin`.
///
/// Its rules are read once, when it is made; a system that changes them is heeded at the program's next start.
public struct TimeZoneRegion: Sendable, Hashable {
    /// Where its rules stand. A number instead of the rules themselves: a zone is copied for each line.
    let number: Int32

    /// - Parameter name: As the system's files are called: `Europe/Berlin`, `America/Argentina/Buenos_Aires`.
    /// - Throws: What is wrong with the name or with the file, and what to do. The files are looked for in `TZDIR`, and where
    ///   that is not set in the folders that systems keep them in.
    public init(_ name: String) throws(LogTimeZoneError) {
        self = try TimeZoneRegion(name, in: TimeZoneFile.folders)
    }

    init(_ name: String, in folders: [String]) throws(LogTimeZoneError) {
        let rules = try TimeZoneFile.rules(of: name, in: folders)
        number = Self.known.withLock { known in
            let found = known.firstIndex { $0 == Known(name: name, rules: rules) }
            if found == nil { known.append(Known(name: name, rules: rules)) }
            return Int32(found ?? known.count - 1)
        }
    }

    /// The name it was made with.
    public var name: String { Self.known.withLock { $0[Int(number)].name } }

    var rules: TimeZoneRules { Self.known.withLock { $0[Int(number)].rules } }

    private struct Known: Sendable, Equatable {
        let name: String
        let rules: TimeZoneRules
    }
    /// Every zone that was ever asked for: as many as there are names, so nothing is taken out again.
    private static let known = Locked<[Known]>([])
}
