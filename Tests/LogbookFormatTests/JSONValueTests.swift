import LogbookFormat
import Testing

@Suite struct JSONValueTests {
    func parse(_ text: String, _ limits: JSONLimits = JSONLimits()) throws -> JSONValue {
        try JSONValue.parse(Array(text.utf8), limits: limits)
    }

    @Test func readsEveryKindOfValue() throws {
        let text = #" {"a":[1,-2.5,1e3,true,false,null],"b":"x\n\u00e9\ud83d\ude00\/","c":{},"d":18446744073709551615} "#
        #expect(
            try parse(text)
                == .object([
                    JSONMember(
                        key: "a",
                        value: .array([.integer(1), .double(-2.5), .double(1000), .bool(true), .bool(false), .null])),
                    JSONMember(key: "b", value: .string("x\né😀/")),
                    JSONMember(key: "c", value: .object([])),
                    JSONMember(key: "d", value: .unsigned(.max)),
                ]))
    }

    @Test(arguments: [
        "", "{", "[", "[1,]", "{\"a\":1,}", "{a:1}", "{\"a\" 1}", "01", "-", "1.", ".5", "1e", "+1", "tru", "nul", "\"a", "\"\\x\"",
        "\"\\u12g4\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"a\nb\"", "[1] 2", "{\"a\":1,\"a\":2}", "NaN", "[1 2]",
        "'a'", "\u{FEFF}[]", "{\"a\":1,\"\\u0061\":2}",
    ])
    func refusesWhatIsNoJSON(text: String) { #expect(throws: JSONError.self) { try parse(text) } }

    @Test func refusesBytesThatAreNoUTF8() {
        for bytes: [UInt8] in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82]] {
            #expect(throws: JSONError.self) { try JSONValue.parse([0x22] + bytes + [0x22]) }
            #expect(throws: JSONError.self) { try JSONValue.parse(Array(#""\n"#.utf8) + bytes + [0x22]) }
        }
    }

    @Test func aKeyThatComesTwiceIsFoundInALongObjectToo() throws {
        for count in [1, 15, 16, 17, 40] {
            let members = (0..<count).map { #""k\#($0)":\#($0)"# }
            guard case .object(let read) = try parse("{" + members.joined(separator: ",") + "}") else { return #expect(Bool(false)) }
            #expect(read.map(\.key) == (0..<count).map { "k\($0)" })
            for twice in [0, count / 2, count - 1] {
                #expect(throws: JSONError.self) { try parse("{" + (members + [members[twice]]).joined(separator: ",") + "}") }
            }
        }
    }

    @Test(arguments: ["0", "-0", "-1", "999999999999999999", "-99999999999999999", "9223372036854775807", "-9223372036854775808"])
    func wholeNumbersOfAnyLength(text: String) throws { #expect(try parse(text) == .integer(Int64(text)!)) }

    @Test("S18: what the limits refuse is refused before it is built")
    func limits() {
        var limits = JSONLimits()
        (limits.depth, limits.members, limits.elements, limits.stringBytes, limits.numberLength) = (3, 2, 3, 10, 5)
        for text in [
            "[[[[]]]]", #"{"a":1,"b":2,"c":3}"#, "[1,2,3,4]", #""01234567890123456789""#, "123456", "1e999",
        ] {
            #expect(throws: JSONError.self) { try parse(text, limits) }
        }
        let deep = String(repeating: "[", count: 1_000_000)
        #expect(throws: JSONError.tooLarge("more than 32 levels", offset: 32)) { try parse(deep) }
    }

    @Test func errorsNameThePlace() {
        #expect(throws: JSONError.malformed("a colon is missing", offset: 4)) { try parse(#"{"a"1}"#) }
    }

    @Test func theDigitsOfAnEscapeAreSixteenAndTheirCapitals() {
        for byte in UInt8.min...UInt8.max {
            let read = try? JSONValue.parse(Array(#""\u004"#.utf8) + [byte] + Array("\"".utf8))
            let digit = byte < 0x80 ? Character(Unicode.Scalar(byte)).hexDigitValue : nil
            #expect(read == digit.map { .string(String(Unicode.Scalar(UInt8(0x40 + $0)))) }, "byte \(byte)")
        }
    }
}
