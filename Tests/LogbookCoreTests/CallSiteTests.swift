@testable import LogbookCore
import LogbookTestKit
import Testing

@Suite struct CallSiteTests {
    @Test func aPlaceIsKeptAsItStands() throws {
        let site = try #require(CallSite("Shop/Cart.swift", "pay(with:)", 4_294_967_295))
        #expect(site.source == LogSource(fileNamed: "Shop/Cart.swift", functionNamed: "pay(with:)", line: 4_294_967_295))
        #expect(site.line == 4_294_967_295)
        #expect(site.words != nil)
    }

    /// Its text is kept as a number, and lies nowhere.
    private struct Scalar: ExpressibleByUnicodeScalarLiteral {
        let text: StaticString
        init(unicodeScalarLiteral text: StaticString) { self.text = text }
    }

    @Test(arguments: [LogDelivery.immediate, .queued()])
    func anEventOfAPlaceThatLiesNowhereHasItsName(_ delivery: LogDelivery) {
        let file = ("F" as Scalar).text, function = ("f" as Scalar).text
        #expect(CallSite(file, function, 1) == nil)
        let service = LogService(), provider = RecordingProvider()
        service.register(provider, delivery: delivery)
        service.info("of \(1)", file: file, function: function, line: 7)
        service.info("of none", metadata: ["key": 1], file: file, function: function, line: 8)
        #expect(service.flush(by: .seconds(30)).isComplete)
        #expect(provider.events.map(\.message) == ["of 1", "of none"])
        #expect(provider.events.map(\.source.file) == ["F", "F"])
        #expect(provider.events.map(\.source.function) == ["f", "f"])
        #expect(provider.events.map(\.source.line) == [7, 8])
    }
}
