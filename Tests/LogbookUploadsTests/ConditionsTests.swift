import LogbookCore
import LogbookDelivery
import LogbookFiles
import LogbookFormat
import LogbookHTTP
import LogbookTestKit
import Testing

@testable import LogbookUploads

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite struct ConditionsTests {
    private let bench = UploadBench()
    private let now = LogTime(seconds: 1_763_720_960)  // 10:29:20 UTC

    @Test("D1: while a condition does not hold nothing is sent; once it does, all goes, oldest first")
    func gate() async throws {
        let archives = try bench.roll(["one", "two", "three"])
        let isOpen = Locked(false)
        let transport = ScriptedTransport(.status(200))
        let uploader = try bench.uploader(
            transport, conditions: UploadConditions(custom: { isOpen.withLock { $0 } }))
        for _ in 1...5 { try await onThread { try uploader.deliver(by: .seconds(60)) } }
        #expect(transport.requests.isEmpty)
        isOpen.withLock { $0 = true }
        uploader.wake()
        #expect(await bench.waitForDelivered(3))
        #expect(transport.requests.map(\.parcel) == archives.map(\.id))
    }

    @Test("D1: closed conditions are looked at again without being asked")
    func looksAgain() async throws {
        try bench.roll(["one"])
        let isOpen = Locked(false)
        let asked = Locked(0)
        let uploader = try bench.uploader(
            ScriptedTransport(.status(200)),
            conditions: UploadConditions(custom: {
                asked.withLock { $0 += 1 }
                return isOpen.withLock { $0 }
            }))
        try await onThread { try uploader.deliver(by: .seconds(60)) }
        isOpen.withLock { $0 = true }
        for _ in 1...3000 where bench.delivered.isEmpty {
            bench.clock.advance(by: .seconds(31))
            usleep(5000)
        }
        #expect(bench.delivered.count == 1)
        withExtendedLifetime(uploader) {}
    }

    @Test("D1: what was tried once waits for the conditions like what was not, and goes when they hold again")
    func retriesWait() async throws {
        try bench.roll(["one"])
        let isOpen = Locked(true)
        let transport = ScriptedTransport { number, _ in number == 1 ? .status(503) : .status(200) }
        let uploader = try bench.uploader(
            transport, conditions: UploadConditions(custom: { isOpen.withLock { $0 } }))
        #expect(await bench.waitForRetries(1))
        isOpen.withLock { $0 = false }
        bench.clock.advance(by: .seconds(300))
        try await onThread { try uploader.deliver(by: .seconds(60)) }
        #expect(transport.requests.count == 1)
        #expect(bench.archives.count == 1)
        isOpen.withLock { $0 = true }
        let isSent = await onThread { [bench] in
            becomesTrue {
                bench.clock.advance(by: .seconds(31))
                return bench.delivered.count == 1
            }
        }
        #expect(isSent)
        #expect(transport.requests.count == 2)
        withExtendedLifetime(uploader) {}
    }

    @Test("D1: between the pieces of a file the conditions are asked, and it goes on where it was")
    func piecesWait() async throws {
        let text = (1...1000).map { "line \($0)" }.joined(separator: "\n")
        try bench.roll([text])
        let isOpen = Locked(true)
        let transport = ScriptedTransport { number, _ in
            if number == 1 { isOpen.withLock { $0 = false } }
            return .status(200)
        }
        let uploader = try bench.uploader(
            to: UploadRequest(url: "http://127.0.0.1/", maximumBytes: 4096), transport,
            conditions: UploadConditions(custom: { isOpen.withLock { $0 } }))
        #expect(await onThread { transport.waitForRequests(1) })
        try await onThread { try uploader.deliver(by: .seconds(60)) }
        #expect(transport.requests.count == 1)
        #expect(bench.archives.count == 1)
        isOpen.withLock { $0 = true }
        uploader.wake()
        #expect(await bench.waitForDelivered(1))
        #expect(transport.requests.count > 2)
        #expect(transport.requests.map(\.text).joined() == text + "\n")
        #expect(bench.archives == [])
        withExtendedLifetime(uploader) {}
    }

    @Test("D2: after a day a file goes whatever the conditions are")
    func maximumDeferral() async throws {
        try bench.roll(["one"])
        let transport = ScriptedTransport(.status(200))
        let uploader = try bench.uploader(transport, conditions: UploadConditions(custom: { false }))
        bench.clock.advance(by: .seconds(86_399))
        try await onThread { try uploader.deliver(by: .seconds(60)) }
        #expect(transport.requests.isEmpty)
        bench.clock.advance(by: .seconds(1))
        uploader.wake()
        #expect(await bench.waitForDelivered(1))
        #expect(UploadConditions.none.maximumDeferral == .seconds(86_400))
    }

    @Test("D2: a wall clock that is set while a file waits neither sends it early nor keeps it for longer", arguments: [10, -10])
    func clockIsSet(days: Int64) async throws {
        try bench.roll(["one"])
        let transport = ScriptedTransport(.status(200))
        let uploader = try bench.uploader(transport, conditions: UploadConditions(custom: { false }))
        try await onThread { try uploader.deliver(by: .seconds(60)) }   // it has been seen by then
        bench.clock.setWall(now.adding(.seconds(days * 86_400)))
        bench.clock.advance(by: .seconds(86_399))
        try await onThread { try uploader.deliver(by: .seconds(60)) }
        #expect(transport.requests.isEmpty)
        bench.clock.advance(by: .seconds(1))
        uploader.wake()
        #expect(await bench.waitForDelivered(1))
        withExtendedLifetime(uploader) {}
    }

    @Test(
        "D2: a deferral of centuries lets nothing go early",
        arguments: [(.seconds(86_400), 1), (.seconds(240 * 366 * 86_400), 0), (.seconds(Int64.max), 0)] as [(span: Duration, sent: Int)])
    func longDeferral(span: Duration, sent: Int) async throws {
        try bench.roll(["one"])
        let transport = ScriptedTransport(.status(200))
        let uploader = try bench.uploader(
            transport, conditions: UploadConditions(maximumDeferral: span, custom: { false }))
        try await onThread { try uploader.deliver(by: .seconds(60)) }
        #expect(transport.requests.isEmpty)
        bench.clock.advance(by: .seconds(2 * 86_400))
        try await onThread { try uploader.deliver(by: .seconds(60)) }
        #expect(transport.requests.count == sent)
    }

    @Test("D3: what is urgent goes at once, what comes later waits again")
    func urgent() async throws {
        let archives = try bench.roll(["one", "two"])
        let transport = ScriptedTransport(.status(200))
        let uploader = try bench.uploader(transport, conditions: UploadConditions(custom: { false }))
        uploader.hurry()
        #expect(await bench.waitForDelivered(2))
        try bench.roll(["three"])
        uploader.wake()
        try await onThread { try uploader.deliver(by: .seconds(60)) }
        #expect(transport.requests.map(\.parcel) == archives.map(\.id))
    }

    @Test("D3: what becomes urgent while files are looked at goes oldest first, too")
    func urgentMeanwhile() async throws {
        let archives = try bench.roll(["one", "two"])
        let transport = ScriptedTransport(.status(200))
        let hurry = Locked<@Sendable () -> Void>({})
        let uploader = try bench.uploader(
            transport,
            conditions: UploadConditions(custom: {
                hurry.withLock { $0 }()
                return false
            }))
        hurry.withLock { $0 = { [weak uploader] in uploader?.hurry() } }
        uploader.wake()
        #expect(await bench.waitForDelivered(2))
        #expect(transport.requests.map(\.parcel) == archives.map(\.id))
    }

    private func lines(_ level: LogLevel, _ format: some LogFormat = .text) -> String {
        var bytes: [UInt8] = []
        for (number, level) in [.debug, level, .info].enumerated() {
            // The words of levels stand in what is said, too.
            let said = LogEvent(
                sequence: UInt64(number), time: now, level: level, message: "no error and nothing critical ☠️",
                metadata: ["level": "error"])
            format.append(said, to: &bytes)
        }
        return String(decoding: bytes.dropLast(), as: UTF8.self)
    }

    @Test("D3: a file that holds an event of the level goes at once, in every format, compressed or not", arguments: [false, true])
    func urgentLevel(compressed: Bool) async throws {
        let formats: [any LogFormat] = [.text, .jsonLines, LogfmtFormat(), ECSFormat(), TextFormat.article()]
        let ordinary = formats.map { lines(.warning, $0) }
        try bench.roll(ordinary, compressed: compressed)
        let urgent = try bench.roll(formats.map { lines(.error, $0) } + [lines(.critical)], compressed: compressed)
        let transport = ScriptedTransport(.status(200))
        let uploader = try bench.uploader(transport, conditions: UploadConditions(urgentFrom: .error, custom: { false }))
        #expect(await bench.waitForDelivered(urgent.count))
        for _ in 1...3 { try await onThread { try uploader.deliver(by: .seconds(60)) } }
        #expect(transport.requests.map(\.parcel) == urgent.map(\.id))
        #expect(bench.archives.count == ordinary.count)
    }

    @Test("D3: what was tried once and waits keeps nothing urgent from going, and what is urgent is tried again whatever they are")
    func urgentPastWhatWaits() async throws {
        let ordinary = try bench.roll([lines(.warning)])
        let isOpen = Locked(true)
        let transport = ScriptedTransport { number, _ in number <= 2 ? .status(503) : .status(200) }
        let uploader = try bench.uploader(
            transport, conditions: UploadConditions(urgentFrom: .error, custom: { isOpen.withLock { $0 } }))
        #expect(await bench.waitForRetries(1))
        isOpen.withLock { $0 = false }
        let urgent = try bench.roll([lines(.critical)])
        bench.clock.advance(by: .seconds(300))
        #expect(await bench.waitForRetries(2))
        bench.clock.advance(by: .seconds(300))
        #expect(await bench.waitForDelivered(1))
        try await onThread { try uploader.deliver(by: .seconds(60)) }
        #expect(transport.requests.map(\.parcel) == (ordinary + urgent + urgent).map(\.id))
        isOpen.withLock { $0 = true }
        uploader.wake()
        #expect(await bench.waitForDelivered(2))
        #expect(bench.delivered == (urgent + ordinary).map(\.id))
        withExtendedLifetime(uploader) {}
    }

    @Test(
        "D3: a layout of one's own is urgent where the conditions know it, and lines that are none never are",
        arguments: [
            "\(.level) at \(.time(digits: 3, zone: .utc)): \(.message)",
            "[\(.symbol) \(.time(digits: 3, zone: .utc))] \(.message)",   // begins as the article's lines do
        ] as [TextLayout])
    func urgentLayout(pieces: TextLayout) async throws {
        let layout = try TextFormat.layout(pieces)
        let long = String(repeating: "error ", count: 1_000_000)
        try bench.roll(["error", long, lines(.error).replacing("error", with: "mistake"), lines(.info, layout)])
        let urgent = try bench.roll([long + "\n" + lines(.error, layout)])
        let transport = ScriptedTransport(.status(200))
        let uploader = try bench.uploader(
            transport,
            conditions: UploadConditions(urgentFrom: .error, reading: LogLineReader(text: layout), custom: { false }))
        #expect(await bench.waitForDelivered(1))
        try await onThread { try uploader.deliver(by: .seconds(60)) }
        #expect(transport.requests.map(\.parcel) == urgent.map(\.id))
    }

    @Test("D1: conditions are asked once for all files, and not at all while nothing waits")
    func asksOnce() async throws {
        let asked = Locked(0)
        let transport = ScriptedTransport(.status(200))
        let uploader = try bench.uploader(
            transport,
            conditions: UploadConditions(custom: {
                asked.withLock { $0 += 1 }
                return false
            }))
        try await onThread { try uploader.deliver(by: .seconds(60)) }
        #expect(asked.withLock { $0 } == 0)
        try bench.roll((1...50).map { "\($0)" })
        uploader.wake()
        try await onThread { try uploader.deliver(by: .seconds(60)) }
        #expect((1...5).contains(asked.withLock { $0 }))
        #expect(transport.requests.isEmpty)
    }
}
