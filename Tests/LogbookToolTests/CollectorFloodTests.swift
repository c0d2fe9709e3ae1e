#if Collector && canImport(Glibc)
    import Foundation
    import Glibc
    import LogbookCore
    import LogbookHTTP
    import LogbookTestKit
    import Testing

    extension ToolTests {
        @Suite struct CollectorFloodTests {
            private static let connections = 2000
            private static let head = "POST /v1/transactions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(CollectorProcess.token)\r\n"

            /// As many descriptors as the system lets this process have: the other ends of the connections are here.
            private static func raiseFileLimit() -> Int {
                var limit = rlimit()
                getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                limit.rlim_cur = limit.rlim_max
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                return Int(clamping: limit.rlim_cur)
            }

            @Test("Row 55, S19: while 2,000 connections say nothing, or too little, everybody who asks is answered, and the caps hold")
            func idleAndSlowConnections() throws {
                try #require(Self.raiseFileLimit() >= Self.connections + 500, "raise the limit of open files: ulimit -Hn")
                // As it starts on most machines.
                let folder = TemporaryFolder(), collector = try CollectorProcess(in: folder, limits: "ulimit -Sn 1024")
                let set =
                    #"{"apptxns":[{"apptxn/id":"T%","apptxn/usecase":1,"apptxn/logs":["#
                    + #"{"apptxnlog/usecase-event":1,"apptxnlog/timestamp":"Thu, 15 Jan 2015 18:11:42 GMT"}]}]}"#

                // One in four sends nothing, one the beginning of a header, one half a header now and then, one half a body.
                var crowd: [RawConnection] = []
                func byte(_ index: Int) { if index % 4 == 2 { crowd[index].send("x") } }
                for index in 0..<Self.connections {
                    guard let connection = try? RawConnection(port: collector.port) else { continue }
                    crowd.append(connection)
                    switch (crowd.count - 1) % 4 {
                    case 0: break
                    case 1: connection.send("POST /v1/tra")
                    case 2: connection.send(Self.head + "X-Slow: ")
                    default:
                        connection.send(
                            Self.head + "Content-Type: application/vnd.fp.apptxnset-v0.0.1+json\r\nContent-Length: 100000\r\n\r\n{")
                    }
                    if index % 100 == 0 { for slow in crowd.indices { byte(slow) } }
                }
                #expect(crowd.count >= Self.connections * 9 / 10)

                let answers = Monitor<[(status: Int, seconds: Double)]>([]), clients = 8, requests = 25
                for client in 0..<clients {
                    LogThread.start("client") {
                        for number in 0..<requests {
                            let start = LogClock.system.monotonicNanoseconds()
                            let request = HTTPRequest(
                                url: collector.url + "/v1/transactions",
                                headers: [
                                    HTTPHeader("Authorization", "Bearer \(CollectorProcess.token)"),
                                    HTTPHeader("Content-Type", "application/vnd.fp.apptxnset-v0.0.1+json"),
                                ], body: Array(set.replacing("%", with: "\(client)-\(number)").utf8))
                            let status = (try? CurlTransport.shared.sendAndWait(request, by: .seconds(60)).status) ?? 0
                            let seconds = Double(LogClock.system.monotonicNanoseconds() - start) / 1e9
                            answers.withLock { access in
                                access.value.append((status, seconds))
                                access.broadcast()
                            }
                        }
                    }
                }
                let deadline = LogDeadline.seconds(120)
                var isDone = false
                while !isDone && !deadline.hasPassed {
                    for slow in crowd.indices { byte(slow) }
                    isDone = answers.withLock { access in
                        if access.value.count < clients * requests { _ = access.wait(until: .seconds(0.2)) }
                        return access.value.count == clients * requests
                    }
                }
                let all = answers.withLock { $0.value }
                #expect(all.count == clients * requests)
                #expect(all.allSatisfy { $0.status == 202 }, "\(all.count { $0.status != 202 }) of \(all.count) were not served")
                let times = all.map(\.seconds).sorted()
                if let longest = times.last {
                    print("row 55: p99 \(times[times.count * 99 / 100]) s, the longest \(longest) s, beside \(crowd.count) connections")
                }
                let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(collector.tool.process.identifier)/fd").count
                #expect(open <= 1024 + 64 + 64, "\(open) descriptors")
                #expect(crowd.count(where: \.isClosed) >= crowd.count - 1024 - 64)
                crowd = []
                collector.tool.signal(SIGTERM)
                #expect(collector.tool.process.wait(by: .seconds(100)) == .exited(0))
                #expect(try ChildProcess.run(
                    ["sqlite3", "-readonly", folder("archive.sqlite"), "SELECT count(*) FROM entries"], output: folder("rows")) == .exited(0))
                #expect(folder.text("rows") == "\(clients * requests)\n")
            }

            @Test("Row 55: where it may have few descriptors the collector takes fewer connections, says so, and those that wait give way")
            func fewDescriptors() throws {
                let folder = TemporaryFolder(), collector = try CollectorProcess(in: folder, limits: "ulimit -n 128")
                var crowd = (0..<200).compactMap { _ in try? RawConnection(port: collector.port) }
                #expect(crowd.count == 200)
                let health = HTTPRequest(method: "GET", url: collector.url + "/health")
                #expect(becomesTrue { (try? CurlTransport.shared.sendAndWait(health, by: .seconds(5)).status) == 200 })
                #expect(becomesTrue { crowd.count(where: \.isClosed) >= 200 - 64 })
                #expect(collector.tool.errors.contains("may have 128 descriptors, so it takes 48 connections"), "\(collector.tool.errors)")
                crowd = []
                collector.tool.signal(SIGTERM)
                #expect(collector.tool.process.wait(by: .seconds(100)) == .exited(0))
            }
        }
    }
#endif
