// HOT PATH — one word says who hears a plain message of a level.

/// Who hears plain messages of one level: queued registrations by their seats in the audience, as of one change of it.
struct Hearing: Equatable {
    let bits: UInt64

    /// Seats that a word has room for. Who sits further back is served through objects.
    static let seats = 32
    /// Counts the changes of an audience; begins anew after 2^31 of them.
    static let generationBits = 31

    /// The levels alone do not decide, or somebody hears on the caller's thread.
    static let undecided = Hearing(bits: 1 << 63)
    /// As a record has it that carries an object.
    static let nobody = Hearing(bits: 0)

    init(seats: UInt32, generation: UInt32) {
        bits = UInt64(seats) | UInt64(generation & (1 << UInt32(Self.generationBits) - 1)) << UInt64(Self.seats)
    }

    init(bits: UInt64) { self.bits = bits }

    @inline(__always)
    var isDecided: Bool { bits >> 63 == 0 }
    @inline(__always)
    func includes(seat: Int) -> Bool { seat < Self.seats && bits >> UInt64(seat) & 1 == 1 }

    /// A change as it is to be remembered: one that is long ago would look like one to come when the count goes round. No record is in
    /// the ring for as many changes as lie between.
    static func recent(_ generation: UInt32, at latest: UInt32) -> UInt32 {
        let mask: UInt32 = 1 << UInt32(generationBits) - 1
        return (latest &- generation) & mask > 1 << 29 ? (latest &- 1 << 28) & mask : generation
    }

    /// Whether a change of the audience came before this word was made.
    func isAfter(_ generation: UInt32) -> Bool {
        let own = UInt32(truncatingIfNeeded: bits >> UInt64(Self.seats))
        return (own &- generation) & (1 << 30) == 0
    }
}
