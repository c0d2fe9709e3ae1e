/// The name of a spool's file: `003-0000000042-586AB00B-F16E-4AE6-8A91-0210264925C7.events`, which are its lane, its number in
/// the lane, and what the ids of its parcels begin with. Anything else in the folder is not the spool's.
struct SpoolName: Hashable {
    let lane: Int
    let number: UInt64
    let id: String

    static let mostLanes = 1000
    private static let ending = ".events"

    init(lane: Int, number: UInt64, id: String) {
        self.lane = lane
        self.number = number
        self.id = id
    }

    init?(_ name: String) {
        let bytes = Array(name.utf8)
        guard bytes.count == 3 + 1 + 10 + 1 + 36 + Self.ending.utf8.count, name.hasSuffix(Self.ending),
            bytes[3] == 0x2D, bytes[14] == 0x2D, let lane = Self.decimal(bytes[..<3]), let number = Self.decimal(bytes[4..<14])
        else { return nil }
        let id = bytes[15..<51]
        guard id.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x46).contains($0) || $0 == 0x2D }) else { return nil }
        self.init(lane: Int(lane), number: number, id: String(decoding: id, as: UTF8.self))
    }

    var text: String { "\(Self.padded(UInt64(lane), 3))-\(Self.padded(number, 10))-\(id)\(Self.ending)" }

    /// What a file is called while it is written anew.
    static let part = ".part"

    /// The file that whoever uses the lane holds a lock on: `003.lane`.
    static func lock(ofLane lane: Int) -> String { padded(UInt64(lane), 3) + ".lane" }

    private static func decimal(_ digits: ArraySlice<UInt8>) -> UInt64? {
        digits.allSatisfy { (0x30...0x39).contains($0) } ? UInt64(String(decoding: digits, as: UTF8.self)) : nil
    }

    private static func padded(_ number: UInt64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
