// Values come from strangers: long texts are compared as MetadataKey says, and every value is equal to itself, so that it is of one kind.

extension LogValue {
    public static func == (left: LogValue, right: LogValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.unsigned(let left), .unsigned(let right)): left == right
        case (.double(let left), .double(let right)): left == right || (left.isNaN && right.isNaN)
        case (.string(let left), .string(let right)): MetadataKey.areEqual(left, right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        case (.protected(let privacy, let left), .protected(let other, let right)): privacy == other && left == right
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .unsigned(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value.isNaN ? .nan : value)
        case .string(let text): hasher.combine(MetadataKey(text))
        case .array(let values): hasher.combine(values)
        case .object(let members): hasher.combine(members)
        case .protected(let privacy, let value):
            hasher.combine(privacy)
            hasher.combine(value)
        }
    }
}
