import LogbookCore

/// What a member of a line must be, in words.
enum Expected {
    static let text = "a string"
    static let natural = "a whole number of at least 0"
    static let number = "a whole number"
    static let line = "a whole number from 0 to 4294967295"
    static let object = "an object"
    static let time = "a time after ISO 8601 with an offset, as a string"
    static let level = "one of " + LogLevel.allCases.map(\.name).joined(separator: ", ")
}
