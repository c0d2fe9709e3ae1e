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

@Suite struct LogUploaderTests {
    let bench = UploadBench()

    func deliver(_ uploader: LogUploader) async throws {
        try await onThread { try uploader.deliver(by: .seconds(60)) }
    }

    /// Again and again: what the uploader waits for is not its own, and nobody tells it.
    func wake(_ uploader: LogUploader, while isWaiting: @escaping @Sendable () -> Bool) async {
        await onThread {
            _ = becomesTrue {
                if !isWaiting() { return true }
                uploader.wake()
                return false
            }
        }
    }

    @Test("U1: a roll is a request: the body to the byte, id, length and digest, no local path; then the file is gone")
    func uploadOnRoll() async throws {
        let server = try LoopbackServer { _ in .status(200) }
        let uploader = try bench.uploader(
            to: UploadRequest(
                url: server.url + "/files/{id}", method: .put, headers: [HTTPHeader("Authorization", "Bearer t")]),
            CurlTransport.shared)
        let provider = try bench.file(onArchive: uploader.onArchive)
        let lines = (1...50_000).map { "line \($0) of the log" }
        try provider.write(lines.map { event($0) })
        let archive = try #require(try provider.roll())
        #expect(await bench.waitForDelivered(1))
        let request = try #require(server.requests.first)
        let body = (lines.joined(separator: "\n") + "\n")
        #expect(request.body == Array(body.utf8))
        #expect(request.method == "PUT")
        #expect(request.target == "/files/\(archive.id)")
        #expect(request.header("Logbook-Parcel") == archive.id)
        #expect(request.header("Content-Length") == "\(body.utf8.count)")
        #expect(request.header("Authorization") == "Bearer t")
        #expect(request.header("Logbook-SHA256") == sha256(body))
        for header in request.headers { #expect(!header.value.contains(bench.path) && !header.value.contains("app-0")) }
        #expect(bench.archives == [])
        #expect(bench.events == [.attempting(id: archive.id), .delivered(id: archive.id)])
        #expect(server.requests.count == 1)
    }

    private func sha256(_ text: String) -> String {
        let path = bench.path + "/hashed"
        let file = fopen(path, "we")!
        fputs(text, file)
        fclose(file)
        return String(output(of: "sha256sum '\(path)'").prefix(64))
    }

    @Test("U1: on NFS, where only what was opened for writing can be locked alone, files are sent as well")
    func network() async throws {
        let archives = try bench.roll(["one", "two"])
        let files = FaultyFileSystem()
        files.lockAsNetworkDoes()
        let transport = ScriptedTransport(.status(200))
        let uploader = try bench.uploader(transport, files: files)
        #expect(await bench.waitForDelivered(2))
        #expect(bench.delivered == archives.map(\.id))
        #expect(bench.archives == [])
        withExtendedLifetime(uploader) {}
    }

    @Test("U1: the digest is that of the file, whatever its length")
    func digests() async throws {
        let texts = ([1, 54, 55, 56, 62, 63, 64, 118, 119, 120, 127, 128, 1000, 300_000] as [Int]).map { String(repeating: "x", count: $0 - 1) }
        try bench.roll(texts)
        let transport = ScriptedTransport(.status(200))
        let uploader = try bench.uploader(transport)
        #expect(await bench.waitForDelivered(texts.count))
        #expect(transport.requests.map { $0.header("Logbook-SHA256") ?? "" } == texts.map { sha256($0 + "\n") })
        withExtendedLifetime(uploader) {}
    }

    @Test("U1: a piece of a file carries the digest of its own bytes")
    func digestsOfPieces() async throws {
        try bench.roll([(1...500).map { "line \($0)" }.joined(separator: "\n")])
        let transport = ScriptedTransport(.status(200))
        let uploader = try bench.uploader(to: UploadRequest(url: "http://127.0.0.1/", maximumBytes: 1024), transport)
        #expect(await bench.waitForDelivered(1))
        #expect(transport.requests.count > 3)
        #expect(transport.requests.map { $0.header("Logbook-SHA256") ?? "" } == transport.requests.map { sha256($0.text) })
        withExtendedLifetime(uploader) {}
    }

    @Test("an uploader may be there before its log: the folder is made, for this user alone")
    func folderIsMade() async throws {
        let server = try LoopbackServer { _ in .status(200) }
        let folder = bench.path + "/logs/checkout"
        defer { _ = output(of: "rm -r '\(bench.path)/logs'") }
        let uploader = try LogUploader(of: folder, to: UploadRequest(url: server.url))
        #expect(output(of: "stat -c %a '\(folder)'") == "700\n")
        let provider = try FileLogProvider(
            in: folder, format: MessageFormat(), rolling: RollingPolicy(awaitsDelivery: true), onArchive: uploader.onArchive)
        provider.log(event("first"))
        try provider.roll()
        try await deliver(uploader)
        #expect(server.requests.map(\.body) == [Array("first\n".utf8)])
    }

    @Test("U2: a file that was too old at the start and one that rolled later are told in the same way, once each")
    func sameEvents() throws {
        let told = Locked<[RollReason]>([])
        let first = try bench.file()
        first.log(event("old", at: bench.clock.now))
        try first.shutdown(by: .seconds(30))
        let next = try bench.file(RollingPolicy(startsNewFile: true, awaitsDelivery: true)) { event in
            if case .archived(_, let reason) = event { told.withLock { $0.append(reason) } }
        }
        next.log(event("new", at: bench.clock.now))
        try next.roll()
        #expect(told.withLock { $0 } == [.start, .asked])
    }

    @Test("U3: two rolls a millisecond apart, five hundred times, arrive once each")
    func manyRolls() async throws {
        let transport = ScriptedTransport(.status(200))
        let uploader = try bench.uploader(transport, concurrency: 2)
        let provider = try bench.file(onArchive: uploader.onArchive)
        var ids: [String] = []
        for number in 1...1000 {
            provider.log(event("\(number)"))
            ids.append(try #require(try provider.roll()).id)
            bench.clock.advance(by: .milliseconds(number % 2 == 1 ? 1 : 1000))
        }
        #expect(await bench.waitForDelivered(1000))
        #expect(transport.requests.map(\.parcel).sorted() == ids)
        #expect(bench.archives == [])
    }

    @Test("U3: the folder is not looked through for each of its files", arguments: [1, 2])
    func looksSeldom(concurrency: Int) async throws {
        let archives = try bench.roll((1...200).map { "\($0)" })
        let files = FaultyFileSystem(), transport = ScriptedTransport(.status(200))
        let uploader = try bench.uploader(transport, concurrency: concurrency, files: files)
        #expect(await bench.waitForDelivered(200))
        try await deliver(uploader)
        #expect(transport.requests.map(\.parcel).sorted() == archives.map(\.id))
        #expect(files.calls.count { $0 == "names" } < 40)
        #expect(bench.archives == [])
    }

    @Test("U4: what is compressed meanwhile goes in its turn, what is deleted not at all, and what others have delivered not again")
    func changedSinceItWasFound() async throws {
        let archives = try bench.roll((1...5).map { "\($0)" })
        let transport = ScriptedTransport { number, _ in number == 1 ? .hold : .status(200) }
        let uploader = try bench.uploader(transport)
        #expect(await onThread { transport.waitForRequests(1) })
        output(of: "gzip '\(archives[1].path)'; rm '\(archives[2].path)'")
        let files = FaultyFileSystem(failing: 1, with: .failure(EACCES), only: ["remove"])
        let shelf = try ArchiveShelf(of: "app", in: bench.path, files: files)
        let claim = try #require(try shelf.claim(archives[3]))
        #expect(try shelf.settle(claim) == false)
        claim.release()
        transport.release(with: HTTPResponse(status: 200))
        #expect(await bench.waitForDelivered(3))
        try await deliver(uploader)
        #expect(transport.requests.map(\.text) == ["1\n", "2\n", "5\n"])
        #expect(bench.archives == [])
    }

    @Test("U4: never more than two on their way, and the oldest start first")
    func concurrency() async throws {
        let archives = try bench.roll((1...20).map { "\($0)" })
        let transport = ScriptedTransport(.hold)
        let uploader = try bench.uploader(transport, concurrency: 2)
        for pair in 1...10 {
            #expect(await onThread { transport.waitForRequests(2 * pair) })
            usleep(20_000)  // a third would come now
            #expect(transport.requests.count == 2 * pair)
            #expect(Set(transport.requests.suffix(2).map(\.parcel)) == Set(archives[(2 * pair - 2)..<(2 * pair)].map(\.id)))
            transport.release(with: HTTPResponse(status: 200))
        }
        #expect(await bench.waitForDelivered(20))
        withExtendedLifetime(uploader) {}
    }

    @Test("U8: what a run has left is uploaded at the next start, without anything new")
    func launchScan() async throws {
        let archives = try bench.roll(["one", "two"])
        let transport = ScriptedTransport(.status(200))
        let uploader = try bench.uploader(transport)
        #expect(await bench.waitForDelivered(2))
        #expect(transport.requests.map(\.text) == ["one\n", "two\n"])
        #expect(bench.delivered == archives.map(\.id))
        #expect(uploader.waitingCount == 0)
    }

    @Test("U9: killed while the body is on its way: the receiver has nothing, and the next start sends all of it under the same id")
    func killedWhileSending() async throws {
        let archive = try bench.roll([String(repeating: "all of it ", count: 2_000_000)])[0]
        let server = try LoopbackServer(atHead: { request in
            // The victim tells who it is, and has more to send than any buffer on the way holds.
            if let victim = request.header("Victim").flatMap({ pid_t($0) }) { kill(victim, SIGKILL) }
            return nil
        }) { _ in .status(200) }
        let (path, url) = (bench.path, server.url)
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, url = url as String] in
            alarm(60)
            let uploader = try LogUploader(
                of: path, to: UploadRequest(url: url, headers: [HTTPHeader("Victim", "\(getpid())")]))
            try uploader.deliver(by: .seconds(60))
        }
        #expect(server.requests.isEmpty)
        #expect(bench.archives.count == 1)
        let uploader = try bench.uploader(to: UploadRequest(url: url), CurlTransport.shared)
        #expect(await bench.waitForDelivered(1))
        #expect(server.requests.map { $0.header("Logbook-Parcel") } == [archive.id])
        #expect(server.requests.first?.body.count == archive.bytes)
        #expect(bench.archives == [])
        withExtendedLifetime(uploader) {}
    }

    @Test(
        "U10: killed between the answer and the deletion: once it is written down, nothing is sent again; before, once more",
        arguments: ["append", "remove"])
    func killedAfterAnswer(call: String) async throws {
        let archive = try bench.roll(["one"])[0]
        let path = bench.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, call = call as String] in
            alarm(60)
            let uploader = try LogUploader(
                of: path, name: "app", to: UploadRequest(url: "http://127.0.0.1/"), conditions: .none, concurrency: 1,
                policy: DeliveryPolicy(), transport: ScriptedTransport(.status(200)),
                files: FaultyFileSystem(failing: 1, with: .kill, only: [call]), clock: .system, randomness: .system, onEvent: nil)
            try uploader.deliver(by: .seconds(60))
        }
        #expect(bench.archives.count == 1)
        let transport = ScriptedTransport(.status(200))
        let uploader = try bench.uploader(transport)
        if call == "append" { #expect(await bench.waitForDelivered(1)) }
        try await deliver(uploader)
        #expect(transport.requests.map(\.parcel) == (call == "append" ? [archive.id] : []))
        #expect(uploader.waitingCount == 0)
        #expect(bench.archives == [])
    }

    @Test("U11: a shutdown waits for what is on its way, and no courier starts another file meanwhile")
    func aShutdownStartsNothing() async throws {
        let archives = try bench.roll((1...5).map { "\($0)" })
        let transport = ScriptedTransport { number, _ in number <= 2 ? .hold : .status(200) }
        let uploader = try bench.uploader(transport, concurrency: 2)
        #expect(await onThread { transport.waitForRequests(2) })
        async let end: Void = onThread { uploader.shutdown(by: .seconds(60)) }
        let areTold = await onThread {
            becomesTrue(by: .seconds(20)) { uploader.couriers.allSatisfy { $0.status.state == .stopped } }
        }
        #expect(areTold)
        for number in [2, 1] {
            transport.release(number, with: .success(HTTPResponse(status: 200)))
            #expect(await bench.waitForDelivered(3 - number))
        }
        await end
        #expect(transport.requests.count == 2)
        #expect(Set(bench.delivered) == Set(archives.prefix(2).map(\.id)))
        #expect(bench.archives.count == 3)
    }

    @Test("U14: a file that another process still writes to waits, and goes with what was added")
    func heldByWriter() async throws {
        let provider = try bench.file()
        provider.log(event("one"))
        let files = SystemFileSystem()
        let folder = try files.openFolder(at: bench.path)
        let late = try files.openForAppending("app.log", in: folder, permissions: 0o600)
        #expect(try files.tryLockShared(late))
        try provider.roll()
        let transport = ScriptedTransport(.status(200))
        let uploader = try bench.uploader(transport)
        try await deliver(uploader)
        #expect(transport.requests.isEmpty)
        let line = Array("late\n".utf8)
        _ = try line.withUnsafeBytes { try files.append($0, to: late) }
        files.close(late)
        files.close(folder)
        // A child that another test has just forked holds the file, and with it the lock, until it runs its own program.
        await wake(uploader) { transport.requests.isEmpty }
        #expect(await bench.waitForDelivered(1))
        #expect(transport.requests.map(\.text) == ["one\nlate\n"])
    }

    @Test("U14: a program that says nothing more lets go of a file that another one has rolled", arguments: [true, false])
    func heldByIdleWriter(hasWritten: Bool) async throws {
        let idle = try bench.file()
        if hasWritten { idle.log(event("one")) }
        await #expect(processExitsWith: .success) { [path = bench.path as String] in
            let other = try FileLogProvider(in: path, format: MessageFormat(), rolling: RollingPolicy(awaitsDelivery: true))
            other.log(event("two"))
            try other.roll()
        }
        let shelf = try ArchiveShelf(of: "app", in: bench.path, files: SystemFileSystem())
        let archive = try #require(try shelf.waiting().archives.first)
        #expect(try shelf.claim(archive)?.release() == nil)
        bench.clock.advance(by: .seconds(1))
        // A child that another test has just forked holds the lock as well, until it runs its own program.
        #expect(becomesTrue { (try? shelf.claim(archive))??.release() != nil })
        withExtendedLifetime(idle) {}
    }

    @Test("U1: a log keeps its uploader")
    func uploaderOfAFunction() async throws {
        let transport = ScriptedTransport(.status(200))
        func makeLog() throws -> FileLogProvider { try bench.file(onArchive: bench.uploader(transport).onArchive) }
        let log = try makeLog()
        log.log(event("one"))
        try log.roll()
        #expect(await bench.waitForDelivered(1))
    }

    @Test("U19: two uploaders over one folder send each file once; a dead one's file is taken over")
    func leases() async throws {
        let archives = try bench.roll((1...30).map { "\($0)" })
        let path = bench.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            alarm(60)
            let transport = ScriptedTransport(.hold)
            let uploader = try LogUploader(of: path, to: UploadRequest(url: "http://127.0.0.1/"), transport: transport)
            _ = transport.waitForRequests(2)
            kill(getpid(), SIGKILL)
            withExtendedLifetime(uploader) {}
        }
        let transport = ScriptedTransport(.status(200))
        let first = try bench.uploader(transport, concurrency: 2)
        let second = try bench.uploader(transport, concurrency: 2)
        #expect(await bench.waitForDelivered(30))
        #expect(transport.requests.map(\.parcel).sorted() == archives.map(\.id))
        withExtendedLifetime((first, second)) {}
    }

    @Test("C5: a compressed file goes inflated, or as it is to a receiver that takes gzip", arguments: [false, true])
    func compressed(takesGzip: Bool) async throws {
        let text = String(repeating: "all work and no play ", count: 50_000)
        try bench.roll([text], compressed: true)
        #expect(bench.archives.first?.hasSuffix(".gz") == true)
        let server = try LoopbackServer { _ in .status(200) }
        let uploader = try bench.uploader(
            to: UploadRequest(url: server.url, takesGzip: takesGzip), CurlTransport.shared)
        #expect(await bench.waitForDelivered(1))
        let request = try #require(server.requests.first)
        #expect(request.header("Content-Encoding") == (takesGzip ? "gzip" : nil))
        if takesGzip {
            #expect(request.body.prefix(2) == [0x1F, 0x8B])
        } else {
            #expect(String(decoding: request.body, as: UTF8.self) == text + "\n")
        }
        #expect(bench.archives == [])
        withExtendedLifetime(uploader) {}
    }

    @Test func theLastSayOverARequestIsTheHooks() async throws {
        let archive = try bench.roll(["one"])[0]
        let transport = ScriptedTransport(.status(200))
        let uploader = try bench.uploader(
            to: UploadRequest(url: "http://127.0.0.1/") { request, id in
                request.url += "?file=\(id)"
                request.body = []
            }, transport)
        #expect(await bench.waitForDelivered(1))
        #expect(transport.requests.first?.url == "http://127.0.0.1/?file=\(archive.id)")
        #expect(transport.requests.first?.text == "one\n")
        withExtendedLifetime(uploader) {}
    }
}
