package import LogbookCore

extension Array where Element == UInt8 {
    /// A value as JSON. Numbers that JSON cannot write become the strings `"NaN"`, `"Infinity"` and `"-Infinity"`.
    package mutating func append(json value: LogValue) {
        switch value {
        case .null: append("null")
        case .bool(let flag): append(flag ? "true" : "false")
        case .integer(let number): append(decimal: number)
        case .unsigned(let number): append(decimal: number)
        case .double(let number):
            if number.isFinite { append(utf8Of: number.description) }
            else { append(jsonString: number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity") }
        case .string(let text): append(jsonString: text)
        case .array(let values):
            append(0x5B)
            for (index, value) in values.enumerated() {
                if index > 0 { append(0x2C) }
                append(json: value)
            }
            append(0x5D)
        case .object(let members): append(json: members)
        case .protected: append(jsonString: "<private>")   // no event that a service made holds one
        }
    }

    package mutating func append(json members: LogMetadata) {
        append(0x7B)
        for (index, (key, value)) in members.enumerated() {
            if index > 0 { append(0x2C) }
            append(jsonString: key)
            append(0x3A)
            append(json: value)
        }
        append(0x7D)
    }
}
