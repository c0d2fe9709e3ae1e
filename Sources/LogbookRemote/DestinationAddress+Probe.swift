internal import LogbookCore
internal import LogbookFormat
package import LogbookHTTP

extension DestinationAddress {
    /// A question that a receiver answers without storing anything. Where it can be, it is one that wants the token.
    package struct Probe: Sendable {
        /// What an answer says about the token, or about an account's keys.
        package enum Standing: Sendable, Equatable {
            case taken, refused
            /// Known, and may not read; whether it may write nobody can ask.
            case mayNotRead
            /// Taken, by a receiver that has nothing of the name that is written to; says what that would be.
            case missing(String)
            /// Nothing: the receiver has no such question, or has not come to it.
            case notTried
        }

        enum Subject: Sendable, Equatable {
            case nothing
            /// Whoever may not read may write all the same.
            case reading
            case writing
            case datadogKey, splunkToken
            case bucket
            case logStream(String)
        }

        package let request: HTTPRequest
        let subject: Subject

        package var asksForToken: Bool { subject != .nothing }
        /// Whether it is an account's keys that are tried, which the environment has, and no token.
        package var asksForKeys: Bool {
            switch subject {
            case .bucket, .logStream: true
            default: false
            }
        }

        package func standing(on response: HTTPResponse) -> Standing {
            let isFine = (200..<300).contains(response.status)
            switch subject {
            case .nothing: return .notTried
            case .reading:
                switch response.status {
                // Grafana says so of a token that may write logs and nothing else.
                case 401 where String(decoding: response.body.prefix(8 << 10), as: UTF8.self).contains("scope"): return .mayNotRead
                case 401, 407: return .refused
                case 403: return .mayNotRead
                default: return isFine ? .taken : .notTried
                }
            case .writing:
                if [401, 403, 407].contains(response.status) { return .refused }
                return isFine ? .taken : .notTried
            case .datadogKey:
                if [401, 403].contains(response.status) { return .refused }
                let isValid = (try? JSONValue.parse(response.body))?["valid"] == .bool(true)
                return isFine && isValid ? .taken : .notTried
            case .splunkToken:
                guard case .integer(let code)? = (try? JSONValue.parse(response.body))?["code"] else { return .notTried }
                switch code {
                case 1...4: return .refused
                case 0, 5...7, 10...15: return .taken   // it has looked at what was sent: there is no data, or no channel
                default: return .notTried
                }
            case .bucket: return amazonStanding(on: response)
            case .logStream(let name):
                guard isFine else { return amazonStanding(on: response) }
                guard let answer = try? JSONValue.parse(response.body), case .array(let streams)? = answer["logStreams"] else {
                    return .notTried
                }
                return streams.contains { $0["logStreamName"] == .string(name) } ? .taken : .missing("log stream")
            }
        }

        private func amazonStanding(on response: HTTPResponse) -> Standing {
            if (200..<300).contains(response.status) { return .taken }
            if AWS.holds(["NoSuchBucket"], response) { return .missing("bucket") }
            if AWS.holds(["ResourceNotFound"], response) { return .missing("log group") }
            if AWS.holds(["AccessDenied"], response) { return .mayNotRead }
            return AWS.holds(AWS.refusals, response) ? .refused : .notTried
        }
    }

    /// - Throws: As ``destination(_:token:)`` does.
    package static func probe(_ address: String, token: Secret? = nil) throws(DestinationAddressError) -> Probe {
        try probe(address, token: token, environment: LogEnvironment.variable(named:))
    }

    package static func probe(
        _ address: String, token: Secret?, environment: (String) -> String?
    ) throws(DestinationAddressError) -> Probe {
        _ = try destination(address, token: token, environment: environment)
        let parts = try Parts(address)
        let base = parts.base.withoutTrailingSlashes
        func question(_ path: String, _ headers: [HTTPHeader] = [], of url: String? = nil, about subject: Probe.Subject) -> Probe {
            Probe(request: HTTPRequest(method: "GET", url: (url ?? parts.url) + path, headers: headers), subject: subject)
        }
        let headers = authorization(parts, token).headers
        switch parts.kind {
        case "collector": return question("/v1/stats", headers, of: base, about: .reading)
        case "elasticsearch": return question("/", headers, about: .reading)
        case "clickhouse":
            var headers: [HTTPHeader] = []
            if let user = parts["user"] { headers.append(HTTPHeader("X-ClickHouse-User", user)) }
            if let token { headers.append(HTTPHeader("X-ClickHouse-Key", token.revealed)) }
            return question("/?query=SELECT%201", headers, about: .reading)
        case "loki":
            let tenant = parts["tenant"].map { [HTTPHeader("X-Scope-OrgID", $0)] } ?? []
            return question("/loki/api/v1/labels", tenant + headers, of: base, about: .reading)
        case "otlp":
            // No bytes are a message without records.
            let headers = [HTTPHeader("Content-Type", "application/x-protobuf")] + headers
            return Probe(request: HTTPRequest(url: base + "/v1/logs", headers: headers), subject: .writing)
        case "splunk":
            // It looks at the token first, and then says that there is no data; its `health` looks at no token.
            let headers = [HTTPHeader("Authorization", "Splunk " + (token?.revealed ?? ""))]
            return Probe(request: HTTPRequest(url: base + "/services/collector/event", headers: headers), subject: .splunkToken)
        case "datadog":
            let key = [HTTPHeader("DD-API-KEY", token?.revealed ?? "")]
            if parts.isOwnIntake { return question("/api/v1/validate", key, about: .datadogKey) }
            let url = "https://api.\(parts.host)/api/v1/validate"
            return Probe(request: HTTPRequest(method: "GET", url: url, headers: key), subject: .datadogKey)
        case "logstash":
            // It makes an event of any request, but for an array of none.
            let headers = [HTTPHeader("Content-Type", "application/json")] + headers
            return Probe(request: HTTPRequest(url: parts.base, headers: headers, body: Array("[]".utf8)), subject: .writing)
        case "s3": return Probe(request: try s3(parts, environment).question, subject: .bucket)
        case "cloudwatch":
            let destination = try cloudWatch(parts, environment)
            return Probe(request: destination.question, subject: .logStream(destination.stream))
        case "loggly":
            return Probe(request: HTTPRequest(method: "GET", url: "https://logs-01.loggly.com/"), subject: .nothing)
        default: return question("/", about: .nothing)
        }
    }
}
