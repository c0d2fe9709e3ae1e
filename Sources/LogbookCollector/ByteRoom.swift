#if Collector
    internal import LogbookCore

    /// How many bytes there is room for, of bodies that come or of answers that wait to be taken, by however slow a reader. Where there are
    /// several tenants, none of them takes more than half of it: however slow one is, the others go on.
    final class ByteRoom: Sendable {
        private struct Waiting {
            let number: UInt64
            let tenant: String
            let bytes: Int
            /// What whoever waits has already.
            let own: Int
            /// Ends the wait; nil where nothing does.
            var impatience: Task<Void, Never>?
            /// Hears whether there is room.
            let continuation: CheckedContinuation<Bool, Never>
        }

        private struct State {
            var taken = 0
            /// What each tenant has of that; one that has nothing is not among them.
            var ofTenants: [String: Int] = [:]
            /// What a tenant may have, as it was when somebody came last.
            var mostOfOne: Int
            /// In the order in which they came.
            var waiting: [Waiting] = []
            var latest: UInt64 = 0

            /// Whether the tenant's part holds so much more. One always fits, however large it is.
            /// - Parameters:
            ///   - own: Part of what is taken, and in nobody's way.
            ///   - rest: What must still be free then.
            func partHolds(_ bytes: Int, of tenant: String, beside own: Int, leaving rest: Int = 0) -> Bool {
                let its = ofTenants[tenant, default: 0]
                return its == own || rest <= mostOfOne - its - bytes
            }

            /// The same of the whole room.
            func holds(_ bytes: Int, beside own: Int, leaving rest: Int = 0, of limit: Int) -> Bool {
                taken == own || rest <= limit - taken - bytes
            }

            mutating func add(_ bytes: Int, of tenant: String) {
                taken += bytes
                let its = ofTenants[tenant, default: 0] + bytes
                ofTenants[tenant] = its == 0 ? nil : its
            }

            /// Lets in who waits and has room now. Whoever finds none in the tenant's part keeps only the same tenant's waiting; whoever
            /// finds none in the whole room is waited for by all who came later.
            mutating func letIn(of limit: Int) -> [Waiting] {
                var entering: [Waiting] = [], staying: [Waiting] = []
                var stayingTenants: Set<String> = [], isFull = false
                for next in waiting {
                    let hasPart =
                        !isFull && !stayingTenants.contains(next.tenant)
                        && partHolds(next.bytes, of: next.tenant, beside: next.own)
                    if hasPart, holds(next.bytes, beside: next.own, of: limit) {
                        add(next.bytes, of: next.tenant)
                        entering.append(next)
                    } else {
                        if hasPart { isFull = true }
                        stayingTenants.insert(next.tenant)
                        staying.append(next)
                    }
                }
                waiting = staying
                return entering
            }
        }

        private let limit: Int
        private let isShared: @Sendable () -> Bool
        private let state: Locked<State>

        /// - Parameter isShared: Whether there are several tenants.
        init(bytes: Int, isShared: @escaping @Sendable () -> Bool = { false }) {
            limit = bytes
            self.isShared = isShared
            state = Locked(State(mostOfOne: bytes))
        }

        private var mostOfOne: Int { isShared() ? limit / 2 : limit }

        /// Whether a tenant's part, or all of the room where there is one tenant, is so large.
        func isLargeEnough(for bytes: Int) -> Bool { bytes <= mostOfOne }

        /// Bytes that are taken now.
        var taken: Int { state.withLock { $0.taken } }
        /// How many wait for room.
        var waitingCount: Int { state.withLock { $0.waiting.count } }

        /// Takes room where there is any.
        /// - Parameter rest: Is left for those who have a share already, and will want more.
        func take(_ bytes: Int, of tenant: String, leaving rest: Int = 0) -> Share? {
            add(bytes, of: tenant, beside: 0, leaving: rest) ? Share(bytes, of: tenant, in: self) : nil
        }

        /// Waits until there is room, behind who waits already. That comes to an end by itself, also where nobody wants it any more: every
        /// other answer is written, or given up by the guard of its connection.
        /// - Parameter patience: How long to wait; nil waits however long it takes.
        /// - Returns: Nil when there was no room for so long.
        func wait(for bytes: Int, of tenant: String, within patience: Duration?) async -> Share? {
            await waitToAdd(bytes, of: tenant, beside: 0, patience: patience) ? Share(bytes, of: tenant, in: self) : nil
        }

        private func add(_ bytes: Int, of tenant: String, beside own: Int, leaving rest: Int) -> Bool {
            let most = mostOfOne
            return state.withLock { state in
                state.mostOfOne = most
                guard state.partHolds(bytes, of: tenant, beside: own, leaving: rest),
                    state.holds(bytes, beside: own, leaving: rest, of: limit)
                else { return false }
                state.add(bytes, of: tenant)
                return true
            }
        }

        /// - Parameter patience: Nil waits however long it takes.
        private func waitToAdd(_ bytes: Int, of tenant: String, beside own: Int, patience: Duration?) async -> Bool {
            let most = mostOfOne
            return await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
                let entering = state.withLock { state in
                    state.mostOfOne = most
                    state.latest += 1
                    let number = state.latest
                    state.waiting.append(
                        Waiting(number: number, tenant: tenant, bytes: bytes, own: own, impatience: nil, continuation: continuation))
                    let entering = state.letIn(of: limit)
                    if let patience, state.waiting.last?.number == number {
                        state.waiting[state.waiting.count - 1].impatience = Task {
                            do { try await Task.sleep(for: patience) } catch { return }
                            self.giveUp(number)
                        }
                    }
                    return entering
                }
                Self.tell(entering)
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
            let (result, entering) = state.withLock { state in
                let result = body(&state)
                return (result, state.letIn(of: limit))
            }
            Self.tell(entering)
            return result
        }

        /// Tells those that there is room, which they have now.
        private static func tell(_ entering: [Waiting]) {
            for waiting in entering {
                waiting.impatience?.cancel()
                waiting.continuation.resume(returning: true)
            }
        }

        /// A part of the room, which is given back when nobody has it any more, or before. One task at a time changes it.
        final class Share: Sendable {
            private let room: ByteRoom
            private let tenant: String
            private let bytes: Locked<Int>

            fileprivate init(_ bytes: Int, of tenant: String, in room: ByteRoom) {
                self.room = room
                self.tenant = tenant
                self.bytes = Locked(bytes)
            }

            deinit { resize(to: 0) }

            /// Says how much it is after all; also where there is no room for more, since it is there.
            func resize(to count: Int) {
                let change = bytes.withLock { bytes in
                    defer { bytes = count }
                    return count - bytes
                }
                if change != 0 { room.change { $0.add(change, of: tenant) } }
            }

            /// Takes more where there is any.
            /// - Parameter rest: As in ``ByteRoom/take(_:of:leaving:)``.
            /// - Returns: False where there is none; it is as large as before then.
            func grow(by more: Int, leaving rest: Int) -> Bool {
                let isTaken = room.add(more, of: tenant, beside: bytes.withLock { $0 }, leaving: rest)
                if isTaken { bytes.withLock { $0 += more } }
                return isTaken
            }

            /// Waits until there is more, behind who waits already.
            /// - Returns: False when there was none for so long; it is as large as before then.
            func grow(by more: Int, within patience: Duration) async -> Bool {
                let isTaken = await room.waitToAdd(more, of: tenant, beside: bytes.withLock { $0 }, patience: patience)
                if isTaken { bytes.withLock { $0 += more } }
                return isTaken
            }
        }
    }
#endif
