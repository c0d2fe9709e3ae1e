/// How many events go into one parcel: as many as the policy says, fewer once the receiver has found one too large, and more again as it
/// takes them.
///
/// A parcel that is too large has the next hold half as many. Each full one that is taken then lets the next hold an eighth more, but not
/// as many as were too many: that is tried again after ``patience`` full ones, for a receiver may have changed.
struct ParcelLimit: Sendable {
    private static let patience = 64

    private let most: Int
    private(set) var events: Int
    /// As many were too many; nil where nothing was of late.
    private var tooMany: Int?
    /// Full parcels that were taken since.
    private var taken = 0
    /// As many were taken in one parcel.
    private var proven: Int?

    /// - Parameter most: The policy's number.
    init(_ most: Int) {
        self.most = most
        events = most
    }

    /// The receiver finds a parcel of so many events too large.
    mutating func refuse(_ count: Int) {
        tooMany = min(tooMany ?? count, count)
        taken = 0
        events = max(1, min(events, (count + 1) / 2))
    }

    /// The fate of a parcel is known.
    /// - Parameter rejected: As many of its events the receiver will never take.
    mutating func settle(_ count: Int, rejected: Int) {
        if rejected < count {
            take(count)
        } else if count == 1, events <= 2 {
            // The event was at fault alone, and not that there were others: as many as went before it may go.
            let proven = proven
            self = ParcelLimit(most)
            if let proven { events = max(1, min(proven, most)) }
        }
    }

    private mutating func take(_ count: Int) {
        guard count >= events else { return }   // a smaller one tells nothing new
        taken += 1
        proven = max(proven ?? 0, count)
        if taken > Self.patience {
            tooMany = nil
            taken = 0
        }
        let ceiling = min(most, tooMany.map { $0 - 1 } ?? most)
        events = max(events, min(count + max(1, count / 8), ceiling))
    }
}
