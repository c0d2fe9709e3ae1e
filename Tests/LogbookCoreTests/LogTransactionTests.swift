import Foundation
import LogbookCore
import LogbookTestKit
import Testing

@Suite struct LogTransactionTests {
    enum Login: Int { case initiated, canceled, requested }
    let device = DeviceFacts(make: "x86_64", os: "Debian", osVersion: "12")

    @Test("C1: a transaction's entries fan out like every event")
    func entriesFanOut() throws {
        let everything = RecordingProvider(), entriesOnly = RecordingProvider(interest: .transactionEntries)
        let service = LogService(device: device)
        service.register(everything)
        service.register(entriesOnly, from: .critical)

        let transaction = service.transaction(usecase: 17)
        transaction.log(0)
        service.info("no entry")
        transaction.log(Login.requested, error: 42, "Baad!")

        let id = transaction.id
        #expect(id.wholeMatch(of: /TXN17-[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}/) != nil)
        let entries = entriesOnly.events.compactMap(\.transaction)
        #expect(
            entries == [
                TransactionEntry(transactionID: id, usecase: 17, kind: .began, device: device),
                TransactionEntry(transactionID: id, usecase: 17, kind: .happened(0), device: device),
                TransactionEntry(
                    transactionID: id, usecase: 17, kind: .happened(2), errorCode: 42, errorDescription: "Baad!", device: device),
            ])
        #expect(everything.messages == ["\(id) began", "\(id) event 0", "no entry", "\(id) event 2, error 42: Baad!"])
        #expect(everything.events.map(\.level) == [.info, .info, .info, .warning])
    }

    @Test(arguments: [LogDelivery.immediate, .queued()])
    func aProgramSaysWhatItRunsOn(_ delivery: LogDelivery) {
        let provider = RecordingProvider(interest: .transactionEntries), service = LogService()
        service.register(provider, delivery: delivery)
        service.transaction(usecase: 1).log(2)
        #expect(service.flush(by: .seconds(30)).isComplete)
        service.device = device
        let transaction = service.transaction(usecase: 1)
        transaction.log(2)
        #expect(service.flush(by: .seconds(30)).isComplete)
        #expect(transaction.device == device)
        #expect(provider.events.compactMap(\.transaction?.device) == [.current, .current, device, device])
    }

    @Test func aProviderOfEntriesCostsOtherMessagesNothing() {
        let service = LogService()
        service.register(RecordingProvider(interest: .transactionEntries))
        #expect(!service.isEnabled(.critical))
        service.error("\(neverEvaluated())")
    }

    func neverEvaluated() -> Int {
        Issue.record("nobody listens to this")
        return 0
    }

    @Test func aTransactionIsContinuedUnderItsOwnId() {
        let provider = RecordingProvider(interest: .transactionEntries), service = LogService()
        service.register(provider)
        let phone = DeviceFacts(make: "iPhone7,2", os: "iPhone OS", osVersion: "8.1.2")
        service.transaction(continuing: "TXN1-FROM-AFAR", usecase: 1, device: phone).log(3)
        #expect(
            provider.events.compactMap(\.transaction) == [
                TransactionEntry(transactionID: "TXN1-FROM-AFAR", usecase: 1, kind: .happened(3), device: phone)
            ])
    }

    @Test("an entry's text holds whatever it has to say, however long", arguments: ["", "Baad!", "a\0b", String(repeating: "ä🙂\u{301}", count: 5000)])
    func entriesAsText(text: String) {
        func described(_ kind: TransactionEntry.Kind, _ code: Int?, _ description: String?) -> String {
            let entry = TransactionEntry(
                transactionID: text, usecase: 1, kind: kind, errorCode: code, errorDescription: description, device: device)
            let event = LogEvent(sequence: 1, time: LogTime(seconds: 0), level: .info, message: "", transaction: entry)
            #expect(event.isEntry && event.transaction == entry)
            return entry.description
        }
        #expect(described(.began, nil, nil) == "\(text) began")
        #expect(described(.happened(.min), .min, text) == "\(text) event \(Int.min), error \(Int.min): \(text)")
        #expect(described(.happened(.max), nil, text) == "\(text) event \(Int.max), error: \(text)")
        #expect(described(.happened(0), -1, nil) == "\(text) event 0, error -1")
        let error = LogErrorDetails(type: "E", description: text)
        #expect(!LogEvent(sequence: 1, time: LogTime(seconds: 0), level: .info, message: "", error: error).isEntry)
        #expect(!LogEvent(sequence: 1, time: LogTime(seconds: 0), level: .info, message: "").isEntry)
    }

    @Test func thisMachineSaysWhatItIs() {
        let facts = DeviceFacts.current
        #expect(!facts.make.isEmpty && !facts.os.isEmpty && !facts.osVersion.isEmpty)
        #expect(!facts.make.contains("\n") && !facts.make.contains("\0"))
    }

    #if os(Linux)
        @Test("the system and its version are those that the machine's own file says, as a shell reads it")
        func theSystemIsWhatItsFileSays() {
            let file = "for file in /etc/os-release /usr/lib/os-release; do [ -r $file ] && . $file && break; done"
            let said = output(of: "env -i sh -c '\(file); echo \"${NAME:-$(uname -s)}\"; echo \"${VERSION_ID:-$(uname -r)}\"'")
            #expect(said == "\(DeviceFacts.current.os)\n\(DeviceFacts.current.osVersion)\n")
        }
    #endif

    @Test func idsOfASeededServiceCanBeForetold() {
        let clock = LogClock.manual(ManualClock(now: LogTime(seconds: 1_423_202_367)))
        let ids = (0..<2).map { _ in LogService(clock: clock, randomness: .seeded(1)).transaction(usecase: 0).id }
        #expect(ids[0] == ids[1])
        #expect(Set((0..<1_000).map { _ in UniqueID.make() }).count == 1_000)
    }

    @Test("ids are UUIDs, those of transactions in the order in which these begin, also of one moment no two the same")
    func idsAreUUIDs() throws {
        let clock = ManualClock(now: LogTime(seconds: 1_423_202_367.987_654)), service = LogService(clock: .manual(clock))
        var ids: [String] = []
        for _ in 0..<1000 {
            ids += (0..<2).map { _ in service.transaction(usecase: 1).id }
            clock.advance(by: .milliseconds(1))
        }
        #expect(Set(ids).count == 2000)
        // RFC 9562, 5.7: milliseconds, the version, the variant.
        #expect(ids[0].wholeMatch(of: /TXN1-014B5D78-B9F3-7[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}/) != nil, "\(ids[0])")
        #expect(ids.allSatisfy { UUID(uuidString: String($0.dropFirst(5)))?.uuidString == String($0.dropFirst(5)) })
        #expect(ids.map { $0.prefix(18) } == ids.map { $0.prefix(18) }.sorted())
        #expect(UniqueID.make().wholeMatch(of: /[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}/) != nil)
        for (moment, start) in [(LogTime(nanoseconds: .min), "00000000-0000-7"), (LogTime(nanoseconds: .max), "08637BD0-5AF6-7")] {
            #expect(UniqueID.make(at: moment).hasPrefix(start), "\(UniqueID.make(at: moment))")
        }
    }
}
