#if Collector
internal import LogbookFormat

/// A JSON object under construction.
struct JSONText {
    private var members: [UInt8] = []

    var bytes: [UInt8] { [0x7B] + members + [0x7D] }

    private mutating func begin(_ key: String) {
        if !members.isEmpty { members.append(0x2C) }
        members.append(jsonString: key)
        members.append(0x3A)
    }

    mutating func add(_ key: String, _ text: String?) {
        begin(key)
        if let text { members.append(jsonString: text) } else { members += "null".utf8 }
    }

    mutating func add(_ key: String, _ number: Int) {
        begin(key)
        members += String(number).utf8
    }

    mutating func add(_ key: String, _ object: JSONText) {
        begin(key)
        members += object.bytes
    }

    mutating func add(_ key: String, _ objects: [JSONText]) {
        begin(key)
        members.append(0x5B)
        for (index, object) in objects.enumerated() {
            if index > 0 { members.append(0x2C) }
            members += object.bytes
        }
        members.append(0x5D)
    }
}
#endif
