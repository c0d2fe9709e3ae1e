/// One message of D-Bus, with the few fields that asking for a property takes.
///
/// - Note: Source: "D-Bus Specification", on the wire format.
struct BusMessage: Sendable, Equatable {
    enum Kind: UInt8 { case call = 1, answer = 2, failure = 3, signal = 4 }
    /// The codes of the header's fields that are of use here; others are passed over.
    private enum Field: UInt8 { case path = 1, interface = 2, member = 3, answered = 5, destination = 6, sender = 7, signature = 8 }
    enum Damage: Error { case malformed, tooLarge }

    /// No service is started for this message.
    static let startsNothing: UInt8 = 0x2
    /// Far more than an answer to us takes.
    static let maximumBytes = 64 << 10

    var kind: Kind
    var flags: UInt8 = 0
    var serial: UInt32
    /// The serial that this answers.
    var answered: UInt32?
    var path: String?
    var interface: String?
    var member: String?
    var destination: String?
    var sender: String?
    var signature = ""
    var body: [UInt8] = []

    /// As it goes over the wire, the least significant byte first.
    var bytes: [UInt8] {
        var fields = Writer()
        func field(_ code: Field, _ type: String, _ write: (inout Writer) -> Void) {
            fields.align(to: 8)
            fields.bytes.append(code.rawValue)
            fields.signature(type)
            write(&fields)
        }
        if let path { field(.path, "o") { $0.text(path) } }
        if let interface { field(.interface, "s") { $0.text(interface) } }
        if let member { field(.member, "s") { $0.text(member) } }
        if let answered { field(.answered, "u") { $0.number(answered) } }
        if let destination { field(.destination, "s") { $0.text(destination) } }
        if !signature.isEmpty { field(.signature, "g") { $0.signature(signature) } }
        var message = Writer()
        message.bytes = [UInt8(ascii: "l"), kind.rawValue, flags, 1]
        message.number(UInt32(body.count))
        message.number(serial)
        message.number(UInt32(fields.bytes.count))
        message.bytes += fields.bytes
        message.align(to: 8)
        return message.bytes + body
    }

    /// Takes the first message from the front of what has arrived.
    /// - Returns: Nil while it is not whole.
    static func take(from bytes: inout [UInt8]) throws(Damage) -> BusMessage? {
        guard bytes.count >= 16 else { return nil }
        guard bytes[0] == UInt8(ascii: "l") else { throw .malformed }   // "B", the other order of bytes, is not read here
        var reader = Reader(bytes: bytes, place: 4)
        let bodyBytes = Int(try reader.number())
        let serial = try reader.number()
        let fieldsEnd = 16 + Int(try reader.number())
        let bodyStart = (fieldsEnd + 7) / 8 * 8
        guard bodyBytes <= maximumBytes, bodyStart <= maximumBytes else { throw .tooLarge }
        guard bytes.count >= bodyStart + bodyBytes else { return nil }
        guard let kind = Kind(rawValue: bytes[1]), bytes[3] == 1 else { throw .malformed }
        var message = BusMessage(kind: kind, flags: bytes[2], serial: serial)
        while reader.place < fieldsEnd {
            try reader.align(to: 8)
            let code = Field(rawValue: try reader.byte())
            switch (code, try reader.signature()) {
            case (.answered, "u"): message.answered = try reader.number()
            case (.signature, "g"): message.signature = try reader.signature()
            case (.path, "o"): message.path = try reader.text()
            case (.interface, "s"): message.interface = try reader.text()
            case (.member, "s"): message.member = try reader.text()
            case (.destination, "s"): message.destination = try reader.text()
            case (.sender, "s"): message.sender = try reader.text()
            case (_, "s"), (_, "o"): _ = try reader.text()
            case (_, "g"): _ = try reader.signature()
            case (_, "u"): _ = try reader.number()
            default: throw .malformed
            }
        }
        guard reader.place == fieldsEnd else { throw .malformed }
        message.body = Array(bytes[bodyStart..<(bodyStart + bodyBytes)])
        bytes.removeFirst(bodyStart + bodyBytes)
        return message
    }

    struct Writer {
        var bytes: [UInt8] = []

        mutating func align(to step: Int) { while bytes.count % step != 0 { bytes.append(0) } }
        mutating func number(_ value: UInt32) {
            align(to: 4)
            for place in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * UInt32(place)))) }
        }
        mutating func text(_ text: String) {
            number(UInt32(text.utf8.count))
            bytes += Array(text.utf8) + [0]
        }
        mutating func signature(_ text: String) { bytes += [UInt8(text.utf8.count)] + Array(text.utf8) + [0] }
    }

    struct Reader {
        let bytes: [UInt8]
        var place = 0

        mutating func byte() throws(Damage) -> UInt8 {
            guard place < bytes.count else { throw .malformed }
            defer { place += 1 }
            return bytes[place]
        }
        mutating func align(to step: Int) throws(Damage) {
            while place % step != 0 { guard try byte() == 0 else { throw .malformed } }
        }
        mutating func number() throws(Damage) -> UInt32 {
            try align(to: 4)
            var value: UInt32 = 0
            for place in 0..<4 { value |= UInt32(try byte()) << (8 * UInt32(place)) }
            return value
        }
        mutating func text() throws(Damage) -> String { try text(of: Int(number())) }
        mutating func signature() throws(Damage) -> String { try text(of: Int(byte())) }

        private mutating func text(of count: Int) throws(Damage) -> String {
            guard count < bytes.count - place, bytes[place + count] == 0 else { throw .malformed }
            defer { place += count + 1 }
            return String(decoding: bytes[place..<(place + count)], as: UTF8.self)
        }
    }
}
