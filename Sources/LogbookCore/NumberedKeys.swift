/// Keys that no two members share: one that is taken gets a number behind it, `gateway_2`.
package struct NumberedKeys {
    private var taken: Set<MetadataKey>
    /// The number that a key was given last: none is tried twice, however many members would have the same key.
    private var numbers: [MetadataKey: Int] = [:]

    package init(taken keys: some Sequence<String>) { taken = Set(keys.map { MetadataKey($0) }) }

    /// The key, or the first of its numbered ones that is free; from now on it is taken.
    package mutating func take(_ key: String) -> String {
        if taken.insert(MetadataKey(key)).inserted { return key }
        var number = numbers[MetadataKey(key), default: 1], numbered: String
        repeat {
            number += 1
            numbered = "\(key)_\(number)"
        } while !taken.insert(MetadataKey(numbered)).inserted
        numbers[MetadataKey(key)] = number
        return numbered
    }
}
