#if Collector
    internal import LogbookCore

    /// How many bytes there is room for, of bodies that come or of answers that wait to be taken, by however slow a reader.
    final class ByteRoom: Sendable {
        private struct State {
            var taken = 0
            /// In the order in which they came.
            var waiting: [(bytes: Int, continuation: CheckedContinuation<Void, Never>)] = []

            /// One always fits, however large it is.
            func holds(_ bytes: Int, of limit: Int) -> Bool { taken == 0 || taken + bytes <= limit }
        }

        private let limit: Int
        private let state = Locked(State())

        init(bytes: Int) { limit = bytes }

        /// Bytes that are taken now.
        var taken: Int { state.withLock { $0.taken } }
        /// How many wait for room.
        var waitingCount: Int { state.withLock { $0.waiting.count } }

        /// Takes room where there is any.
        func take(_ bytes: Int) -> Share? {
            let isTaken = state.withLock { state in
                guard state.holds(bytes, of: limit) else { return false }
                state.taken += bytes
                return true
            }
            return isTaken ? Share(bytes, of: self) : nil
        }

        /// Waits until there is room, behind who waits already. That comes to an end by itself, also where nobody wants it any more: every
        /// other answer is written, or given up by the guard of its connection.
        func wait(for bytes: Int) async -> Share {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let isTaken = state.withLock { state in
                    guard state.waiting.isEmpty, state.holds(bytes, of: limit) else {
                        state.waiting.append((bytes, continuation))
                        return false
                    }
                    state.taken += bytes
                    return true
                }
                if isTaken { continuation.resume() }
            }
            return Share(bytes, of: self)
        }

        private func change(by bytes: Int) {
            let next = state.withLock { state in
                state.taken += bytes
                var next: [CheckedContinuation<Void, Never>] = []
                while let first = state.waiting.first, state.holds(first.bytes, of: limit) {
                    state.taken += first.bytes
                    next.append(first.continuation)
                    state.waiting.removeFirst()
                }
                return next
            }
            for continuation in next { continuation.resume() }
        }

        /// A part of the room, which is given back when nobody has it any more, or before.
        final class Share: Sendable {
            private let room: ByteRoom
            private let bytes: Locked<Int>

            fileprivate init(_ bytes: Int, of room: ByteRoom) {
                self.room = room
                self.bytes = Locked(bytes)
            }

            deinit { resize(to: 0) }

            /// Says how much it is after all; also where there is no room for more, since it is there.
            func resize(to count: Int) {
                let change = bytes.withLock { bytes in
                    defer { bytes = count }
                    return count - bytes
                }
                if change != 0 { room.change(by: change) }
            }
        }
    }
#endif
