package import LogbookCore

/// What the compressors of this process have in hand. Whoever delivers a log to its end waits for those, and for no other program.
package enum CompressionsInHand {
    private struct State {
        /// How many archives of each log, by the path of its active file.
        var counts: [String: Int] = [:]
        var ended: UInt64 = 0
    }
    private static let state = Monitor(State())

    static func begin(of path: String) { state.withLock { $0.value.counts[path, default: 0] += 1 } }

    static func end(of path: String) {
        state.withLock { access in
            access.value.counts[path]! -= 1
            if access.value.counts[path] == 0 { access.value.counts[path] = nil }
            access.value.ended += 1
            access.broadcast()
        }
    }

    /// How many have ended.
    package static var ended: UInt64 { state.withLock { $0.value.ended } }

    package static func isAny(of path: String) -> Bool { state.withLock { $0.value.counts[path] != nil } }

    /// Returns when one has ended since there were `count`, or none of this log is in hand.
    /// - Returns: Whether one has ended.
    package static func wait(forMoreThan count: UInt64, of path: String, until deadline: LogDeadline) -> Bool {
        state.withLock { access in
            while access.value.ended == count, access.value.counts[path] != nil {
                if !access.wait(until: deadline) { break }
            }
            return access.value.ended != count
        }
    }
}
