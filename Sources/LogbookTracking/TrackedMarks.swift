internal import LogbookCore

/// Objects that have been marked for a plan's `instances`. They are not kept alive.
enum TrackedMarks {
    private final class Marked: @unchecked Sendable {   // written once, in init
        weak let object: AnyObject?
        let mark: String
        init(_ object: AnyObject, _ mark: String) {
            self.object = object
            self.mark = mark
        }
    }

    private struct State {
        var marks: [ObjectIdentifier: Marked] = [:]
        /// So many are taken before those whose objects are gone are forgotten.
        var limit = 64
    }
    private static let state = Locked(State())

    static func set(_ mark: String?, on object: AnyObject) {
        let marked = mark.map { Marked(object, $0) }
        // What is looked at is held until the lock is let go: it may be the last to hold it, and an object's end is the program's code.
        let seen = state.withLock { state -> [AnyObject] in
            state.marks[ObjectIdentifier(object)] = marked
            if state.marks.count <= state.limit { return [] }
            var seen: [AnyObject] = []
            state.marks = state.marks.filter { _, marked in
                guard let object = marked.object else { return false }
                seen.append(object)
                return true
            }
            state.limit = max(64, state.marks.count * 2)
            return seen
        }
        withExtendedLifetime(seen) {}
    }

    static func bears(_ mark: String, _ instance: Any) -> Bool {
        if let marked = instance as? any TrackingMarked, let own = marked.trackingMark { return own == mark }
        guard type(of: instance) is AnyObject.Type else { return false }
        let object = instance as AnyObject
        // Another object may have the address of one that is gone.
        return state.withLock { state in
            guard let marked = state.marks[ObjectIdentifier(object)], marked.object === object else { return false }
            return marked.mark == mark
        }
    }
}
