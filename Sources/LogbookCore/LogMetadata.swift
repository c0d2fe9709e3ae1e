/// A value of metadata, typed so that stores and collectors can compare and sum it.
public enum LogValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    case double(Double)
    case string(String)
    case array([LogValue])
    indirect case object(LogMetadata)
    /// A value that not every reader may see; no provider ever receives one, see ``LogRegistration/privacy``.
    indirect case protected(LogPrivacy, LogValue)

    /// A value of which a registration sees what its ``PrivacyMode`` says: `<private>` unless it says otherwise.
    public static func `private`(_ value: LogValue) -> LogValue { .protected(.private, value) }
    /// A value that always reads `<secret>`.
    public static func secret(_ value: LogValue) -> LogValue { .protected(.secret, value) }
    /// A value that everyone may see, whatever the service's ``PrivacyRules`` find in it.
    public static func `public`(_ value: LogValue) -> LogValue { .protected(.public, value) }
    /// Anything that can describe itself, as text; of a ``LogDescribableError`` what it says of itself, masked for every reader.
    public static func describing(_ value: some Any) -> LogValue { .string(LogMessage(describing: value).description) }

    /// Levels of arrays that are looked into; below them there may be anything.
    private static let searchedLevels = 32

    @inline(__always)
    fileprivate var mayHoldProtected: Bool {
        switch self {
        case .null, .bool, .integer, .unsigned, .double, .string: false
        case .array, .object, .protected: mayHoldProtected(level: 0)
        }
    }

    private func mayHoldProtected(level: Int) -> Bool {
        switch self {
        case .protected: true
        case .array(let values):
            level == Self.searchedLevels || values.contains { $0.mayHoldProtected(level: level + 1) }
        case .object(let members): members.mayHoldProtected
        default: false
        }
    }
}

extension LogValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral,
    ExpressibleByNilLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .double(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(arrayLiteral elements: LogValue...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, LogValue)...) { self = .object(LogMetadata(elements)) }
    public init(nilLiteral: ()) { self = .null }

    /// A variable beside literals: `["path": LogValue(path), "attempt": LogValue(attempt)]`.
    public init(_ value: String) { self = .string(value) }
    public init(_ value: Int) { self = .integer(Int64(value)) }
    /// Whole numbers of any type; beyond 64 bits, as a `UInt64` may be, the text of it.
    public init(_ value: some BinaryInteger) { self = Int64(exactly: value).map { .integer($0) } ?? .string("\(value)") }
    public init(_ value: Double) { self = .double(value) }
    public init(_ value: Bool) { self = .bool(value) }
}

/// Facts beside an event's message: keys in the order in which they were given, each once.
public struct LogMetadata: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    public typealias Member = (key: String, value: LogValue)
    /// As a literal brings them: its array is taken as it is. Nil for none, so that a call without metadata has no array to let go of.
    @usableFromInline private(set) var someEntries: [(String, LogValue)]?
    private(set) var entries: [(String, LogValue)] {
        get { someEntries ?? [] }
        _modify {
            if someEntries == nil { someEntries = [] }
            yield &someEntries!
        }
    }
    /// Whether it is known, without a look at memory, that there is nothing.
    @inlinable
    @inline(__always)
    var hasNoEntries: Bool { someEntries == nil }
    /// Kept with every change, so that an event without protected values is told by one look; stays when the value goes.
    @usableFromInline private(set) var mayHoldProtected = false
    /// The words that it takes as ``MemberWords``; negative where it is, or once was, more than a record can carry.
    @usableFromInline private(set) var countedWords: Int32 = 0
    /// Where each key stands; there only beyond ``searchedMembers``, so that even a million members cost no quadratic time. In an array of
    /// its own: to let go of a dictionary that is not there takes a call without metadata two calls of the runtime, of an array none.
    @usableFromInline private(set) var places: [[MetadataKey: Int]]?
    /// Up to so many members a key is looked for one by one.
    private static let searchedMembers = 32

    @inlinable
    public init() {}
    // In the calling program: every call without metadata says `[:]`.
    @inlinable
    public init(dictionaryLiteral elements: (String, LogValue)...) {
        if elements.isEmpty { self.init() } else { self.init(elements: elements) }
    }
    @usableFromInline
    init(elements: [(String, LogValue)]) {
        if elements.count <= Self.searchedMembers, Self.areDistinct(elements) {
            self.init(distinct: elements)
        } else {
            self.init(elements)
        }
    }
    /// Where a key comes twice, the later value stands, in the earlier place.
    public init(_ members: some Sequence<(String, LogValue)>) {
        entries.reserveCapacity(members.underestimatedCount)
        for (key, value) in members { set(key, value) }
    }
    /// Takes members whose keys are known to differ, as those of a dictionary do, without comparing them.
    package init(distinct members: some Sequence<(String, LogValue)>) {
        self.init(distinct: Array(members))
    }
    private init(distinct members: [(String, LogValue)]) {
        for index in members.indices { heed(members[index].0, members[index].1) }
        someEntries = members
        if members.count > Self.searchedMembers { indexPlaces() }
    }

    @inline(__always)
    private mutating func heed(_ key: String, _ value: LogValue) {
        if value.mayHoldProtected { mayHoldProtected = true }
        guard countedWords >= 0 else { return }
        let words = Int(countedWords) + (MemberWords.size(key, value) ?? EventRecord.maximumWords + 1)
        countedWords = words > EventRecord.maximumWords ? -1 : Int32(truncatingIfNeeded: words)
    }

    /// A member goes, or another takes its place.
    private mutating func forget(_ place: Int) {
        guard countedWords >= 0, let words = MemberWords.size(entries[place].0, entries[place].1) else { return }
        countedWords -= Int32(truncatingIfNeeded: words)
    }

    /// The words that it takes as ``MemberWords``; nil where a record cannot carry it, because it is too large, or a value holds others
    /// or is protected; also where it was so before it was changed.
    var plainWords: Int? { countedWords < 0 ? nil : Int(countedWords) }

    private static func areDistinct(_ members: [(String, LogValue)]) -> Bool {
        for index in members.indices.dropFirst() {
            for earlier in 0..<index where MetadataKey.areEqual(members[earlier].0, members[index].0) { return false }
        }
        return true
    }

    /// Where the category stands: `category`.
    public static let categoryKey = "category"
    /// Where a message names the transaction in which it was said: `transaction_id`.
    public static let transactionKey = "transaction_id"

    /// The text under ``categoryKey``; nil when there is none.
    public var category: String? { text(of: Self.categoryKey) }
    /// The text under ``transactionKey``; nil when there is none.
    public var transactionID: String? { text(of: Self.transactionKey) }

    private func text(of key: String) -> String? {
        if case .string(let text) = self[key] { text } else { nil }
    }

    public var isEmpty: Bool { someEntries?.isEmpty ?? true }
    public var count: Int { someEntries?.count ?? 0 }

    public subscript(key: String) -> LogValue? {
        get { place(of: key).map { entries[$0].1 } }
        set {
            if let newValue { return set(key, newValue) }
            guard let place = place(of: key) else { return }
            forget(place)
            entries.remove(at: place)
            places = nil
            if entries.count > Self.searchedMembers { indexPlaces() }
        }
    }

    private mutating func set(_ key: String, _ value: LogValue) {
        if let place = place(of: key) {
            forget(place)
            entries[place].1 = value
            return heed(entries[place].0, value)   // an equal key may be other bytes: "é" as one scalar or two
        }
        entries.append((key, value))
        heed(key, value)
        if places != nil { places![0][MetadataKey(key)] = entries.count - 1 }
        else if entries.count > Self.searchedMembers { indexPlaces() }
    }

    private func place(of key: String) -> Int? {
        if let places { return places[0][MetadataKey(key)] }
        return someEntries?.firstIndex { MetadataKey.areEqual($0.0, key) }
    }

    private mutating func indexPlaces() {
        places = [Dictionary(entries.enumerated().map { (MetadataKey($1.0), $0) }) { first, _ in first }]
    }

    public static func == (left: LogMetadata, right: LogMetadata) -> Bool {
        left.entries.elementsEqual(right.entries) { MetadataKey.areEqual($0.0, $1.0) && $0.1 == $1.1 }
    }
    public func hash(into hasher: inout Hasher) {
        hasher.combine(entries.count)
        for (key, value) in entries {
            hasher.combine(MetadataKey(key))
            hasher.combine(value)
        }
    }

    // HOT PATH — for formats: members are lent, so that no reference is counted.
    package func forEachMember(_ body: (_ key: String, _ value: LogValue) -> Void) {
        someEntries?.withUnsafeBufferPointer { members in
            for place in members.indices { withoutCounting(members.baseAddress! + place) { body($0.0, $0.1) } }
        }
    }

    /// The same, as long as the answer is true.
    package func allMembers(_ isFine: (_ key: String, _ value: LogValue) -> Bool) -> Bool {
        someEntries?.withUnsafeBufferPointer { members in
            for place in members.indices {
                if !withoutCounting(members.baseAddress! + place, { isFine($0.0, $0.1) }) { return false }
            }
            return true
        } ?? true
    }

    /// Both, where `other` decides a key that both have.
    public func merging(_ other: LogMetadata) -> LogMetadata {
        if other.isEmpty { return self }
        if isEmpty { return other }
        var merged = self
        for (key, value) in other { merged[key] = value }
        return merged
    }
}

extension LogMetadata: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { count }
    public subscript(position: Int) -> Member { entries[position] }
}
