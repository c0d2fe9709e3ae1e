#if Transactions
import LogbookCore
import LogbookTransactions
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

let goldenG1 = """
    {"apptxns":[{"apptxn/id":"TXN17-586AB00B-F16E-4AE6-8A91-0210264925C7","apptxn/usecase":17,
     "apptxn/user-agent-device-make":"iPhone7,2","apptxn/user-agent-device-os":"iPhone OS","apptxn/user-agent-device-os-version":"8.1.2",
     "apptxn/logs":[
      {"apptxnlog/usecase-event":0,"apptxnlog/in-ctx-err-code":null,"apptxnlog/timestamp":"Fri, 06 Feb 2015 05:59:27 GMT"},
      {"apptxnlog/usecase-event":1,"apptxnlog/in-ctx-err-code":null,"apptxnlog/timestamp":"Fri, 06 Feb 2015 06:23:05 GMT"}]}]}
    """
let goldenG2 = """
    {"apptxns":[{"apptxn/id":"TXN1-3BB05024-B7F6-4B66-838B-F6982FCB08DF","apptxn/usecase":1,
     "apptxn/user-agent-device-make":"x86_64","apptxn/user-agent-device-os":"iPhone OS","apptxn/user-agent-device-os-version":"8.1",
     "apptxn/logs":[
      {"apptxnlog/usecase-event":1,"apptxnlog/in-ctx-err-code":null,"apptxnlog/timestamp":"Thu, 15 Jan 2015 18:11:42 GMT"},
      {"apptxnlog/usecase-event":2,"apptxnlog/in-ctx-err-code":42,"apptxnlog/in-ctx-err-desc":"Baad!","apptxnlog/timestamp":"Fri, 16 Jan 2015 18:11:42 GMT"}]}]}
    """
private let setG1 = TransactionSet(transactions: [
    TransactionRecord(
        id: goldenID, usecase: 17, deviceMake: "iPhone7,2", deviceOS: "iPhone OS", deviceOSVersion: "8.1.2",
        entries: [EntryRecord(event: 0, time: t0), EntryRecord(event: 1, time: t0.adding(.seconds(1418)))])
])
private let setG2 = TransactionSet(transactions: [
    TransactionRecord(
        id: "TXN1-3BB05024-B7F6-4B66-838B-F6982FCB08DF", usecase: 1, deviceMake: "x86_64", deviceOS: "iPhone OS",
        deviceOSVersion: "8.1",
        entries: [
            EntryRecord(event: 1, time: LogTime(seconds: 1_421_345_502)),
            EntryRecord(event: 2, errorCode: 42, errorDescription: "Baad!", time: LogTime(seconds: 1_421_431_902)),
        ])
])

/// The golden of version 0.0.2: every key it knows, once with and once without what may be absent.
let goldenV2 = """
    {"apptxns":[{"apptxn/id":"TXN17-586AB00B-F16E-4AE6-8A91-0210264925C7","apptxn/usecase":17,
     "apptxn/user-agent-device-make":"iPhone7,2","apptxn/user-agent-device-os":"iPhone OS","apptxn/user-agent-device-os-version":"8.1.2",
     "apptxn/user":"joe","apptxn/variant":"B","apptxn/app-version":"1.4.0",
     "apptxn/session":"0B7E11F0-8A5C-4C3E-9C53-6C6C2E2F1D11","apptxn/installation":"9D2C56F4-3F4C-4B7C-B6F5-0E6B0B6C7A55",
     "apptxn/logs":[
      {"apptxnlog/usecase-event":0,"apptxnlog/in-ctx-err-code":null,"apptxnlog/timestamp":"Fri, 06 Feb 2015 05:59:27 GMT",
       "apptxnlog/timestamp-us":1423202367987654,"apptxnlog/id":"9D2C56F4-3F4C-4B7C-B6F5-0E6B0B6C7A55:3:17","apptxnlog/offset":1250000},
      {"apptxnlog/usecase-event":7,"apptxnlog/in-ctx-err-code":-1001,"apptxnlog/in-ctx-err-desc":"no answer",
       "apptxnlog/timestamp":"Fri, 06 Feb 2015 05:59:29 GMT","apptxnlog/timestamp-us":1423202369000001}]}]}
    """
private let setV2 = TransactionSet(transactions: [
    TransactionRecord(
        id: goldenID, usecase: 17, deviceMake: "iPhone7,2", deviceOS: "iPhone OS", deviceOSVersion: "8.1.2",
        user: "joe", variant: "B", appVersion: "1.4.0", session: "0B7E11F0-8A5C-4C3E-9C53-6C6C2E2F1D11",
        installation: "9D2C56F4-3F4C-4B7C-B6F5-0E6B0B6C7A55",
        entries: [
            EntryRecord(
                event: 0, time: LogTime(nanoseconds: 1_423_202_367_987_654_000),
                key: EntryKey(installation: "9D2C56F4-3F4C-4B7C-B6F5-0E6B0B6C7A55", epoch: 3, sequence: 17), offset: 1_250_000_000),
            EntryRecord(
                event: 7, errorCode: -1001, errorDescription: "no answer", time: LogTime(nanoseconds: 1_423_202_369_000_001_000)),
        ])
])

@Suite struct TransactionSetTests {
    @Test func theGoldenOfVersion2BothWays() throws {
        #expect(try meaning(setV2.encode(.v0_0_2)) == meaning(goldenV2))
        #expect(try TransactionSet.decode(Array(goldenV2.utf8), .v0_0_2) == setV2)
        #expect(try TransactionSet.decode(setV2.encode(.v0_0_2), .v0_0_2) == setV2)
    }

    @Test func version1StaysTheOriginals() throws {
        let text = String(decoding: setV2.encode(.v0_0_1), as: UTF8.self)
        let keys = Set(text.matches(of: /"(apptxn(?:log)?\/[a-z-]+)":/).map { String($0.1) })
        #expect(keys == [
            "apptxn/id", "apptxn/usecase", "apptxn/user-agent-device-make", "apptxn/user-agent-device-os",
            "apptxn/user-agent-device-os-version", "apptxn/logs", "apptxnlog/usecase-event", "apptxnlog/in-ctx-err-code",
            "apptxnlog/in-ctx-err-desc", "apptxnlog/timestamp",
        ])
        // A sender of version 0.0.1 that uses these keys means something else by them.
        let set = try TransactionSet.decode(Array(goldenV2.utf8), .v0_0_1)
        #expect(set.transactions[0].user == nil && set.transactions[0].session == nil)
        #expect(set.transactions[0].entries.allSatisfy { $0.offset == nil && $0.key == nil })
    }

    @Test(arguments: [
        (":\"joe\"", ":7", TransactionSetError.invalid(path: "apptxns[0].apptxn/user", expected: "a text")),
        (":\"B\"", ":\"" + String(repeating: "b", count: 257) + "\"", .tooLarge(path: "apptxns[0].apptxn/variant", limit: 256)),
        (":1250000", ":-1", .invalid(
            path: "apptxns[0].apptxn/logs[0].apptxnlog/offset", expected: "whole microseconds since the session began, or absent")),
        (":1250000", ":9223372036854775", nil),
        (":1250000", ":9223372036854776", .invalid(
            path: "apptxns[0].apptxn/logs[0].apptxnlog/offset", expected: "whole microseconds since the session began, or absent")),
    ] as [(String, String, TransactionSetError?)])
    func version2NamesItsFaults(part: String, replacement: String, expected: TransactionSetError?) throws {
        let json = Array(goldenV2.replacing(part, with: replacement).utf8)
        guard let expected else {
            _ = try TransactionSet.decode(json, .v0_0_2)
            return
        }
        #expect(throws: expected) { _ = try TransactionSet.decode(json, .v0_0_2) }
    }

    private static let server = DeviceFacts(make: "KVM", os: "Debian GNU/Linux", osVersion: "12")
    private static let tablet = DeviceFacts(make: "iPad4,1", os: "", osVersion: "")

    /// Of a phone, with entries of two other devices among its own.
    private static let ofThreeDevices: TransactionRecord = {
        var record = setV2.transactions[0]
        record.entries = [nil, server, tablet, nil, server].enumerated().map { event, device in
            EntryRecord(event: event, time: t0.adding(.seconds(event)), device: device)
        }
        return record
    }()

    @Test("D6: what a set says of a device it says of a transaction: entries of another one stand in an element of their own", arguments: TransactionSetVersion.allCases)
    func entriesOfOtherDevicesStandApart(version: TransactionSetVersion) throws {
        let set = TransactionSet(transactions: [Self.ofThreeDevices, setG2.transactions[0]])
        let taken = try TransactionSet.decode(set.encode(version), version).transactions
        #expect(taken.map(\.id) == [goldenID, goldenID, goldenID, setG2.transactions[0].id])
        #expect(taken.map { $0.entries.map(\.event) } == [[0, 3], [1, 4], [2], [1, 2]])
        #expect(taken.map(\.deviceMake) == ["iPhone7,2", "KVM", "iPad4,1", "x86_64"])
        #expect(taken[1].deviceOS == "Debian GNU/Linux" && taken[1].deviceOSVersion == "12")
        #expect(taken[2].deviceOS?.isEmpty ?? true)
        #expect(taken.allSatisfy { $0.entries.allSatisfy { $0.device == nil } })
        // Whose it is says each of them: some may be refused for that.
        if version == .v0_0_2 { #expect(taken.map(\.user) == ["joe", "joe", "joe", nil]) }
    }

    @Test("D6: whoever reads an archive gets each transaction in one piece, with the devices of its entries")
    func readersGetOnePiece() throws {
        let set = TransactionSet(transactions: [Self.ofThreeDevices, setV2.transactions[0]])
        #expect(try TransactionSet.decode(set.encodeForReaders(), .v0_0_2) == set)
        // Where no entry has one, it is a set as any other.
        #expect(setV2.encodeForReaders() == setV2.encode(.v0_0_2))
        // In version 0.0.1 nobody means anything by it.
        let taken = try TransactionSet.decode(set.encodeForReaders(), .v0_0_1)
        #expect(taken.entryCount == 7 && taken.transactions.allSatisfy { $0.entries.allSatisfy { $0.device == nil } })
        let wrong = String(decoding: set.encodeForReaders(), as: UTF8.self).replacing("\"Debian GNU/Linux\"", with: "7")
        let fault = TransactionSetError.invalid(
            path: "apptxns[0].apptxn/logs[1].apptxnlog/user-agent-device-os", expected: "a text")
        #expect(throws: fault) { _ = try TransactionSet.decode(Array(wrong.utf8), .v0_0_2) }
    }

    @Test("C15: the goldens G1 and G2, both ways", arguments: [(setG1, goldenG1), (setG2, goldenG2)])
    func goldens(set: TransactionSet, json: String) throws {
        #expect(try meaning(set.encode()) == meaning(json))
        #expect(try TransactionSet.decode(Array(json.utf8)) == set)
        #expect(try TransactionSet.decode(set.encode()) == set)
    }

    @Test("D2: what nobody knows of a device is absent in 0.0.2; 0.0.1, whose servers take no new transaction without it, has it empty")
    func unknownDeviceFacts() throws {
        let set = TransactionSet(transactions: [
            TransactionRecord(
                id: "a", usecase: 1, deviceMake: "", deviceOS: "Debian", deviceOSVersion: "", entries: [EntryRecord(event: 0, time: t0)])
        ])
        for (version, unknown) in [(TransactionSetVersion.v0_0_1, ""), (.v0_0_2, nil)] as [(TransactionSetVersion, String?)] {
            let taken = try #require(try TransactionSet.decode(set.encode(version), version).transactions.first)
            #expect([taken.deviceMake, taken.deviceOS, taken.deviceOSVersion] == [unknown, "Debian", unknown])
        }
    }

    @Test("G3: version 0.0.1 cuts the fraction off")
    func cutsTheFractionOff() throws {
        let set = TransactionSet(transactions: [
            TransactionRecord(id: "a", usecase: 1, entries: [EntryRecord(event: 0, time: LogTime(seconds: 1_423_202_367.987))])
        ])
        #expect(String(decoding: set.encode(), as: UTF8.self).contains("\"Fri, 06 Feb 2015 05:59:27 GMT\""))
    }

    @Test func version2KeepsMicrosecondsAndKeys() throws {
        let key = EntryKey(installation: "586AB00B-F16E-4AE6-8A91-0210264925C7", epoch: 3, sequence: 17)
        let set = TransactionSet(transactions: [
            TransactionRecord(
                id: goldenID, usecase: 17,
                entries: [EntryRecord(event: 0, time: LogTime(nanoseconds: 1_423_202_367_987_654_000), key: key)])
        ])
        let text = String(decoding: set.encode(.v0_0_2), as: UTF8.self)
        #expect(text.contains("\"apptxnlog/timestamp-us\":1423202367987654"))
        #expect(text.contains("\"apptxnlog/id\":\"586AB00B-F16E-4AE6-8A91-0210264925C7:3:17\""))
        #expect(text.contains("\"apptxnlog/timestamp\":\"Fri, 06 Feb 2015 05:59:27 GMT\""))
        #expect(try TransactionSet.decode(Array(text.utf8), .v0_0_2) == set)
    }

    @Test("C5: no zone and no locale changes a byte")
    func zoneAndLocaleDoNotMatter() async {
        await #expect(processExitsWith: .success) {
            let set = TransactionSet(transactions: [
                TransactionRecord(
                    id: "a", usecase: 1, entries: [EntryRecord(event: 0, time: LogTime(seconds: 1_423_202_367))])
            ])
            for (zone, locale) in [("Asia/Kolkata", "fr_FR.UTF-8"), ("America/New_York", "C"), ("GMT", "fa_IR.UTF-8")] {
                setenv("TZ", zone, 1)
                setenv("LC_ALL", locale, 1)
                tzset()
                setlocale(LC_ALL, "")
                let text = String(decoding: set.encode(), as: UTF8.self)
                guard text.contains("\"Fri, 06 Feb 2015 05:59:27 GMT\""),
                    try TransactionSet.decode(set.encode()) == set
                else { exit(1) }
            }
            exit(0)
        }
    }

    @Test("C5: a zone's name or number is understood")
    func readsZones() throws {
        let json = goldenG1.replacing("Fri, 06 Feb 2015 05:59:27 GMT", with: "Fri, 06 Feb 2015 00:59:27 EST")
        #expect(try TransactionSet.decode(Array(json.utf8)) == setG1)
    }

    @Test("W5: a code in quotes, unknown keys, no entries, a date in a description")
    func isPatient() throws {
        let quoted = goldenG2.replacing(":42,", with: ":\"42\",")
            .replacing("\"apptxn/usecase\":1", with: "\"apptxn/usecase\":1,\"apptxn/mood\":[{}]")
            .replacing("Baad!", with: "Fri, 16 Jan 2015 18:11:42 GMT was bad")
        let set = try TransactionSet.decode(Array(quoted.utf8))
        #expect(set.transactions[0].entries[1].errorCode == 42)
        #expect(set.transactions[0].entries[1].errorDescription == "Fri, 16 Jan 2015 18:11:42 GMT was bad")

        let empty = try TransactionSet.decode(Array(#"{"apptxns":[{"apptxn/id":"a","apptxn/usecase":1,"apptxn/logs":[]}]}"#.utf8))
        #expect(empty == TransactionSet(transactions: [TransactionRecord(id: "a", usecase: 1)]))
    }

    private static let log = "apptxns[0].apptxn/logs[1]."
    @Test("W5: each fault is named by its place", arguments: [
        ("\"apptxn/id\"", "\"x\"", TransactionSetError.missing(path: "apptxns[0].apptxn/id")),
        ("\"apptxn/usecase\"", "\"x\"", .missing(path: "apptxns[0].apptxn/usecase")),
        ("\"apptxn/logs\"", "\"x\"", .missing(path: "apptxns[0].apptxn/logs")),
        ("\"apptxns\"", "\"x\"", .missing(path: "apptxns")),
        ("\"apptxnlog/usecase-event\":2", "\"x\":2", .missing(path: log + "apptxnlog/usecase-event")),
        ("\"apptxnlog/timestamp\":\"Fri", "\"x\":\"Fri", .missing(path: log + "apptxnlog/timestamp")),
        ("Fri, 16 Jan", "ven. 16 janv.", .invalid(
            path: log + "apptxnlog/timestamp", expected: "a date as in RFC 7231: Fri, 06 Feb 2015 05:59:27 GMT")),
        (":42,", ":\"many\",", .invalid(path: log + "apptxnlog/in-ctx-err-code", expected: "a whole number or null")),
        ("usecase-event\":2", "usecase-event\":2.5", .invalid(path: log + "apptxnlog/usecase-event", expected: "a whole number")),
        ("\"Baad!\"", "7", .invalid(path: log + "apptxnlog/in-ctx-err-desc", expected: "a text")),
        ("\"TXN1-3BB05024-B7F6-4B66-838B-F6982FCB08DF\"", "\"\"", .invalid(
            path: "apptxns[0].apptxn/id", expected: "a text that is not empty")),
        ("{\"apptxns\"", "{{\"apptxns\"", .notJSON("no valid JSON: a key between quotes is missing at byte 1")),
    ] as [(String, String, TransactionSetError)])
    func namesTheFault(part: String, replacement: String, expected: TransactionSetError) throws {
        let json = Array(goldenG2.replacing(part, with: replacement).utf8)
        #expect(throws: expected) { _ = try TransactionSet.decode(json) }
    }

    @Test func refusesMoreThanTheLimits() throws {
        let set = setG1.encode()
        #expect(throws: TransactionSetError.tooLarge(path: "apptxns[0].apptxn/logs", limit: 1)) {
            _ = try TransactionSet.decode(set, limits: TransactionSetLimits(entries: 1))
        }
        #expect(throws: TransactionSetError.tooLarge(path: "apptxns[0].apptxn/id", limit: 8)) {
            _ = try TransactionSet.decode(set, limits: TransactionSetLimits(idBytes: 8))
        }
        #expect(throws: TransactionSetError.tooLarge(path: "apptxns", limit: 0)) {
            _ = try TransactionSet.decode(set, limits: TransactionSetLimits(transactions: 0, entries: 0))
        }
    }
}
#endif
