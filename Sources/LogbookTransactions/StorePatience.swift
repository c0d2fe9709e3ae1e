#if Transactions
package import LogbookCore

/// How long a call to a store waits: for its turn among the threads of this process, and then for another program that keeps the file
/// locked.
package struct StorePatience: Sendable {
    /// For both together.
    let deadline: LogDeadline
    private let waitsForPrograms: Bool

    /// For its turn however long, and for another program as long as the store's `busyTimeout`.
    package static let usual = StorePatience(deadline: .never, waitsForPrograms: true)

    /// The same, and no longer than until a deadline.
    package static func until(_ deadline: LogDeadline) -> StorePatience { StorePatience(deadline: deadline, waitsForPrograms: true) }

    /// For no other program, and for its turn a second at most, which is longer than a slow disk takes: for who tries again later.
    static func attempt(by deadline: LogDeadline) -> StorePatience {
        StorePatience(deadline: min(deadline, .after(moment)), waitsForPrograms: false)
    }

    /// For its turn however long, and for no other program.
    static let turn = StorePatience(deadline: .never, waitsForPrograms: false)

    private static let moment = Duration.seconds(1)

    /// How long another program is waited for from now on, in milliseconds.
    /// - Parameter usual: As long as that is by the store's `busyTimeout`.
    func milliseconds(atMost usual: Int32) -> Int32 {
        guard waitsForPrograms else { return 0 }
        guard let left = deadline.remaining else { return usual }
        return left == .zero ? 0 : min(usual, Int32(clamping: left.wholeNanoseconds / 1_000_000 + 1))   // not before the deadline
    }
}
#endif
