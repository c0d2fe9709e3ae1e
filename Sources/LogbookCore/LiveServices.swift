/// The services that have, or had, providers: for what concerns all of them, such as the program's end.
enum LiveServices {
    private struct WeakService { weak var service: LogService? }
    // By identity, so that no service is held, and perhaps let go, under the lock.
    private static let services = Locked<[ObjectIdentifier: WeakService]>([:])

    static func include(_ service: LogService) {
        ProcessLineage.betweenForks { services.withLock { $0[ObjectIdentifier(service)] = WeakService(service: service) } }
    }

    static func remove(_ identity: ObjectIdentifier) {
        ProcessLineage.betweenForks { services.withLock { _ = $0.removeValue(forKey: identity) } }
    }

    static var all: [LogService] { services.withLock { $0.values.compactMap(\.service) } }
}
