#if Collector
    internal import LogbookCore

    /// How fast a body comes, by the time for which the client was waited for.
    struct BodyPace {
        /// Parts of the window by which it moves on.
        private static let steps: Int64 = 8

        /// So far.
        private var bytes = 0
        private var waited: Int64 = 0
        /// How much had come after how much waiting, oldest first: the first is where the window begins.
        private var marks: [(waited: Int64, bytes: Int)] = [(0, 0)]

        mutating func take(_ count: Int) { bytes += count }

        mutating func wait(_ nanoseconds: Int64) { waited += nanoseconds }

        /// Why the body is waited for no longer; nil as long as it is.
        /// - Parameter nanoseconds: Since when the next bytes are waited for.
        mutating func fault(waiting nanoseconds: Int64 = 0, _ limits: ConnectionLimits) -> String? {
            let now = waited + nanoseconds
            if now > limits.bodyDeadline.wholeNanoseconds { return "its body took too long" }
            let window = limits.bodyWindow.wholeNanoseconds
            if let last = marks.last, now - last.waited >= window / Self.steps { marks.append((now, bytes)) }
            while marks.count > 1, marks[1].waited <= now - window { marks.removeFirst() }
            let seconds = Double(now - marks[0].waited - limits.bodyGrace.wholeNanoseconds) / 1e9
            let isSlow = seconds > 0 && Double(bytes - marks[0].bytes) < seconds * Double(limits.minimumBodyBytesPerSecond)
            return isSlow ? "its body came in too slowly" : nil
        }
    }
#endif
