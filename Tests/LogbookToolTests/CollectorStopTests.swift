#if Collector && canImport(Glibc)
    import Glibc
    import GRDB
    import LogbookHTTP
    import LogbookTestKit
    import Testing

    extension ToolTests {
        /// What becomes of a request that is under way when the collector is told to stop.
        @Suite struct CollectorStopTests {
            private let folder = TemporaryFolder()

            /// So much that what has come is not too slow for half a minute.
            private static let room = String(repeating: " ", count: 64 << 10)
            /// Bytes of a body that are sent at first.
            private static let half = room.utf8.count + 100
            private static let body =
                room
                + #"{"apptxns":[{"apptxn/id":"T","apptxn/usecase":1,"apptxn/logs":["#
                + #"{"apptxnlog/usecase-event":1,"apptxnlog/timestamp":"Thu, 15 Jan 2015 18:11:42 GMT"}]}]}"#
            private static let head = """
                POST /v1/transactions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(CollectorProcess.token)\r\n\
                Content-Type: application/vnd.fp.apptxnset-v0.0.1+json\r\nContent-Length: \(body.utf8.count)\r\n\r\n
                """

            /// A connection over which half a set was sent, and has arrived.
            private func halfASet(to collector: CollectorProcess) throws -> RawConnection {
                let connection = try RawConnection(port: collector.port)
                connection.send(Self.head + String(Self.body.prefix(Self.half)))
                func metrics() -> String {
                    let request = HTTPRequest(
                        method: "GET", url: collector.url + "/metrics",
                        headers: [HTTPHeader("Authorization", "Bearer \(CollectorProcess.token)")])
                    let answer = try? CurlTransport.shared.sendAndWait(request, by: .seconds(60))
                    return String(decoding: answer?.body ?? [], as: UTF8.self)
                }
                try #require(becomesTrue { metrics().contains("\nlogbook_collector_body_bytes_total \(Self.half)\n") })
                return connection
            }

            private func rows() throws -> Int? {
                try DatabaseQueue(path: folder("archive.sqlite")).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM entries") }
            }

            @Test("SIGTERM: a set that is half sent is stored and answered, nobody else is let in, and the collector ends with 0")
            func aSetUnderWayIsAnswered() throws {
                let collector = try CollectorProcess(in: folder)
                let connection = try halfASet(to: collector)
                collector.tool.signal(SIGTERM)
                #expect(becomesTrue { (try? RawConnection(port: collector.port)) == nil })
                #expect(collector.tool.process.end == nil)
                connection.send(String(Self.body.dropFirst(Self.half)))
                #expect(connection.receive()?.hasPrefix("HTTP/1.1 202 ") == true)
                #expect(connection.receive() == nil)
                #expect(collector.tool.process.wait(by: .seconds(60)) == .exited(0))
                #expect(try rows() == 1)
            }

            @Test("SIGTERM: a set whose other half never comes holds it up for a while, and nothing of it is stored")
            func aSetThatNeverEnds() throws {
                let collector = try CollectorProcess(in: folder)
                let connection = try halfASet(to: collector)
                collector.tool.signal(SIGTERM)
                #expect(collector.tool.process.wait(by: .seconds(100)) == .exited(0))
                #expect(connection.receive()?.contains(" 202 ") != true)
                #expect(try rows() == 0)
            }

            @Test("SIGTERM: the second ends it at once, and nothing of what is half sent is stored")
            func theSecondEndsItAtOnce() throws {
                let collector = try CollectorProcess(in: folder)
                let connection = try halfASet(to: collector)
                collector.tool.signal(SIGTERM)
                #expect(becomesTrue { (try? RawConnection(port: collector.port)) == nil })
                collector.tool.signal(SIGTERM)
                #expect(collector.tool.process.wait(by: .seconds(60)) == .killed(by: SIGTERM))
                #expect(connection.receive() == nil)
                let again = try CollectorProcess(in: folder, name: "again")
                again.tool.signal(SIGTERM)
                #expect(again.tool.wait().status == 0)
                #expect(try rows() == 0)
            }
        }
    }
#endif
