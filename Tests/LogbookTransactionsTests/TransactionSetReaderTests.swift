#if Transactions
import LogbookCore
import LogbookFormat
import LogbookTransactions
import Testing

/// How one and the same document may be written.
private struct Manner: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var isReversed = false
    var isEscaped = false
    var space = ""
    /// Stands at the beginning of each object.
    var strange: [String] = []

    static let all = [
        Manner(testDescription: "as it is"),
        Manner(testDescription: "from the last member to the first", isReversed: true),
        Manner(testDescription: "every character escaped", isEscaped: true),
        Manner(testDescription: "spaced", space: " \n\t\r"),
        Manner(
            testDescription: "with more than is known",
            strange: [#""apptxns/mood":[{},null,0.5e1,"]}\"\\",[{"apptxns":-1}]]"#, #""":{"apptxn/id":{}}"#, #""apptxn/log":true"#]),
    ]

    func text(_ value: JSONValue) -> String {
        switch value {
        case .null: "null"
        case .bool(let bool): "\(bool)"
        case .integer(let number): "\(number)"
        case .unsigned(let number): "\(number)"
        case .double(let number): "\(number)"
        case .string(let text): quoted(text)
        case .array(let elements): "[" + elements.map { space + text($0) + space }.joined(separator: ",") + "]"
        case .object(let members):
            "{" + (strange + (isReversed ? members.reversed() : members).map { member in
                space + quoted(member.key) + space + ":" + space + text(member.value) + space
            }).joined(separator: ",") + "}"
        }
    }

    private func quoted(_ text: String) -> String {
        if isEscaped { return "\"" + text.utf16.map { "\\u" + String(0x1_0000 + UInt32($0), radix: 16).dropFirst() }.joined() + "\"" }
        var bytes: [UInt8] = []
        bytes.append(jsonString: text)
        return String(decoding: bytes, as: UTF8.self)
    }
}

@Suite struct TransactionSetReaderTests {
    @Test("W5: however a set is written, it is the same", arguments: Manner.all, TransactionSetVersion.allCases)
    private func manners(_ manner: Manner, _ version: TransactionSetVersion) throws {
        let document = try JSONValue.parse(Array(goldenV2.utf8))
        let expected = try TransactionSet.decode(Array(goldenV2.utf8), version)
        #expect(expected.transactions[0].entries[1].errorDescription == "no answer")
        let text = manner.text(document)
        #expect(try TransactionSet.decode(Array(text.utf8), version) == expected, "\(text)")
    }

    @Test("a set that is cut anywhere is no JSON, and is said to be none")
    func cut() {
        let bytes = Array(goldenV2.utf8)
        for end in bytes.indices {
            let error = #expect(throws: TransactionSetError.self) { _ = try TransactionSet.decode(Array(bytes[..<end]), .v0_0_2) }
            guard case .notJSON? = error else {
                Issue.record("cut behind \(end) bytes: \(String(describing: error))")
                return
            }
        }
    }

    @Test("whatever becomes of a byte, what is read is a set or a fault")
    func damaged() throws {
        let bytes = Array(goldenV2.utf8), expected = try TransactionSet.decode(bytes, .v0_0_2)
        var sets = 0, faults = 0
        for index in bytes.indices {
            for byte in [0x00, 0x20, 0x22, 0x2C, 0x30, 0x39, 0x5B, 0x5C, 0x5D, 0x61, 0x7B, 0x7D, 0x80, 0xFF] as [UInt8] {
                var damaged = bytes
                damaged[index] = byte
                do throws(TransactionSetError) {
                    let set = try TransactionSet.decode(damaged, .v0_0_2)
                    // Nothing else of the set is touched.
                    #expect(set.transactions.count == 1 && set.transactions[0].entries.count == expected.transactions[0].entries.count)
                    sets += 1
                } catch {
                    faults += 1
                }
            }
        }
        #expect(sets > 1000 && faults > 1000, "\(sets) sets, \(faults) faults")
    }

    @Test("no key may come twice, at any depth", arguments: [
        (#"{"apptxns""#, #"{"apptxns":null,"apptxns""#, "apptxns"),
        (#""apptxn/usecase""#, #""apptxn/id":"a","apptxn/usecase""#, "apptxn/id"),
        (#""apptxn/user""#, #""apptxn/\u0075ser":null,"apptxn/user""#, "apptxn/user"),
        (#""apptxnlog/usecase-event":7"#, #""apptxnlog/usecase-event":7,"apptxnlog/usecase-event":7"#, "apptxnlog/usecase-event"),
        (#""apptxnlog/usecase-event":7"#, #""mood":1,"mood":2,"apptxnlog/usecase-event":7"#, "mood"),
        (#""apptxnlog/usecase-event":7"#, #""mood":[{"a":1,"\u0061":2}],"apptxnlog/usecase-event":7"#, "a"),
    ])
    func twice(part: String, replacement: String, key: String) {
        for version in TransactionSetVersion.allCases {
            let error = #expect(throws: TransactionSetError.self) {
                _ = try TransactionSet.decode(Array(goldenV2.replacing(part, with: replacement).utf8), version)
            }
            #expect(error?.description.contains("the key \"\(key)\" comes twice") == true, "\(String(describing: error))")
        }
    }

    @Test("what is null is absent, and missing where it must be there", arguments: [
        ("\"joe\"", nil), ("1250000", nil), ("1423202367987654", nil), ("\"no answer\"", nil),
        (#""9D2C56F4-3F4C-4B7C-B6F5-0E6B0B6C7A55:3:17""#, nil),
        ("17,\n", TransactionSetError.missing(path: "apptxns[0].apptxn/usecase")),
        ("7,\"apptxnlog/in-ctx-err-code\":-1001", .missing(path: "apptxns[0].apptxn/logs[1].apptxnlog/usecase-event")),
    ] as [(String, TransactionSetError?)])
    func null(value: String, expected: TransactionSetError?) throws {
        let json = goldenV2.replacing(":" + value, with: ":null" + (value.hasSuffix(",\n") ? ",\n" : value.contains(",") ? ",\"x\":0" : ""))
        #expect(json != goldenV2)
        if let expected {
            #expect(throws: expected) { _ = try TransactionSet.decode(Array(json.utf8), .v0_0_2) }
        } else {
            #expect(try TransactionSet.decode(Array(json.utf8), .v0_0_2).entryCount == 2)
        }
    }

    @Test("a date beside microseconds counts for nothing, and each date for its own entry")
    func dates() throws {
        let strange = goldenV2.replacing("\"Fri, 06 Feb 2015 05:59:27 GMT\"", with: "[{}]")
        #expect(try TransactionSet.decode(Array(strange.utf8), .v0_0_2) == TransactionSet.decode(Array(goldenV2.utf8), .v0_0_2))
        #expect(throws: TransactionSetError.invalid(path: "apptxns[0].apptxn/logs[0].apptxnlog/timestamp", expected: "a text")) {
            _ = try TransactionSet.decode(Array(strange.utf8), .v0_0_1)
        }
        func entry(_ seconds: Int) -> String {
            #"{"apptxnlog/timestamp":"Fri, 06 Feb 2015 05:59:\#(seconds) GMT","apptxnlog/usecase-event":0}"#
        }
        let many = #"{"apptxns":[{"apptxn/logs":[\#([27, 27, 28, 27].map(entry).joined(separator: ","))],"apptxn/id":"a","apptxn/usecase":1}]}"#
        let times = try TransactionSet.decode(Array(many.utf8)).transactions[0].entries.map(\.time)
        #expect(times == [0, 0, 1, 0].map { LogTime(seconds: 1_423_202_367 + $0) })
        let none = many.replacing("Fri, 06 Feb 2015 05:59:27 GMT", with: "")
        #expect(throws: TransactionSetError.invalid(
            path: "apptxns[0].apptxn/logs[0].apptxnlog/timestamp", expected: "a date as in RFC 7231: Fri, 06 Feb 2015 05:59:27 GMT")
        ) { _ = try TransactionSet.decode(Array(none.utf8)) }
    }

    @Test("an entry's key is that of its own installation", arguments: [
        ("a:1:2", EntryKey(installation: "a", epoch: 1, sequence: 2)), ("ä:0:0", EntryKey(installation: "ä", epoch: 0, sequence: 0)),
        ("a:9223372036854775807:9223372036854775807", EntryKey(installation: "a", epoch: .max, sequence: .max)),
        ("a:9223372036854775808:1", nil), ("a:1:-2", nil), ("a:+1:2", nil), (":1:2", nil), ("a:1", nil), ("a::2", nil), ("a:1:", nil),
        ("a:b:1:2", nil), ("", nil), (":", nil), ("::", nil), ("a:1:2 ", nil),
    ] as [(String, EntryKey?)])
    func keys(text: String, expected: EntryKey?) throws {
        #expect(EntryKey(text) == expected)
        if let expected { #expect(expected.description == text) }
        let json = goldenV2.replacing(",\"apptxnlog/timestamp-us\":1423202369000001", with: ",\"apptxnlog/id\":\"\(text)\"")
        guard let expected else {
            #expect(throws: TransactionSetError.invalid(
                path: "apptxns[0].apptxn/logs[1].apptxnlog/id", expected: "<installation>:<epoch>:<sequence>")
            ) { _ = try TransactionSet.decode(Array(json.utf8), .v0_0_2) }
            return
        }
        let entries = try TransactionSet.decode(Array(json.utf8), .v0_0_2).transactions[0].entries
        #expect(entries.map(\.key) == [EntryKey(installation: "9D2C56F4-3F4C-4B7C-B6F5-0E6B0B6C7A55", epoch: 3, sequence: 17), expected])
    }

    @Test func whatIsOfAnotherKindIsNamed() {
        for (document, expected) in [
            ("[]", TransactionSetError.invalid(path: "the set", expected: "an object with the key apptxns")),
            (#"{"apptxns":{}}"#, .invalid(path: "apptxns", expected: "an array")),
            (#"{"apptxns":[{"apptxn/id":"a","apptxn/usecase":1,"apptxn/logs":[]},7]}"#, .invalid(path: "apptxns[1]", expected: "an object")),
            (#"{"apptxns":[{"apptxn/logs":"x"}]}"#, .invalid(path: "apptxns[0].apptxn/logs", expected: "an array")),
            (#"{"apptxns":[{"apptxn/logs":[[]]}]}"#, .invalid(path: "apptxns[0].apptxn/logs[0]", expected: "an object")),
            (#"{"apptxns":[{"apptxn/usecase":9223372036854775808}]}"#, .invalid(path: "apptxns[0].apptxn/usecase", expected: "a whole number")),
            (#"{"apptxns":[{"apptxn/usecase":[[],{"a":[0]}]}]}"#, .invalid(path: "apptxns[0].apptxn/usecase", expected: "a whole number")),
            (#"{"apptxns":[{"apptxn/usecase":"17"}]}"#, .invalid(path: "apptxns[0].apptxn/usecase", expected: "a whole number")),
            (#"{"apptxns":[{"apptxn/usecase":true}]}"#, .invalid(path: "apptxns[0].apptxn/usecase", expected: "a whole number")),
            (
                #"{"apptxns":[{"apptxn/logs":[{"apptxnlog/in-ctx-err-code":{"a":1}}]}]}"#,
                .invalid(path: "apptxns[0].apptxn/logs[0].apptxnlog/in-ctx-err-code", expected: "a whole number or null")
            ),
            (
                #"{"apptxns":[{"apptxn/usecase":[1}]}"#,
                .notJSON("no valid JSON: a comma or the end of the array is missing at byte 32")
            ),
            (#"{"apptxns":[]} []"#, .notJSON("no valid JSON: something follows the end at byte 15")),
        ] as [(String, TransactionSetError)] {
            #expect(throws: expected, "\(document)") { _ = try TransactionSet.decode(Array(document.utf8)) }
        }
    }

    @Test("what is too long is named as that, and not as something else", arguments: [
        (#""9D2C56F4-3F4C-4B7C-B6F5-0E6B0B6C7A55:3:17""#, "logs[0].apptxnlog/id", 256), (#""no answer""#, "logs[1].apptxnlog/in-ctx-err-desc", 65536),
        (#""iPhone7,2""#, "user-agent-device-make", 65536), (#""joe""#, "user", 256),
        (#""TXN17-586AB00B-F16E-4AE6-8A91-0210264925C7""#, "id", 256),
    ])
    func tooLong(text: String, path: String, limit: Int) throws {
        func json(_ count: Int, _ character: String) -> [UInt8] {
            Array(goldenV2.replacing(text, with: "\"" + String(repeating: character, count: count - 4) + ":1:2\"").utf8)
        }
        for character in ["x", "\\u0078"] {
            #expect(try TransactionSet.decode(json(limit, character), .v0_0_2).entryCount == 2)
            #expect(throws: TransactionSetError.tooLarge(path: "apptxns[0].apptxn/\(path)", limit: limit)) {
                _ = try TransactionSet.decode(json(limit + 1, character), .v0_0_2)
            }
        }
    }

    @Test("a receiver may take anything: no limit is too high", arguments: [
        TransactionSetLimits(transactions: .max), TransactionSetLimits(entries: .max), TransactionSetLimits(idBytes: .max),
        TransactionSetLimits(textBytes: .max),
    ])
    func noLimitIsTooHigh(limits: TransactionSetLimits) throws {
        #expect(try TransactionSet.decode(Array(goldenG1.utf8), limits: limits).entryCount == 2)
    }

    @Test func limitsCountOverAllTransactions() throws {
        let one = #"{"apptxn/id":"a","apptxn/usecase":1,"apptxn/logs":[{"apptxnlog/usecase-event":0,"apptxnlog/timestamp":"Fri, 06 Feb 2015 05:59:27 GMT"}]}"#
        let three = Array(#"{"apptxns":[\#(Array(repeating: one, count: 3).joined(separator: ","))]}"#.utf8)
        #expect(try TransactionSet.decode(three, limits: TransactionSetLimits(transactions: 3, entries: 3)).entryCount == 3)
        #expect(throws: TransactionSetError.tooLarge(path: "apptxns[2].apptxn/logs", limit: 2)) {
            _ = try TransactionSet.decode(three, limits: TransactionSetLimits(entries: 2))
        }
        #expect(throws: TransactionSetError.tooLarge(path: "apptxns", limit: 2)) {
            _ = try TransactionSet.decode(three, limits: TransactionSetLimits(transactions: 2))
        }
    }
}
#endif
