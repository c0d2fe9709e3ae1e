#if Collector
    @testable import LogbookCollector
    import LogbookCore
    import LogbookHTTP
    import LogbookTransactions

    /// A real server on a free port for the length of a test.
    struct RunningCollector {
        static let token: Secret = "a=b c\"d=="
        /// Other tests may keep the threads of Swift's pool busy, which the server needs.
        static let limits: HTTPLimits = {
            var limits = HTTPLimits()
            limits.total = .seconds(120)
            limits.responseBodyBytes = 1 << 20   // of an export
            return limits
        }()
        let port: Int
        var url: String { "http://127.0.0.1:\(port)" }

        static func with(
            _ archive: any Archive, clock: LogClock = .system, configure: (inout CollectorConfiguration) -> Void = { _ in },
            _ body: (RunningCollector) async throws -> Void
        ) async throws {
            var configuration = CollectorConfiguration()
            configuration.token = token
            configure(&configuration)
            let server = try CollectorServer(configuration: configuration, archive: archive, clock: clock)
            let (ports, announce) = AsyncStream.makeStream(of: Int.self)
            let serving = Task {
                defer { announce.finish() }
                try await server.run { announce.yield($0) }
            }
            var iterator = ports.makeAsyncIterator()
            guard let port = await iterator.next() else {
                try await serving.value
                throw CollectorError.invalid("the server ended at once")
            }
            do {
                try await body(RunningCollector(port: port))
                serving.cancel()
                try await serving.value
            } catch {
                serving.cancel()
                try? await serving.value
                throw error
            }
        }

        /// - Parameter headers: Replace the usual ones (token, type) of the same name; an empty value leaves one out.
        func send(
            _ method: String = "POST", _ path: String = "/v1/transactions", _ body: [UInt8] = [],
            _ headers: [String: String] = [:]
        ) async throws -> HTTPResponse {
            var all = ["Authorization": "Bearer \(Self.token.revealed)"]
            if method == "POST" { all["Content-Type"] = path == "/v1/logs" ? "application/x-ndjson" : Golden.setType }
            all.merge(headers) { $1 }
            return try await CurlTransport.shared.send(
                HTTPRequest(
                    method: method, url: url + path,
                    headers: all.filter { !$0.value.isEmpty }.map { HTTPHeader($0.key, $0.value) },
                    body: body, limits: Self.limits))
        }

        func send(_ body: String, to path: String = "/v1/transactions", _ headers: [String: String] = [:]) async throws
            -> HTTPResponse
        {
            try await send("POST", path, Array(body.utf8), headers)
        }
    }

    extension HTTPResponse {
        var text: String { String(decoding: body, as: UTF8.self) }
    }
#endif
