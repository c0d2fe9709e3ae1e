import LogbookTestKit
import LogbookTracking
import Testing

@TrackedType final class FuelForm {
    func show() {}
    func submit(liters: Int) throws {
        if liters > 60 { throw PurchaseError.code(422) }
    }
    func cancel() {}
    func answered(status: Int?) {}
}

@TrackedType struct Orders {
    func began(id: String) {}
    func ended(id: String) {}
}

struct Till { @Tracked func pay() {} }
extension Till { @Tracked func refund() {} }

class Blind { @Tracked(instance: false) func look() {} }
@TrackedType final class BlindToo: Blind {}

extension TrackingTests {
    /// Application transactions that a plan opens, continues and closes.
    @Suite(.serialized) struct Transactions {
        static let plan = #"""
            { "usecases": { "fuel": { "number": 3, "events": { "initiated": 0, "canceled": 1, "submitted": 2, "answered": 7 } } },
              "trackedScreens": [
                { "class": "FuelForm", "selector": "show()", "label": "Fuel form", "transaction": { "opens": "fuel", "event": "initiated" } } ],
              "trackedEvents": [
                { "class": "FuelForm", "selector": "cancel()", "label": "Canceled", "transaction": { "closes": "fuel", "event": "canceled" } },
                { "class": "FuelForm", "selector": "submit(liters:)", "label": "Submitted", "advice": "before",
                  "transaction": { "continues": "fuel", "event": "submitted" } },
                { "class": "FuelForm", "selector": "submit(liters:)", "label": "Refused", "advice": "afterThrowing",
                  "transaction": { "continues": "fuel", "event": 9, "errorCode": "422", "errorDescription": "$error" } },
                { "class": "FuelForm", "selector": "answered(status:)", "label": "Answered",
                  "transaction": { "closes": "fuel", "event": "answered", "errorCode": "$arg.status" } },
                { "class": "Orders", "selector": "began(id:)", "label": "Began", "transaction": { "opens": 8, "by": "$arg.id" } },
                { "class": "Orders", "selector": "ended(id:)", "label": "Ended", "transaction": { "closes": 8, "event": 1, "by": "$arg.id" } } ] }
            """#

        static func entries(_ tracked: Tracked) -> [TransactionEntry] { tracked.analytics.events.compactMap(\.transaction) }

        @Test("a form's transaction is opened, continued and closed without a line in the class")
        func form() throws {
            let tracked = Tracked()
            try tracked.following(Self.plan) {
                let first = FuelForm(), second = FuelForm()
                first.show()
                second.show()
                try first.submit(liters: 20)
                second.cancel()
                first.answered(status: nil)
            }
            let entries = Self.entries(tracked), first = entries[0].transactionID, second = entries[2].transactionID
            #expect(entries.map(\.usecase) == [3, 3, 3, 3, 3, 3, 3])
            #expect(first.hasPrefix("TXN3-") && first != second)
            #expect(entries.filter { $0.transactionID == first }.map(\.kind) == [.began, .happened(0), .happened(2), .happened(7)])
            #expect(entries.filter { $0.transactionID == second }.map(\.kind) == [.began, .happened(0), .happened(1)])
            #expect(entries.allSatisfy { $0.errorCode == nil })
            #expect(tracked.tracker.transactionCounts == TrackedTransactionCounts(opened: 2, closed: 2, unmatched: 0))

            let messages = tracked.analytics.events.filter { $0.transaction == nil }
            #expect(messages.map(\.message) == ["Fuel form", "Fuel form", "Submitted", "Canceled", "Answered"])
            #expect(messages.map(\.transactionID) == [first, second, first, second, first])
        }

        @Test("errors of the call become the entry's, and people who leave leave it unfinished")
        func errorsAndAbandonment() throws {
            let tracked = Tracked()
            try tracked.following(Self.plan) {
                let form = FuelForm()
                form.show()
                #expect(throws: PurchaseError.code(422)) { try form.submit(liters: 70) }
                form.answered(status: 500)
                let left = FuelForm()
                left.show()
            }
            let entries = Self.entries(tracked)
            #expect(entries.map(\.kind) == [.began, .happened(0), .happened(2), .happened(9), .happened(7), .began, .happened(0)])
            #expect(entries[3].errorCode == 422)
            #expect(entries[3].errorDescription == "code(422)")
            #expect(entries[4].errorCode == 500)
            #expect(tracked.tracker.transactionCounts.unfinished == 1)
        }

        @Test("what is said in no open transaction is an event all the same, and is counted")
        func unmatched() throws {
            let tracked = Tracked()
            try tracked.following(Self.plan) {
                let form = FuelForm()
                form.cancel()
                form.show()
                form.cancel()
                form.cancel()
            }
            #expect(Self.entries(tracked).map(\.kind) == [.began, .happened(0), .happened(1)])
            #expect(tracked.labels.filter { $0 == "Canceled" }.count == 3)
            #expect(tracked.tracker.transactionCounts == TrackedTransactionCounts(opened: 1, closed: 1, unmatched: 2))
        }

        @Test("a call whose instance turns out to be no object is an event all the same, and is counted")
        func noObject() throws {
            let tracked = Tracked()
            try tracked.following(
                #"{ "trackedEvents": [ { "class": "Till", "selector": "refund()", "label": "Refund", "transaction": { "opens": 1 } } ] }"#
            ) { Till().refund() }
            #expect(tracked.labels == ["Refund"])
            #expect(tracked.tracker.transactionCounts == TrackedTransactionCounts(opened: 0, closed: 0, unmatched: 1))
        }

        @Test("where there is no object, a value tells the runs apart")
        func byValue() throws {
            let tracked = Tracked()
            try tracked.following(Self.plan) {
                Orders().began(id: "a")
                Orders().began(id: "b")
                Orders().ended(id: "b")
                Orders().ended(id: "c")
            }
            let entries = Self.entries(tracked)
            #expect(entries.map(\.kind) == [.began, .began, .happened(1)])
            #expect(entries[1].transactionID == entries[2].transactionID)
            #expect(tracked.tracker.transactionCounts == TrackedTransactionCounts(opened: 2, closed: 1, unmatched: 1))
        }

        @Test("a provider that wants transaction entries alone hears them, at its level")
        func entriesAlone() throws {
            let tracked = Tracked(), store = RecordingProvider(interest: .transactionEntries)
            tracked.service.register(store, from: .error, name: "store")
            try tracked.following(Self.plan) { FuelForm().show() }
            #expect(store.events.count == 2)
            #expect(store.events.allSatisfy { $0.transaction != nil })
        }
    }
}
