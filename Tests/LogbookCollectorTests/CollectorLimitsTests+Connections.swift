#if Collector
    import Foundation
    @testable import LogbookCollector
    import LogbookCore
    import LogbookHTTP
    import LogbookTestKit
    import LogbookTransactions
    import Testing

    // How many there may be, and how long each may take.
    extension CollectorLimitsTests {
        static let head = "POST /v1/logs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(RunningCollector.token.revealed)\r\n"

        @Test("Row 55: a connection whose head does not end is closed, however often it says another byte; others are served")
        func aSlowHeadIsClosed() async throws {
            try await RunningCollector.with(archive, configure: { $0.connections.headDeadline = .milliseconds(300) }) { collector in
                let slow = try RawConnection(port: collector.port)
                let ended = Task { await slow.trickle(Self.head + "X: ", "x", every: .milliseconds(20)) }
                // A busy machine may be late with any head, and has more than one try.
                func isServed() async -> Bool {
                    for _ in 1...20 where (try? await collector.send(Golden.g2).status) == 202 { return true }
                    return false
                }
                #expect(await isServed())
                #expect(await ended.value)
                #expect(await isServed())
            }
        }

        @Test("Row 55: a connection whose body trickles in is closed")
        func aSlowBodyIsClosed() async throws {
            try await RunningCollector.with(
                archive, configure: { ($0.connections.bodyGrace, $0.connections.minimumBodyBytesPerSecond) = (.milliseconds(300), 1 << 20) }
            ) { collector in
                let slow = try RawConnection(port: collector.port)
                let head = Self.head + "Content-Type: application/x-ndjson\r\nContent-Length: 1000000\r\n\r\n"
                let ended = Task { await slow.trickle(head, " ", every: .milliseconds(20)) }
                #expect(try await collector.send(Golden.g2).status == 202)
                #expect(await ended.value)
            }
        }

        @Test("Row 55: a body that began fast and trickles in since is closed, and so is one that takes too long")
        func aBodyThatIsSlowAfterAllIsClosed() async throws {
            func burst(_ limits: inout ConnectionLimits) {
                (limits.bodyGrace, limits.bodyWindow, limits.minimumBodyBytesPerSecond) = (.milliseconds(100), .milliseconds(400), 1024)
            }
            func long(_ limits: inout ConnectionLimits) {
                (limits.bodyDeadline, limits.minimumBodyBytesPerSecond) = (.milliseconds(300), 1)
            }
            for change in [burst, long] {
                try await RunningCollector.with(archive, configure: { change(&$0.connections) }) { collector in
                    let slow = try RawConnection(port: collector.port)
                    let head = Self.head + "Content-Type: application/x-ndjson\r\nContent-Length: 2000000\r\n\r\n"
                    #expect(await slow.trickle(head + String(repeating: " ", count: 1 << 20), " ", every: .milliseconds(20)))
                }
            }
        }

        @Test("Row 55: an open connection that asks for nothing more is closed, and one that does is not")
        func anIdleConnectionIsClosed() async throws {
            try await RunningCollector.with(archive, configure: { $0.connections.idleTimeout = .seconds(2) }) { collector in
                let idle = try RawConnection(port: collector.port)
                #expect(await idle.exchange("GET /health HTTP/1.1\r\nHost: x\r\n\r\n").hasPrefix("HTTP/1.1 200"))
                #expect(await idle.trickle("", "", every: .milliseconds(20)))
            }
        }

        @Test("Row 55: a connection that asks and never reads is closed, and its place is another's")
        func whoNeverReadsIsClosed() async throws {
            try await RunningCollector.with(
                archive, configure: { ($0.connections.maximum, $0.connections.idleTimeout) = (1, .seconds(2)) }
            ) { collector in
                let request = "GET /metrics HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(RunningCollector.token.revealed)\r\n\r\n"
                let (sent, announce) = AsyncStream.makeStream(of: Void.self)
                let gate = Gate(), port = collector.port
                let isClosed = Task {
                    await onThread {
                        let greedy = try? RawConnection(port: port)
                        greedy?.send(request)
                        _ = greedy?.receive()   // so it has its place
                        greedy?.send(String(repeating: request, count: 20_000))
                        announce.finish()
                        gate.wait()
                        // What was answered comes first, and may still be on its way.
                        return becomesTrue { greedy?.isClosed == true }
                    }
                }
                for await _ in sent {}
                let patience = LogDeadline.seconds(300)
                var isServed = false
                while !isServed, !patience.hasPassed {
                    isServed = (try? await collector.send("GET", "/health").status) == 200
                    if !isServed { try await Task.sleep(for: .milliseconds(20)) }
                }
                gate.open()
                #expect(isServed)
                #expect(await isClosed.value)
            }
        }

        @Test("Row 55: who takes an answer slowly and steadily has all of it, however much the system keeps for the connection")
        func whoReadsSlowlyIsNotClosed() async throws {
            let text = String(repeating: "x", count: 64 << 10), bytes = 128 * text.utf8.count
            let entries = (0..<128).map { EntryRecord(event: $0, errorDescription: text, time: LogTime(seconds: 1)) }
            _ = try await archive.store(Golden.parcel(TransactionRecord(id: "T", usecase: 1, entries: entries)))
            try await RunningCollector.with(archive, configure: { $0.connections.idleTimeout = .seconds(3) }) { collector in
                let request = Self.head.replacing("POST /v1/logs", with: "GET /v1/transactions/T") + "\r\n", port = collector.port
                let taken = await onThread {
                    var most = 0
                    // A machine that is busy may let this thread stand still for longer than the time, and has more than one try.
                    for _ in 0..<3 where most < bytes {
                        guard let slow = try? RawConnection(port: port) else { continue }
                        slow.send(request)
                        var taken = 0
                        // At this pace the system has no room for more within the time.
                        for _ in 0..<12 {
                            taken += slow.receive()?.utf8.count ?? 0
                            usleep(350_000)
                        }
                        while taken < bytes, let more = slow.receive() { taken += more.utf8.count }
                        most = max(most, taken)
                    }
                    return most
                }
                #expect(taken >= bytes)
            }
        }

        @Test("S19, row 55: with every place taken by connections that say nothing, whoever asks is answered at once")
        func idleConnectionsGiveWay() async throws {
            try await RunningCollector.with(
                archive, configure: { ($0.connections.maximum, $0.connections.headDeadline) = (8, .seconds(600)) }
            ) { collector in
                let idle = try (0..<40).map { _ in try RawConnection(port: collector.port) }
                // All have been let in: the longest silent ones were closed, long before any deadline.
                func waitForClosed(_ count: Int) async throws {
                    let patience = LogDeadline.seconds(30)
                    while idle.count(where: \.isClosed) < count, !patience.hasPassed { try await Task.sleep(for: .milliseconds(5)) }
                }
                try await waitForClosed(32)
                #expect(idle.count(where: \.isClosed) == 32)
                for _ in 0..<5 { #expect(try await collector.send(Golden.g2).status == 202) }
                try await waitForClosed(33)   // it gave way before the answers; that it is closed is seen later
                #expect(idle.count(where: \.isClosed) >= 33)
            }
        }

        @Test("S19: who waits longest gives way; who works does not, and an address has only so many")
        func theLongestIdleGivesWay() {
            let closed = Locked<[String]>([])
            let registry = ConnectionRegistry(maximum: 3, maximumPerAddress: 2)
            func admit(_ name: String, from address: String?) -> UInt64? {
                registry.admit(from: address) { closed.withLock { $0.append(name) } }
            }
            let first = admit("first", from: nil)!, second = admit("second", from: "a")!
            _ = admit("third", from: "a")
            registry.note(first, isWaiting: false)
            _ = admit("fourth", from: nil)
            #expect(closed.withLock { $0 } == ["second"])
            registry.note(second, isWaiting: true)
            registry.note(first, isWaiting: true)
            _ = admit("fifth", from: "a")
            #expect(closed.withLock { $0 } == ["second", "third"])
            _ = admit("sixth", from: "a")
            #expect(closed.withLock { $0 } == ["second", "third", "fourth"])
            let busy = ConnectionRegistry(maximum: 1, maximumPerAddress: 1)
            busy.note(busy.admit(from: nil) {}!, isWaiting: false)
            #expect(busy.admit(from: "b") {} == nil)
        }

        @Test("S23: while the bodies that came take all the room there is for them, others are told to come again; one always fits")
        func bodiesHaveSoMuchRoom() async throws {
            let gate = Gate(), slow = HeldArchive(archive, gate)
            try await RunningCollector.with(slow, configure: { $0.maximumBodyBytesInFlight = 1 }) { collector in
                let first = Task { try await collector.send(Golden.g2).status }
                await slow.hasBegun()
                let answer = try await collector.send(Golden.g2)
                #expect(answer.status == 503 && answer.header("Retry-After") == "1")
                #expect(try await archive.counts(tenant: nil).entries == 0)
                gate.open()
                #expect(try await first.value == 202)
                #expect(try await collector.send(Golden.g2).status == 202)   // the room was given back
            }
        }
    }
#endif
