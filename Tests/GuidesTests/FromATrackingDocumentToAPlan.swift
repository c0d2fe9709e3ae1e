import Foundation
import Logbook
import LogbookTestKit
import LogbookTracking
import Testing

// The code of Plugins-Docs/FromATrackingDocumentToAPlan.md, to the letter: GuideBlocksTests compares the two.

@TrackedType class Screen {
    func viewDidAppear(_ animated: Bool) {}
}

@TrackedType final class CheckoutScreen: Screen {
    var items = ["tea", "milk"]

    func pay(total: Double, card: String) throws {
        if total > 1000 { throw CheckoutError.tooExpensive }
    }
    func leave() {}
}

enum CheckoutError: Error { case tooExpensive }

func startTracking(_ plan: String, _ service: LogService) throws -> Tracker {
    let tracker = Tracker(service)
    try tracker.start(TrackingPlan(json: plan))
    return tracker
}

func mistakes(in plan: String) -> [TrackingPlanIssue] {
    Tracker.check(TrackingPlan(json: plan))
}

func teach(_ tracker: Tracker) {
    tracker.addPredicate("isLoyal") { call in (call.instance as? CheckoutScreen)?.items.count ?? 0 > 1 }
    tracker.addMetadata("basket", for: CheckoutScreen.self) { screen, _ in
        ["first": .string(screen.items.first ?? "none"), "even": .bool(screen.items.count.isMultiple(of: 2))]
    }
}

func discounted(_ total: Double) -> Double {
    guard total > 100 else { return total }
    #aspectPoint("loyaltyDiscount", ["discount": total / 10])
    return total * 0.9
}

@TrackedType(except: "pin") final class Door {
    func open(pin: String, by name: String) {}
}

let openings = TrackingPlan([
    .screen("CheckoutScreen", label: "Checkout") { $0.isOnce = true },
    .event(#joinPoint(Door.open(pin:by:)), label: "Opened") { $0.metadata = [("by", "$arg.name")] },
    .point("loyaltyDiscount", label: "Discount") { $0.metadata = [("off", "$arg.discount")] },
])

/// The plans of the guide are loaded as they stand there.
@Suite(.serialized) struct FromATrackingDocumentToAPlanTests {
    static func page() throws -> String {
        let page = GuideBlocksTests.root.appendingPathComponent("Plugins-Docs/FromATrackingDocumentToAPlan.md")
        return try String(contentsOf: page, encoding: .utf8)
    }

    static func plans() throws -> [String] {
        try page().components(separatedBy: "```json\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
    }

    func follow(_ place: Int, _ body: () throws -> Void) throws -> RecordingProvider {
        let service = LogService(), provider = RecordingProvider()
        service.register(provider)
        let tracker = Tracker(service)
        teach(tracker)
        try tracker.start(TrackingPlan(json: Self.plans()[place]))
        defer { tracker.stop() }
        try body()
        return provider
    }

    @Test func theDocumentsPlanReports() throws {
        let service = LogService(), provider = RecordingProvider()
        service.register(provider)
        let tracker = try startTracking(Self.plans()[0], service), screen = CheckoutScreen()
        Screen().viewDidAppear(true)
        screen.viewDidAppear(true)
        try screen.pay(total: 9.5, card: "1234")
        #expect(throws: CheckoutError.self) { try screen.pay(total: 2000, card: "1234") }
        tracker.stop()
        #expect(provider.messages == ["Checkout", "Paid", "Payment failed"])
        #expect(provider.events[1].metadata["total"] == 9.5)
        #expect(provider.events[1].metadata["items"] == 2)
        #expect(provider.events[2].metadata["reason"] == "tooExpensive")
        #expect(provider.events[2].level == .warning)
    }

    @Test func slipsAreFoundWhereTheGuideSays() throws {
        let plan = try Self.plans()[0]
            .replacingOccurrences(of: #""CheckoutScreen", "label": "Checkout""#, with: #""ChekoutScreen", "label": "Checkout""#)
            .replacingOccurrences(of: #""pay(total:card:)", "label": "Paid""#, with: #""pay(total:)", "label": "Paid""#)
        let found = mistakes(in: plan).map(\.description)
        #expect(found.count == 2)
        #expect(try Self.page().contains("```\n" + found.joined(separator: "\n") + "\n```"))
    }

    @Test func theProgramsOwnAnswersAreUsed() throws {
        let provider = try follow(1) {
            let screen = CheckoutScreen(), other = CheckoutScreen()
            Tracker.mark(screen, "promotion")
            screen.leave()
            other.leave()
        }
        #expect(provider.messages == ["Left"])
        #expect(provider.events.first?.metadata["first"] == "tea")
        #expect(provider.events.first?.metadata["even"] == true)
    }

    @Test func theDrownedEventIsFound() throws {
        let provider = try follow(2) {
            #expect(discounted(200) == 180)
            #expect(discounted(50) == 50)
        }
        #expect(provider.messages == ["Discount"])
        #expect(provider.events.first?.metadata["off"] == 20.0)
    }

    @Test func transactionsComeWithoutALineInTheClass() throws {
        let provider = try follow(3) {
            let screen = CheckoutScreen()
            screen.viewDidAppear(true)
            try? screen.pay(total: 2000, card: "1")
            try screen.pay(total: 20, card: "1")
        }
        let entries = provider.events.compactMap(\.transaction)
        #expect(entries.map(\.kind) == [.began, .happened(0), .happened(2), .happened(1)])
        #expect(entries[2].errorCode == 402)
        #expect(Set(entries.map(\.transactionID)).count == 1)
    }

    @Test func privateValuesStayPrivate() throws {
        let provider = try follow(4) { Door().open(pin: "1", by: "kim") }
        #expect(provider.messages == ["Opened by <private>"])
        #expect(mistakes(in: #"{ "trackedEvents": [ { "class": "Door", "selector": "open(pin:by:)", "label": "$arg.pin" } ] }"#).count == 1)
    }

    @Test func thePlanInSwiftFits() { #expect(Tracker.check(openings).isEmpty) }
}
