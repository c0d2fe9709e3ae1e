internal import LogbookCore

/// The connections of a server, so that there are never too many: who waits longest without having asked for anything gives way
/// to who comes.
final class ConnectionRegistry: Sendable {
    private struct Connection {
        /// Nil for this machine.
        let address: String?
        /// When it began to wait for a request; nil while one is under way.
        var waitingSince: UInt64?
        let close: @Sendable () -> Void
    }

    private struct State {
        var connections: [UInt64: Connection] = [:]
        var clock: UInt64 = 0
    }

    private let maximum: Int
    private let maximumPerAddress: Int
    private let state = Locked(State())

    init(maximum: Int, maximumPerAddress: Int) {
        self.maximum = maximum
        self.maximumPerAddress = maximumPerAddress
    }

    /// - Parameters:
    ///   - address: Of the other side; nil for this machine, from which as many come as are taken from all.
    ///   - close: Called when the connection has to give way, on any thread.
    /// - Returns: The connection's number; nil when there is no room.
    func admit(from address: String?, close: @escaping @Sendable () -> Void) -> UInt64? {
        let (number, leaving): (UInt64?, [Connection]) = state.withLock { state in
            state.clock += 1
            var leaving: [Connection] = []
            func makeRoom(_ belongs: (Connection) -> Bool, _ limit: Int) -> Bool {
                let those = state.connections.filter { belongs($0.value) }
                if those.count < limit { return true }
                let idle = those.filter { $0.value.waitingSince != nil }
                guard let longest = idle.min(by: { $0.value.waitingSince! < $1.value.waitingSince! }) else { return false }
                leaving.append(longest.value)
                state.connections[longest.key] = nil
                return true
            }
            if let address, !makeRoom({ $0.address == address }, maximumPerAddress) { return (nil, leaving) }
            if state.connections.count >= maximum, !makeRoom({ _ in true }, maximum) { return (nil, leaving) }
            state.connections[state.clock] = Connection(address: address, waitingSince: state.clock, close: close)
            return (state.clock, leaving)
        }
        for connection in leaving { connection.close() }
        return number
    }

    /// Says whether the connection waits for a request.
    func note(_ number: UInt64, isWaiting: Bool) {
        state.withLock { state in
            state.clock += 1
            state.connections[number]?.waitingSince = isWaiting ? state.clock : nil
        }
    }

    /// Closes every connection, whatever it does.
    func closeAll() {
        let all = state.withLock { state in
            defer { state.connections = [:] }
            return Array(state.connections.values)
        }
        for connection in all { connection.close() }
    }

    func leave(_ number: UInt64) { state.withLock { $0.connections[number] = nil } }
}
