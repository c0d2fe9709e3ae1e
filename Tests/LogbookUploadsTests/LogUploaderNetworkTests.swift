import LogbookCore
import LogbookDelivery
import LogbookFiles
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

/// Uploads over real connections, from processes of their own where those matter.
@Suite struct LogUploaderNetworkTests {
    private let bench = UploadBench()

    #if os(Linux)
        @Test("U17: a file of 1 GiB goes to a server with less than 16 MiB more memory")
        func memory() async throws {
            let server = try LoopbackServer(maximumKeptBytes: 0) { _ in .status(200) }
            let (path, url) = (bench.path, server.url)
            await #expect(processExitsWith: .success) { [path = path as String, url = url as String] in
                alarm(900)
                /// The most there has been so far.
                func mostBytesInMemory() -> Int {
                    guard let file = fopen("/proc/self/status", "r") else { return 0 }
                    defer { fclose(file) }
                    var line = [CChar](repeating: 0, count: 256)
                    while fgets(&line, 256, file) != nil {
                        let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
                        guard text.hasPrefix("VmHWM:") else { continue }
                        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) << 10
                    }
                    return 0
                }
                let limits = RollingPolicy(maximumBytes: 1 << 40, awaitsDelivery: true, maximumUndeliveredBytes: 0)
                let provider = try FileLogProvider(in: path, rolling: limits)
                provider.log(event("begins"))
                truncate(provider.path, 1 << 30)
                try provider.roll()
                try provider.shutdown(by: .seconds(60))
                let before = mostBytesInMemory()
                let uploader = try LogUploader(of: path, to: UploadRequest(url: url))
                try uploader.deliver(by: .seconds(840))
                #expect(before > 0)
                // Set aside by a sanitizer or not, it is no file.
                #expect(mostBytesInMemory() - before < (Sanitizer.keepsWhatIsFreed ? 64 << 20 : 16 << 20))
            }
            // The line that nobody ended is ended.
            #expect(server.requests.map(\.bodyBytes) == [(1 << 30) + 1])
            #expect(bench.archives == [])
        }
    #endif

    @Test("U17: a large file that is on its way is given up at once")
    func cancels() async throws {
        let provider = try bench.file()
        provider.log(event("begins"))
        truncate(provider.path, 256 << 20)
        try provider.roll()
        try provider.shutdown(by: .seconds(60))
        let mayEnd = Gate()
        // It takes no more than the head.
        let server = try LoopbackServer(atHead: { _ in .after(mayEnd, .reset) }) { _ in .status(200) }
        let uploader = try bench.uploader(to: UploadRequest(url: server.url), CurlTransport.shared)
        #expect(await onThread { mayEnd.waitForArrivals(1, by: .seconds(60)) })
        await onThread { uploader.shutdown(by: .milliseconds(50)) }
        mayEnd.open()
        #expect(server.requests.isEmpty)
        #expect(bench.archives.count == 1)
    }

    @Test("U11: a server that takes the body and never answers: the file is sent again under its id, in the end once")
    func silence() async throws {
        let archive = try bench.roll(["one"])[0]
        let never = Gate(), isSilent = Locked(true)
        let server = try LoopbackServer { _ in isSilent.withLock { $0 } ? .after(never, .reset) : .status(200) }
        defer { never.open() }
        var request = UploadRequest(url: server.url)
        request.limits.total = .seconds(2)
        let uploader = try bench.uploader(to: request, CurlTransport.shared)
        var retries = 1
        while await bench.waitForRetries(retries), server.requests.isEmpty {   // a busy machine has given it up before it was out
            retries += 1
            bench.clock.advance(by: .seconds(300))
        }
        #expect(bench.archives.count == 1)
        isSilent.withLock { $0 = false }
        request.limits.total = .seconds(60)
        uploader.update(request)
        bench.clock.advance(by: .seconds(300))
        #expect(await bench.waitForDelivered(1))
        #expect(server.requests.count > 1 && Set(server.requests.map { $0.header("Logbook-Parcel") }) == [archive.id])
        #expect(bench.delivered == [archive.id])
        #expect(bench.archives == [])
        withExtendedLifetime(uploader) {}
    }

    @Test("U11: a program that ends does not wait for an answer beyond its budget")
    func silenceAtTheEnd() async throws {
        let archive = try bench.roll(["one"])[0]
        let never = Gate()
        let server = try LoopbackServer { _ in .after(never, .reset) }
        defer { never.open() }
        let (path, url) = (bench.path, server.url)
        await #expect(processExitsWith: .exitCode(5)) { [path = path as String, url = url as String] in
            alarm(120)
            let hasBegun = Locked(false)
            let uploader = try LogUploader(of: path, to: UploadRequest(url: url)) { event in
                if case .attempting = event { hasBegun.withLock { $0 = true } }
            }
            while !hasBegun.withLock({ $0 }) { usleep(2000) }
            uploader.shutdown(by: .milliseconds(200))
            exit(5)
        }
        // It may have been given up before its body was out.
        #expect(server.requests.allSatisfy { $0.header("Logbook-Parcel") == archive.id })
        #expect(bench.archives.count == 1)
    }

    @Test("U19: three processes over one folder send each file once")
    func leases() async throws {
        let archives = try bench.roll((1...60).map { "\($0)" })
        let server = try LoopbackServer { _ in .status(200) }
        let (path, url) = (bench.path, server.url)
        func upload() async {
            await #expect(processExitsWith: .success) { [path = path as String, url = url as String] in
                alarm(120)
                let uploader = try LogUploader(of: path, to: UploadRequest(url: url), concurrency: 3)
                // What another process has in hand is not this one's to wait for.
                try uploader.deliver(by: .seconds(100))
                uploader.shutdown(by: .seconds(10))
            }
        }
        async let first: Void = upload()
        async let second: Void = upload()
        async let third: Void = upload()
        _ = await (first, second, third)
        #expect(server.requests.compactMap { $0.header("Logbook-Parcel") }.sorted() == archives.map(\.id))
        #expect(server.requests.map { String(decoding: $0.body, as: UTF8.self) }.sorted() == (1...60).map { "\($0)\n" }.sorted())
        #expect(bench.archives == [])
    }

    @Test("U20: nobody there, no such host, and somebody who speaks no TLS: all is kept, and arrives once there is a server")
    func realTrouble() async throws {
        let archive = try bench.roll(["one"])[0]
        let server = try LoopbackServer { _ in .status(200) }
        let closed = try LoopbackServer { _ in .status(200) }
        closed.stop()
        let uploader = try bench.uploader(to: UploadRequest(url: closed.url), CurlTransport.shared)
        #expect(await bench.wait { $0.contains(where: Self.isTrouble) })
        for url in ["http://host.invalid/", "https://127.0.0.1:\(server.port)/"] {
            let before = troubles
            uploader.update(UploadRequest(url: url))
            await letTimePass { troubles > before }
            #expect(troubles > before, "\(url)")
        }
        #expect(bench.archives.count == 1)
        #expect(!bench.events.contains { if case .setAside = $0 { true } else { false } })
        #expect(server.requests.isEmpty)
        uploader.update(UploadRequest(url: server.url))
        await letTimePass { !bench.delivered.isEmpty }
        #expect(bench.delivered == [archive.id])
        #expect(bench.archives == [])
    }

    private static func isTrouble(_ event: UploadEvent) -> Bool {
        switch event {
        case .willRetry, .refused: true
        default: false
        }
    }
    private var troubles: Int { bench.events.filter(Self.isTrouble).count }
    private func letTimePass(until isDone: @escaping @Sendable () -> Bool) async {
        await onThread { [bench] in
            for _ in 1...6000 where !isDone() {
                bench.clock.advance(by: .seconds(300))
                usleep(10_000)
            }
        }
    }
}
