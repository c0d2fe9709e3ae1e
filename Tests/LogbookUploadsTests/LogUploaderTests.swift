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
    private let bench = UploadBench()

    private func deliver(_ uploader: LogUploader) async throws {
        try await onThread { try uploader.deliver(by: .seconds(60)) }
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

    @Test("U5: failures of the server are tried again after growing pauses, and a Retry-After is kept")
    func retries() async throws {
        let archives = try bench.roll(["one"])
        let transport = ScriptedTransport { number, _ in
            switch number {
            case 1...3: .status(500)
            case 4: .status(429, headers: [HTTPHeader("Retry-After", "7")])
            default: .status(200)
            }
        }
        let uploader = try bench.uploader(transport)
        for attempt in 1...4 {
            #expect(await bench.waitForRetries(attempt))
            #expect(bench.archives.count == 1)
            if attempt == 4 {
                bench.clock.advance(by: .milliseconds(6999))
                #expect(transport.requests.count == 4)
            }
            bench.clock.advance(by: .seconds(attempt == 4 ? 1 : 300))
        }
        #expect(await bench.waitForDelivered(1))
        #expect(Set(transport.requests.map(\.parcel)) == [archives[0].id])
        let pauses = bench.events.compactMap { if case .willRetry(_, let after, _, _) = $0 { after } else { nil } }
        #expect(pauses.last == .seconds(7))
        #expect(pauses[0] >= .seconds(1) && pauses[2] <= .seconds(8))
        #expect(bench.archives == [])
        withExtendedLifetime(uploader) {}
    }

    @Test("U5: a Retry-After that one file was answered with is kept by all")
    func sharedRetryAfter() async throws {
        try bench.roll(["one", "two", "three"])
        let clock = bench.clock
        let start = clock.now
        let times = Locked<[LogTime]>([])
        let transport = ScriptedTransport { number, _ in
            times.withLock { $0.append(clock.now) }
            return number <= 2 ? .hold : .status(200)
        }
        let uploader = try bench.uploader(transport, concurrency: 2)
        #expect(await onThread { transport.waitForRequests(2) })
        transport.release(1, with: .success(HTTPResponse(status: 429, headers: [HTTPHeader("Retry-After", "7")])))
        #expect(await bench.waitForRetries(1))
        #expect(uploader.couriers.map(\.status.state) == [.waiting, .waiting])
        transport.release(2, with: .success(HTTPResponse(status: 200)))
        #expect(await bench.waitForDelivered(1))
        bench.clock.advance(by: .seconds(7))
        #expect(await bench.waitForDelivered(3))
        #expect(times.withLock { $0 } == [start, start] + Array(repeating: start.adding(.seconds(7)), count: 2))
        #expect(bench.archives == [])
    }

    @Test("U6: an answer that refuses us keeps the file, is told once, and ends with an update", arguments: [401, 403, 404, 400])
    func refusals(status: Int) async throws {
        let archives = try bench.roll(["one"])
        let transport = ScriptedTransport { _, request in request.header("X") == "new" ? .status(200) : .status(status) }
        let uploader = try bench.uploader(transport)
        #expect(
            await bench.wait { events in
                events.contains { event in
                    switch event {
                    case .refused(archives[0].id, _, status): true
                    case .setAside(archives[0].id, _): status == 400
                    default: false
                    }
                }
            })
        for _ in 1...5 { uploader.wake() }
        #expect(bench.archives.count == 1)
        #expect(transport.requests.count == 1)
        uploader.update(UploadRequest(url: "http://127.0.0.1/", headers: [HTTPHeader("X", "new")]))
        #expect(await bench.waitForDelivered(1))
        #expect(bench.archives == [])
    }

    @Test("U6: what was set aside stays set aside for other couriers and after a restart, until somebody asks", arguments: [1, 2])
    func setAsideForGood(concurrency: Int) async throws {
        let archives = try bench.roll(["one", "bad", "three"])
        let refusing = ScriptedTransport { _, request in request.text == "bad\n" ? .status(400) : .status(200) }
        let first = try bench.uploader(refusing, concurrency: concurrency)
        #expect(await bench.waitForDelivered(2))
        #expect(await bench.wait { $0.contains { if case .setAside(archives[1].id, _) = $0 { true } else { false } } })
        try await deliver(first)
        #expect(refusing.requests.filter { $0.parcel == archives[1].id }.count == 1)
        first.shutdown(by: .seconds(30))

        // Rolls and deletions write the manifest anew in between.
        let file = try bench.file()
        for number in 1...80 {
            file.log(event("\(number)"))
            try file.roll()
        }
        try file.shutdown(by: .seconds(30))
        let taking = ScriptedTransport(.status(200))
        let second = try bench.uploader(taking, concurrency: concurrency)
        #expect(await bench.waitForDelivered(82))
        try await deliver(second)
        #expect(!taking.requests.contains { $0.parcel == archives[1].id })
        #expect(second.waitingCount == 1)
        second.retrySetAside()
        #expect(await bench.waitForDelivered(83))
        #expect(bench.archives == [])
    }

    @Test("U6: what somebody has set aside since it was found is not taken")
    func setAsideMeanwhile() throws {
        _ = try bench.roll(["bad"])
        let shelf = try ArchiveShelf(of: "app", in: bench.path, files: SystemFileSystem())
        let found = try #require(try shelf.waiting().archives.first)
        let claim = try #require(try shelf.claim(found))
        try shelf.setAside(claim)
        claim.release()
        #expect(try shelf.claim(found)?.release() == nil)
        try shelf.forgive()
        try #require(try shelf.claim(found)).release()
    }

    @Test("U6: the torn note of one archive does not call another delivered, which was set aside and still waits")
    func tornNote() async throws {
        let archives = try bench.roll((1...12).map { "\($0)" })
        let shelf = try ArchiveShelf(of: "app", in: bench.path, files: SystemFileSystem())
        let found = try #require(try shelf.waiting().archives.first)
        let claim = try #require(try shelf.claim(found))
        try shelf.setAside(claim)
        claim.release()
        output(of: "printf 'delivered 1' >> '\(bench.path)/.app.manifest'")  // of 12, say
        let transport = ScriptedTransport(.status(200))
        let uploader = try bench.uploader(transport)
        #expect(await bench.waitForDelivered(11))
        try await deliver(uploader)
        #expect(bench.archives == [String(archives[0].path.split(separator: "/").last!)])
        #expect(uploader.waitingCount == 1)
        uploader.retrySetAside()
        #expect(await bench.waitForDelivered(12))
        #expect(transport.requests.last?.text == "1\n")
        #expect(bench.archives == [])
        withExtendedLifetime(uploader) {}
    }

    @Test("U6: what cannot be noted is set aside for this run")
    func setAsideWithoutNote() async throws {
        let archives = try bench.roll(["bad"])
        let files = FaultyFileSystem()
        files.fail(ENOSPC)
        let transport = ScriptedTransport(.status(400))
        let uploader = try bench.uploader(transport, files: files)
        #expect(await bench.wait { $0.contains { if case .setAside(archives[0].id, _) = $0 { true } else { false } } })
        for _ in 1...3 { try await deliver(uploader) }
        #expect(transport.requests.count == 1)
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

    @Test("U11: no answer at all: the file stays, is sent again under its id, and a shutdown keeps its deadline")
    func silence() async throws {
        let archive = try bench.roll(["one"])[0]
        let transport = ScriptedTransport { number, _ in number == 1 ? .fail(.timedOut("silence")) : .hold }
        let uploader = try bench.uploader(transport)
        #expect(await bench.waitForRetries(1))
        bench.clock.advance(by: .seconds(300))
        #expect(await onThread { transport.waitForRequests(2) })
        #expect(transport.requests.map(\.parcel) == [archive.id, archive.id])
        await onThread { uploader.shutdown(by: .milliseconds(50)) }
        #expect(bench.archives.count == 1)
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

    @Test("U12: a day without a network costs few attempts and bounded room; then all that was kept arrives")
    func offline() async throws {
        let isOnline = Locked(false)
        let transport = ScriptedTransport { _, _ in
            isOnline.withLock { $0 } ? .status(200) : .fail(.unreachable("no network"))
        }
        let uploader = try bench.uploader(transport)
        let provider = try bench.file(
            RollingPolicy(awaitsDelivery: true, maximumUndeliveredBytes: 30 * 100), onArchive: uploader.onArchive)
        for number in 1...50 {
            provider.log(event("\(number) " + String(repeating: "x", count: 99 - "\(number) ".count), at: bench.clock.now))
            try provider.roll()
            let attempts = bench.events.filter { if case .willRetry = $0 { true } else { false } }.count
            bench.clock.advance(by: .seconds(1728))
            if number < 5 { #expect(await bench.waitForRetries(attempts + 1)) }
        }
        // One that is on its way is kept beyond the limit.
        #expect((30...31).contains(bench.archives.count))
        #expect(transport.requests.count <= 24 * 3600 / 150 + 10)
        let dropped = bench.events.filter { if case .droppedByRetention(_, 1) = $0 { true } else { false } }.count
        #expect(dropped == 50 - bench.archives.count)
        isOnline.withLock { $0 = true }
        let kept = bench.archives.count
        // Whenever a pause begins, the clock ends it: the last one may not have begun yet.
        await onThread { [bench] in
            for _ in 1...3000 where !bench.archives.isEmpty {
                bench.clock.advance(by: .seconds(300))
                usleep(10_000)
            }
        }
        #expect(await bench.waitForDelivered(kept))
        #expect(bench.archives == [])
    }

    /// Again and again: what the uploader waits for is not its own, and nobody tells it.
    private func wake(_ uploader: LogUploader, while isWaiting: @escaping @Sendable () -> Bool) async {
        await onThread {
            _ = becomesTrue {
                if !isWaiting() { return true }
                uploader.wake()
                return false
            }
        }
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

    @Test("U15: a file that cannot be deleted is not sent again, is told once, and is deleted later")
    func undeletable() async throws {
        let archive = try bench.roll(["one"])[0]
        let files = FaultyFileSystem(failing: 1, with: .failure(EACCES), only: ["remove"])
        let transport = ScriptedTransport(.status(200))
        let uploader = try bench.uploader(transport, files: files)
        #expect(await bench.wait { $0.contains(.cannotDelete(id: archive.id)) })
        #expect(await bench.waitForDelivered(1))
        for _ in 1...3 {
            bench.clock.advance(by: .seconds(60))
            try await deliver(uploader)
        }
        await wake(uploader) { [bench] in !bench.archives.isEmpty }
        #expect(bench.archives == [])
        #expect(transport.requests.count == 1)
        #expect(bench.events.filter { $0 == .cannotDelete(id: archive.id) }.count == 1)
    }

    @Test("U15: on a full disk, where nothing can be noted, what has arrived is deleted all the same, and the next file goes")
    func fullDisk() async throws {
        let archives = try bench.roll(["one", "two"])
        let files = FaultyFileSystem(failing: 1, with: .failure(ENOSPC), lasts: true, only: ["append"])
        let transport = ScriptedTransport(.status(200))
        let uploader = try bench.uploader(transport, files: files)
        #expect(await bench.waitForDelivered(2))
        #expect(bench.delivered == archives.map(\.id))
        #expect(bench.archives == [])
        #expect(transport.requests.count == 2)
        #expect(files.faults == 2)
        withExtendedLifetime(uploader) {}
    }

    @Test("U15: what can be neither noted nor deleted counts as not delivered")
    func neitherNotedNorDeleted() throws {
        try bench.roll(["one"])
        let files = FaultyFileSystem(failing: 1, with: .failure(ENOSPC), lasts: true, only: ["append", "remove"])
        let shelf = try ArchiveShelf(of: "app", in: bench.path, files: files)
        let found = try #require(try shelf.waiting().archives.first)
        let claim = try #require(try shelf.claim(found))
        #expect(throws: SystemError(ENOSPC, in: "append")) { _ = try shelf.settle(claim) }
        claim.release()
        #expect(try shelf.waiting().archives == [found])
    }

    @Test("U16: a file that was cut or removed before it was sent makes no request")
    func cutShort() async throws {
        let archives = try bench.roll(["one", "two", "three"])
        truncate(archives[0].path, 0)
        truncate(archives[1].path, 2)
        unlink(archives[2].path)
        let transport = ScriptedTransport(.status(200))
        let uploader = try bench.uploader(transport)
        #expect(await bench.wait { $0.filter { if case .setAside = $0 { true } else { false } }.count == 2 })
        try await deliver(uploader)
        #expect(transport.requests.isEmpty)
        #expect(bench.archives.count == 2)
    }

    @Test("U16: a log whose manifest cannot be read is not a log that has been delivered")
    func unreadableManifest() async throws {
        try bench.roll(["one"])
        let manifest = bench.path + "/.app.manifest"
        output(of: "cd '\(bench.path)' && mv .app.manifest kept && mkdir .app.manifest")
        let transport = ScriptedTransport(.status(200))
        let uploader = try bench.uploader(transport)
        let failure = FileLogProviderError.cannotRead(path: manifest, errno: EISDIR)
        await #expect(throws: CourierError.sourceUnreadable(reason: failure.description)) { try await deliver(uploader) }
        #expect(transport.requests.isEmpty)
        #expect(bench.archives.count == 1)
        await onThread { uploader.shutdown(by: .seconds(30)) }

        output(of: "cd '\(bench.path)' && rmdir .app.manifest && mv kept .app.manifest")
        try await deliver(bench.uploader(transport))
        #expect(transport.requests.map(\.text) == ["one\n"])
        #expect(bench.archives == [])
    }

    @Test("U18: an uploader that fails for good writes nothing into the log it is sending")
    func noFeedback() async throws {
        let transport = ScriptedTransport(.status(500))
        let uploader = try bench.uploader(transport)
        let provider = try bench.file(onArchive: uploader.onArchive)
        provider.log(event("one"))
        try provider.roll()
        for attempt in 1...20 {
            #expect(await bench.waitForRetries(attempt))
            bench.clock.advance(by: .seconds(300))
        }
        #expect(provider.ledger?.submitted == 1)
        #expect(bench.archives.count == 1)
        #expect(try provider.roll() == nil)
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

    @Test("U20: no name, no connection, no trust: nothing is deleted")
    func noConnection() async throws {
        let archive = try bench.roll(["one"])[0]
        let transport = ScriptedTransport { number, _ in
            switch number {
            case 1: .fail(.unreachable("could not resolve host"))
            case 2: .fail(.unreachable("connection refused"))
            default: .fail(.untrusted("unable to get local issuer certificate"))
            }
        }
        let uploader = try bench.uploader(transport)
        for attempt in 1...2 {
            #expect(await bench.waitForRetries(attempt))
            bench.clock.advance(by: .seconds(300))
        }
        #expect(await bench.wait { $0.contains { if case .refused(archive.id, _, nil) = $0 { true } else { false } } })
        #expect(bench.archives.count == 1)
        withExtendedLifetime(uploader) {}
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

    @Test("a line that is too large alone costs its file and no other's turn")
    func aLineThatIsTooLarge() async throws {
        let small = String(repeating: "small\n", count: 100)
        let archives = try bench.roll([small + String(repeating: "x", count: 300_000) + "\n" + small, "good"])
        let transport = ScriptedTransport { _, request in .status(request.body.count > 150_000 ? 413 : 200) }
        let uploader = try bench.uploader(to: UploadRequest(url: "http://127.0.0.1/", maximumBytes: 1 << 20), transport)
        #expect(await bench.waitForRetries(1))
        bench.clock.advance(by: .seconds(300))
        #expect(await bench.waitForDelivered(1))
        #expect(bench.delivered == [archives[1].id])
        #expect(bench.events.contains { if case .setAside(archives[0].id, _) = $0 { true } else { false } })
        #expect(transport.requests.map(\.text).last == "good\n")
        withExtendedLifetime(uploader) {}
    }

    @Test("a compressed file that is damaged behind its first piece is set aside, and the next one goes")
    func damagedBehindTheFirstPiece() async throws {
        let random = LogRandomness.seeded(5)
        let lines = (1...20_000).map { _ in String(random.next(), radix: 36) }
        let archives = try bench.roll([lines.joined(separator: "\n"), "good"], compressed: true)
        let file = open(bench.path + "/" + bench.archives[0], O_RDWR | O_CLOEXEC)
        try #require(file >= 0)
        let place = lseek(file, 0, SEEK_END) / 10 * 8
        var byte: UInt8 = 0
        let read = pread(file, &byte, 1, place)
        byte ^= 0xFF
        let written = pwrite(file, &byte, 1, place)
        close(file)
        #expect(read == 1 && written == 1)

        let transport = ScriptedTransport(.status(200))
        let uploader = try bench.uploader(to: UploadRequest(url: "http://127.0.0.1/", maximumBytes: 50_000), transport)
        #expect(await bench.waitForDelivered(1))
        #expect(bench.delivered == [archives[1].id])
        let reasons = bench.events.compactMap { if case .setAside(archives[0].id, let reason) = $0 { reason } else { nil } }
        #expect(reasons.count == 1 && reasons[0].hasPrefix("the file cannot be inflated: "))
        #expect(transport.requests.first.map { $0.parcel.hasPrefix(archives[0].id + "@0-") } == true)
        #expect(transport.requests.last?.text == "good\n")
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
