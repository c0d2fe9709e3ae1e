/// The keys that a kind of object may have, in the order in which its writers mostly write them.
package struct JSONKeys: Sendable {
    let names: [StaticString]

    /// - Parameter names: At most 32.
    package init(_ names: [StaticString]) {
        precondition(names.count <= UInt32.bitWidth, "JSONKeys: \(names.count) keys")
        self.names = names
    }

    /// - Parameter likely: Where to look first.
    func index(of name: UnsafeBufferPointer<UInt8>, from likely: Int) -> Int? {
        var index = likely
        for _ in names {
            if index >= names.count { index = 0 }
            if names[index].equals(name) { return index }
            index += 1
        }
        return nil
    }
}

/// Walks over the members of one object, and stops at those whose keys are known: no text is made of them as they are mostly written.
package struct JSONMembers {
    private let keys: JSONKeys
    private let depth: Int
    private var count = 0
    private var likely = 0
    private var met: UInt32 = 0
    private var others: Set<[UInt8]> = []   // that are not known, by their bytes

    /// - Parameter depth: Of the values: how many arrays and objects they stand in.
    package init(_ keys: JSONKeys, depth: Int) {
        self.keys = keys
        self.depth = depth
    }

    /// Goes on to the value of the next member, of the object that begins here or behind the value that was read last. Members that are
    /// not known are passed over, and so are those that are null.
    /// - Returns: Which of the keys it has; nil behind the object's end.
    package mutating func next(_ reader: inout JSONReader) throws(JSONError) -> Int? {
        while try count == 0 ? reader.begin(depth: depth) : reader.goesOn() {
            reader.skipSpace()
            let key: Int?
            if let likely = try likelyKey(&reader) { key = likely } else { key = try anyKey(&reader) }
            count += 1
            reader.skipSpace()
            if let key, !reader.isAtNull { return key }
            try reader.pass(depth: depth)
        }
        return nil
    }

    /// What is mostly the case: the key that follows the latest one, or the one behind that, where one may be left out.
    private mutating func likelyKey(_ reader: inout JSONReader) throws(JSONError) -> Int? {
        for key in likely..<min(likely + 2, keys.names.count) where reader.passKey(keys.names[key], behind: count) {
            try meet(key, reader)
            return key
        }
        return nil
    }

    private mutating func anyKey(_ reader: inout JSONReader) throws(JSONError) -> Int? {
        try reader.beginKey(behind: count)
        var key: Int?
        if let name = reader.plainString() {
            key = keys.index(of: name, from: likely)
            if key == nil { try note(Array(name), reader) }
        } else {
            var name = try reader.string()
            key = name.withUTF8 { keys.index(of: $0, from: likely) }
            if key == nil { try note(Array(name.utf8), reader) }
        }
        if let key { try meet(key, reader) }
        try reader.endKey()
        return key
    }

    private mutating func meet(_ key: Int, _ reader: JSONReader) throws(JSONError) {
        guard met & 1 << UInt32(key) == 0 else { throw reader.twice(keys.names[key].description.utf8) }
        met |= 1 << UInt32(key)
        likely = key + 1
    }

    private mutating func note(_ name: [UInt8], _ reader: JSONReader) throws(JSONError) {
        guard others.insert(name).inserted else { throw reader.twice(name) }
    }
}
