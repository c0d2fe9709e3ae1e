import LogbookCore
import LogbookTestKit
import Testing

@Suite struct LogFilterTests {
    static let device = DeviceFacts(make: "", os: "", osVersion: "")
    static let message = LogEvent(
        sequence: 1, time: LogTime(nanoseconds: 0), level: .notice, message: "payment accepted",
        metadata: ["category": "shop.payment", "tenant": "north", "attempt": 2, "transaction_id": "TXN1-A"],
        source: LogSource(fileNamed: "Checkout/Cart.swift"))
    static let entry = LogEvent(
        sequence: 2, time: LogTime(nanoseconds: 0), level: .info, message: "TXN1-B event 2",
        transaction: TransactionEntry(transactionID: "TXN1-B", usecase: 1, kind: .happened(2), device: device))

    @Test(arguments: [
        (.everything, true, true), (.nothing, false, false),
        (.level(.notice), true, false), (.level(.warning), false, false),
        (.module("Checkout"), true, false), (.module("Check"), false, false),
        (.category("shop"), true, false), (.category("*"), true, false),
        (.text(containing: "accept"), true, false), (.text(containing: ""), true, true), (.text(containing: "Accept"), false, false),
        (.metadata("tenant"), true, false), (.metadata("tenant", is: "north"), true, false),
        (.metadata("tenant", is: "south"), false, false), (.metadata("attempt", is: "2"), false, false),
        (.inTransaction, true, true), (.transaction("TXN1-A"), true, false), (.transaction("TXN1-B"), false, true),
        (.transactionEntries, false, true),
        (!.inTransaction, false, false),
        (.level(.notice) && .category("net"), false, false), (.level(.error) || .transactionEntries, false, true),
        (.all([]), true, true), (.any([]), false, false),
    ] as [(LogFilter, Bool, Bool)])
    func eachConditionSaysWhatItSays(filter: LogFilter, message: Bool, entry: Bool) {
        #expect(filter.accepts(Self.message) == message)
        #expect(filter.accepts(Self.entry) == entry)
        #expect((filter.refusal(of: Self.message) == nil) == message)
        #expect((!filter).accepts(Self.message) == !message)
    }

    @Test("texts of many marks are compared by their bytes")
    func manyMarksAreComparedPromptly() {
        let limit = LogDeadline.seconds(20), text = LogValue.string(manyMarks("x"))
        let said = event(1, "m", .info, ["a": text, "transaction_id": text])
        for filter in [LogFilter.metadata("a", is: .string(manyMarks("y"))), .transaction(manyMarks("y")), .transaction("a")] {
            #expect(!filter.accepts(said))
        }
        #expect((LogFilter.metadata("a", is: text) && .transaction(manyMarks("x"))).accepts(said) && !limit.hasPassed)
    }

    @Test func theSmallestPartThatRefusesIsNamed() {
        let filter: LogFilter = .category("shop") && !.text(containing: "accepted") && .metadata("tenant", is: "south")
        #expect(filter.refusal(of: Self.message) == !.text(containing: "accepted"))
        #expect(filter.description == #"category shop and not text "accepted" and metadata tenant = "south""#)
        #expect((!(.level(.error) || .module("Net"))).description == "not (level error or above or module Net)")
    }

    @Test func aFilterIsExchangedWhileTheProgramRuns() {
        let provider = RecordingProvider(), service = LogService()
        let registration = service.register(provider, where: .metadata("tenant", is: "north"))
        service.info("1", metadata: ["tenant": "north"])
        service.info("2", metadata: ["tenant": "south"])
        registration.filter = .text(containing: "3")
        service.info("3")
        service.info("4", metadata: ["tenant": "north"])
        #expect(provider.messages == ["1", "3"])
        #expect(registration.unheard == LogUnheard(filter: 2))
        #expect(registration.ledger == LogLedger(submitted: 2, delivered: 2))
    }

    // In a process of its own: a task of another test that carries a level would lower the floor.
    @Test func aFilterByLevelSparesTheCallerTheMessage() async {
        await #expect(processExitsWith: .success) {
            let service = LogService()
            service.register(RecordingProvider(), where: .level(.error) && .module("*"))
            precondition(!service.mayHear(.warning) && service.mayHear(.error))
        }
    }
}
