internal import LogbookCore
internal import LogbookDelivery

/// Has the couriers of one uploader leave their receiver alone together.
final class SharedPause: Sendable {
    private struct Member { weak var courier: Courier? }
    /// They hold this, so it holds none of them.
    private let members = Locked<[Member]>([])

    func unite(_ couriers: [Courier]) { members.withLock { $0 = couriers.map { Member(courier: $0) } } }

    /// What the receiver asked of one courier goes for the others. Called on that courier's thread.
    func hear(_ event: CourierEvent) {
        guard case .willRetry(_, let span, let reason, _, true) = event else { return }
        let couriers = members.withLock { $0.compactMap(\.courier) }
        for courier in couriers where !courier.isCurrentThread { courier.leaveAlone(for: span, because: reason) }
    }
}
