import LogbookCore
import LogbookDelivery
import LogbookHTTP
import LogbookRemote
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
}
