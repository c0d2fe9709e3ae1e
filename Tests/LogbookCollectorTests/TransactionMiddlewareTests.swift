#if Collector
    import Hummingbird
    import LogbookCollector
    import LogbookCore
    import LogbookHTTP
    import LogbookTestKit
    import LogbookTransactions
    import Testing

    @Suite struct TransactionMiddlewareTests {
        private let service = LogService()
        private let recording = RecordingProvider()

        private struct Broken: Error {}
        private struct Refused: LogDescribableError, HTTPResponseError {
            let customer: String
            var description: String { "refused for \(customer)" }
            var logDescription: LogMessage { "refused for \(customer, privacy: .private)" }
            var status: HTTPResponse.Status { .forbidden }
            func response(from request: Request, context: some RequestContext) -> Response { Response(status: status) }
        }

        init() { service.register(recording) }

        private var entries: [TransactionEntry] { recording.events.compactMap(\.transaction) }

        /// A Hummingbird server with the middleware, asked once per path.
        private func statuses(_ paths: [String], _ headers: [HTTPHeader]) async throws -> [(Int, String)] {
            let router = Router()
            router.add(
                middleware: TransactionMiddleware(
                    service: service, prefix: "fp-",
                    events: ServerTransaction.Events(started: 3, success: 6, invalid: 5, error: 4)
                ) { $0.uri.path == "/untold" ? nil : 1 })
            router.get("fine") { _, _ in "fine" }
            router.get("untold") { _, _ in "untold" }
            router.get("refused") { _, _ in Response(status: .unauthorized, body: .init(byteBuffer: ByteBuffer(string: "no"))) }
            router.get("invalid") { _, _ -> String in throw HTTPError(.unprocessableContent, message: "the tank is too small") }
            router.get("broken") { _, _ -> String in throw Broken() }
            router.get("broken/*") { _, _ -> String in throw Broken() }
            router.get("forbidden") { _, _ -> String in throw Refused(customer: "Ada Lovelace") }
            let (ports, announce) = AsyncStream.makeStream(of: Int.self)
            let application = Application(
                router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
                onServerRunning: { announce.yield($0.localAddress?.port ?? 0) })
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await application.run() }
                var iterator = ports.makeAsyncIterator()
                let port = try #require(await iterator.next())
                var answers: [(Int, String)] = []
                for path in paths {
                    let answer = try await CurlTransport.shared.send(
                        LogbookHTTP.HTTPRequest(
                            method: "GET", url: "http://127.0.0.1:\(port)/\(path)", headers: headers, limits: RunningCollector.limits))
                    answers.append((answer.status, answer.text))
                }
                group.cancelAll()
                while let result = await group.nextResult() { _ = result }
                return answers
            }
        }

        private let paths = ["fine", "refused", "invalid", "broken", "untold"]

        @Test("W7: what an error marks as private stays private, also where it answers the request itself")
        func privateParts() async throws {
            #expect(try await statuses(["forbidden"], [HTTPHeader("fp-apptxn-id", "TXN1-A")]).map(\.0) == [403])
            let text = entries.last?.errorDescription ?? ""
            #expect(text.contains("Refused: refused for ") && !text.contains("Ada"), "\(text)")
        }

        @Test("W7, B14: what is thrown is described with the request's method and route, no query, and where the middleware was made")
        func whereItWasThrown() async throws {
            let long = "broken/" + String(repeating: "a-", count: 2000)   // nothing of it but its route
            let named = [HTTPHeader("fp-apptxn-id", "TXN1-A")]
            #expect(try await statuses(["broken?pin=hush", long], named).map(\.0) == [500, 500])
            let texts = entries.compactMap(\.errorDescription)
            try #require(texts.count == 2)
            #expect(texts[0].hasPrefix("GET /broken: "), "\(texts[0])")
            #expect(!texts[0].contains("hush") && !texts[0].contains("?"), "\(texts[0])")
            #expect(texts[1].hasPrefix("GET /broken/") && !texts[1].contains("a-a-"), "\(texts[1])")
            let place = "in statuses(_:_:) at LogbookCollectorTests/TransactionMiddlewareTests.swift:"
            for text in texts { #expect(text.contains("Broken") && text.contains(place), "\(text)") }
            let sources = recording.events.filter { $0.transaction != nil }.map(\.source)
            #expect(sources.count == 4)
            #expect(sources.allSatisfy { $0.fileName == "TransactionMiddlewareTests.swift" && $0.function == "statuses(_:_:)" })
        }

        @Test("W6, W7: every way a handler ends is an entry, and its answer is what it is without")
        func everyEndIsAnEntry() async throws {
            let plain = try await statuses(paths, [])
            #expect(plain.map(\.0) == [200, 401, 422, 500, 200])
            #expect(entries.isEmpty)
            let named = try await statuses(
                paths, [HTTPHeader("fp-apptxn-id", "TXN1-A"), HTTPHeader("Authorization", "Bearer k3yk3yk3y")])
            #expect(named.map(\.0) == plain.map(\.0))
            #expect(named.map(\.1) == plain.map(\.1))
            #expect(entries.map(\.event) == [3, 6, 3, 5, 3, 5, 3, 4])
            #expect(entries.map(\.errorCode) == [nil, nil, nil, 401, nil, 422, nil, nil])
            #expect(entries.last?.errorDescription?.contains("Broken") == true)
            #expect(entries[5].errorDescription?.contains("the tank is too small") == true)
        }
    }
#endif
