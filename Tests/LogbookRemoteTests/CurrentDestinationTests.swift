import LogbookCore
import LogbookDelivery
import LogbookHTTP
import Testing

@testable import LogbookRemote

@Suite struct CurrentDestinationTests {
    /// Lacks what it needs to say where it sends events.
    private struct Silent: LogDestination {
        func request(for parcel: Parcel) throws -> HTTPRequest { throw HTTPFailure.invalidRequest("there is no token") }
        func verdict(on response: HTTPResponse, for parcel: Parcel) -> DeliveryVerdict { .delivered }
    }

    @Test func anotherTokenOrPathIsNoOtherReceiver() {
        let current = CurrentDestination(CollectorDestination(url: "https://logs.example.com:8443", token: "old"))
        #expect(!current.change(to: CollectorDestination(url: "https://logs.example.com:8443", token: "new")))
        #expect(!current.change(to: CollectorDestination(url: "https://Logs.Example.com:8443/behind", token: "new")))
        #expect(current.term.number == 2)
    }

    @Test(arguments: ["http://logs.example.com:8443", "https://logs.example.com", "https://logs.example.org:8443"])
    func anotherSchemeHostOrPortIs(url: String) {
        let current = CurrentDestination(CollectorDestination(url: "https://logs.example.com:8443", token: "t"))
        #expect(current.change(to: CollectorDestination(url: url, token: "t")))
    }

    @Test func anotherKindIsAndOneThatDoesNotSayWhere() {
        let url = "https://logs.example.com"
        let current = CurrentDestination(CollectorDestination(url: url, token: "t"))
        #expect(current.change(to: HTTPDestination(url: url)))
        #expect(current.change(to: Silent()))
        #expect(current.change(to: Silent()))
        #expect(current.change(to: HTTPDestination(url: url)))
    }
}
