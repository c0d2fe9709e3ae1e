/// What the kernel has heard of a server's addresses to which datagrams went: that nobody takes them there.
struct DatagramRefusals: Equatable {
    /// In all: who is asked next.
    private(set) var count = 0
    /// Since an address took something, or all had refused.
    private(set) var inARow = 0

    /// The addresses that have not refused in a row, the one behind the latest that has first.
    func rest<Address>(of addresses: [Address]) -> [Address] {
        guard inARow < addresses.count else { return [] }
        return (0..<(addresses.count - inARow)).map { addresses[(count + $0) % addresses.count] }
    }

    mutating func note() {
        count += 1
        inARow += 1
    }

    mutating func beginAnew() { inARow = 0 }
}
