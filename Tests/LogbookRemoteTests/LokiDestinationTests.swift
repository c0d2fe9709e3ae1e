import LogbookCore
import LogbookDelivery
import LogbookHTTP
import LogbookRemote
import LogbookTestKit
import Testing

@Suite struct LokiDestinationTests {
    let destination = LokiDestination(
        url: "https://h/", labels: ["job": "checkout", "env": "te\"st"], tenant: "t1", authorization: .basic(user: "u", password: "p"))

    @Test func eventsOfALevelAreAStreamInOrderOfTime() {
        let early = LogEvent(sequence: 41, time: LogTime(nanoseconds: 1), level: .info, message: "early")
        let events = [Sample.events[0], KeyedEvent(early, origin: Sample.origin), KeyedEvent(.numbered(2, .error), origin: Sample.origin)]
        #expect(Sample.text(destination, events) == #"""
            {"streams":[{"stream":{"env":"te\"st","job":"checkout","level":"info"},"values":[["1","{\"time\":\"1970-01-01T00:00:00.000000001Z\",\"level\":\"info\",\"message\":\"early\",\"sequence\":41,\"installation\":\"I\",\"epoch\":7}"],["1792837760123456789","{\"time\":\"2026-10-24T10:29:20.123456789Z\",\"level\":\"info\",\"message\":\"cart \\\"opened\\\"\\n\",\"sequence\":42,\"installation\":\"I\",\"epoch\":7}"]]},{"stream":{"env":"te\"st","job":"checkout","level":"error"},"values":[["2","{\"time\":\"1970-01-01T00:00:00.000000002Z\",\"level\":\"error\",\"message\":\"event 2\",\"sequence\":2,\"installation\":\"I\",\"epoch\":7}"]]}]}
            """#)
    }

    @Test func theRequestNamesTheTenant() {
        let request = destination.request(for: Sample.parcel(of: destination))
        #expect(request.url == "https://h/loki/api/v1/push")
        #expect(
            request.headers == [
                HTTPHeader("Content-Type", "application/json"), HTTPHeader("X-Scope-OrgID", "t1"),
                HTTPHeader("Authorization", "Basic dTpw"),
            ])
    }

    @Test func only204IsSuccess() {
        #expect(destination.verdict(204) == .delivered)
        guard case .retry(nil, _) = destination.verdict(200) else {
            Issue.record("200 was taken for success")
            return
        }
    }

    /// What Loki says of an entry that it takes for its time no more, or not yet.
    static let untimely = [
        "entry with timestamp 2026-10-24 10:29:20 +0000 UTC ignored, reason: 'entry too far behind, entry timestamp is: "
            + "2026-10-24T10:29:20Z, oldest acceptable timestamp is: 2026-10-31T10:29:20Z', user 't1', total ignored: 1 out of 1",
        "entry for stream '{job=\"checkout\"}' has timestamp too old: 2026-10-24T10:29:20Z, oldest acceptable timestamp is: "
            + "2026-10-31T10:29:20Z",
        "entry for stream '{job=\"checkout\"}' has timestamp too new: 2026-10-24T10:29:20Z",
    ]

    @Test func whatIsTooOldOrTooNewIsToldFromWhatIsWrong() {
        for text in Self.untimely {
            guard case .outsideTimeRange(let reason) = destination.verdict(400, text) else {
                Issue.record("\(destination.verdict(400, text))")
                continue
            }
            #expect(reason.hasPrefix("HTTP status 400: entry"))
            guard case .retry = destination.verdict(429, text) else {
                Issue.record("\(destination.verdict(429, text))")
                continue
            }
        }
        #expect(destination.verdict(400, "stream has no labels") == .rejected("HTTP status 400: stream has no labels"))
    }

    @Test("after a long outage what is too old by now is counted, however much it is, and what is not arrives")
    func oldEventsHoldUpNothing() throws {
        _ = try expectOldEventsToHoldUpNothing(at: destination) { old in
            old == 0 ? HTTPResponse(status: 204) : HTTPResponse(status: 400, body: Array(Self.untimely[0].utf8))
        }
    }
}
