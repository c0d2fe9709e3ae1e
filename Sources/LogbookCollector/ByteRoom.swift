#if Collector
    internal import LogbookCore

    /// How many bytes there is room for, of bodies that come or of answers that wait to be taken, by however slow a reader.
    final class ByteRoom: Sendable {
        private struct Waiting {
            let number: UInt64
            let bytes: Int
            /// What whoever waits has already.
            let own: Int
            /// Ends the wait; nil where nothing does.
            let impatience: Task<Void, Never>?
            /// Hears whether there is room.
            let continuation: CheckedContinuation<Bool, Never>
        }

        private struct State {
            var taken = 0
            /// In the order in which they came.
            var waiting: [Waiting] = []
            var latest: UInt64 = 0

            /// One always fits, however large it is.
            /// - Parameters:
            ///   - own: Part of what is taken, and in nobody's way.
            ///   - rest: What must still be free then.
            func holds(_ bytes: Int, beside own: Int = 0, leaving rest: Int = 0, of limit: Int) -> Bool {
                taken == own || rest <= limit - taken - bytes
            }
        }

        private let limit: Int
        private let state = Locked(State())

        init(bytes: Int) { limit = bytes }

        /// Bytes that are taken now.
        var taken: Int { state.withLock { $0.taken } }
        /// How many wait for room.
        var waitingCount: Int { state.withLock { $0.waiting.count } }

        /// Takes room where there is any.
        /// - Parameter rest: Is left for those who have a share already, and will want more.
        func take(_ bytes: Int, leaving rest: Int = 0) -> Share? {
            add(bytes, beside: 0, leaving: rest) ? Share(bytes, of: self) : nil
        }

        /// Waits until there is room, behind who waits already. That comes to an end by itself, also where nobody wants it any more: every
        /// other answer is written, or given up by the guard of its connection.
        func wait(for bytes: Int) async -> Share {
            _ = await waitToAdd(bytes, beside: 0, patience: nil)
            return Share(bytes, of: self)
        }

        /// The same, but no longer than `patience`, where there is one.
        /// - Returns: Nil when there was no room for so long.
        func wait(for bytes: Int, within patience: Duration?) async -> Share? {
            await waitToAdd(bytes, beside: 0, patience: patience) ? Share(bytes, of: self) : nil
        }

        private func add(_ bytes: Int, beside own: Int, leaving rest: Int) -> Bool {
            state.withLock { state in
                guard state.holds(bytes, beside: own, leaving: rest, of: limit) else { return false }
                state.taken += bytes
                return true
            }
        }

        /// - Parameter patience: Nil waits however long it takes.
        private func waitToAdd(_ bytes: Int, beside own: Int, patience: Duration?) async -> Bool {
            await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
                let isTaken = state.withLock { state in
                    if state.waiting.isEmpty, state.holds(bytes, beside: own, of: limit) {
                        state.taken += bytes
                        return true
                    }
                    state.latest += 1
                    let number = state.latest
                    let impatience = patience.map { patience in
                        Task {
                            do { try await Task.sleep(for: patience) } catch { return }
                            self.giveUp(number)
                        }
                    }
                    state.waiting.append(
                        Waiting(number: number, bytes: bytes, own: own, impatience: impatience, continuation: continuation))
                    return false
                }
                if isTaken { continuation.resume(returning: true) }
            }
        }

        private func giveUp(_ number: UInt64) {
            let place = change { state in
                let place = state.waiting.firstIndex { $0.number == number }
                return place.map { state.waiting.remove(at: $0) }
            }
            place?.continuation.resume(returning: false)
        }

        /// Changes something, and lets in who waits and has room then.
        private func change<Result>(_ body: (inout State) -> Result) -> Result {
            let (result, next) = state.withLock { state in
                let result = body(&state)
                var next: [Waiting] = []
                while let first = state.waiting.first, state.holds(first.bytes, beside: first.own, of: limit) {
                    state.taken += first.bytes
                    next.append(state.waiting.removeFirst())
                }
                return (result, next)
            }
            for waiting in next {
                waiting.impatience?.cancel()
                waiting.continuation.resume(returning: true)
            }
            return result
        }

        /// A part of the room, which is given back when nobody has it any more, or before. One task at a time changes it.
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
                if change != 0 { room.change { $0.taken += change } }
            }

            /// Takes more where there is any.
            /// - Parameter rest: As in ``ByteRoom/take(_:leaving:)``.
            /// - Returns: False where there is none; it is as large as before then.
            func grow(by more: Int, leaving rest: Int) -> Bool {
                let isTaken = room.add(more, beside: bytes.withLock { $0 }, leaving: rest)
                if isTaken { bytes.withLock { $0 += more } }
                return isTaken
            }

            /// Waits until there is more, behind who waits already.
            /// - Returns: False when there was none for so long; it is as large as before then.
            func grow(by more: Int, within patience: Duration) async -> Bool {
                let isTaken = await room.waitToAdd(more, beside: bytes.withLock { $0 }, patience: patience)
                if isTaken { bytes.withLock { $0 += more } }
                return isTaken
            }
        }
    }
#endif
