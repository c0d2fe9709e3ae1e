import LogbookCompression
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

// Receivers that refuse or are not there, disks that are full, and files that cannot be sent.
extension LogUploaderTests {
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

    @Test("U11: what an uploader that was shut down had in hand is another's to send, at once and in the same program")
    func takenOverAfterShutdown() async throws {
        let archive = try bench.roll(["one"])[0]
        let held = ScriptedTransport(.hold), first = try bench.uploader(held)
        #expect(await onThread { held.waitForRequests(1) })
        await onThread { first.shutdown(by: .milliseconds(50)) }
        let second = try bench.uploader(ScriptedTransport(.status(200)))
        try await deliver(second)
        #expect(bench.delivered == [archive.id])
        #expect(bench.archives == [])
        withExtendedLifetime(first) {}
    }

    @Test(
        "U11: a file that is being read while its uploader is shut down is another's to send as well",
        arguments: [nil, 1024] as [Int?])
    func readDuringShutdown(maximumBytes: Int?) async throws {
        let archive = try bench.roll(["one"])[0]
        let files = FaultyFileSystem(), gate = Gate()
        let shelf = try ArchiveShelf(of: "app", in: bench.path, files: files)
        #expect(try shelf.waiting().archives.map(\.id) == [archive.id])
        files.hold("read", at: gate)   // the manifest has been read: what is read from now on is the archive
        let clock = LogClock.manual(bench.clock)
        let source = ArchiveParcels(
            shelf, request: CurrentRequest(UploadRequest(url: "http://127.0.0.1/", maximumBytes: maximumBytes)),
            gate: UploadGate(.none, clock: clock), unreadable: UnreadableFiles(clock: clock, onEvent: { _ in }), onEvent: { _ in })
        let parcel = Task { try await onThread { try source.nextParcel() } }
        #expect(await onThread { gate.waitForArrivals(1) })
        source.close()
        gate.open()
        let id = try await parcel.value?.id
        #expect(id == nil)
        let other = try ArchiveShelf(of: "app", in: bench.path, files: SystemFileSystem())
        let found = try #require(try other.waiting().archives.first)
        try #require(try other.claim(found)).release()
        withExtendedLifetime(source) {}
    }

    @Test("U14: who delivers waits for what this program compresses at the moment")
    func compressedMeanwhile() async throws {
        let files = FaultyFileSystem(), gate = Gate()
        files.hold("openNew", at: gate)
        let provider = try FileLogProvider(
            in: bench.path, format: MessageFormat(), rolling: RollingPolicy(awaitsDelivery: true, compression: .gzip), files: files,
            clock: .manual(bench.clock))
        provider.log(event("one"))
        try provider.roll()
        #expect(await onThread { gate.waitForArrivals(1) })
        let transport = ScriptedTransport(.status(200)), uploader = try bench.uploader(transport)
        for patience in [Duration.zero, .milliseconds(100)] {   // also where the courier has not even looked
            await #expect(throws: CourierError.deadlinePassed(pending: 1, reason: "a file is still being compressed")) {
                try await onThread { try uploader.deliver(by: .after(patience)) }
            }
        }
        gate.open()
        try await deliver(uploader)
        #expect(transport.requests.map(\.text) == ["one\n"])
        #expect(bench.archives == [])
        try provider.shutdown(by: .seconds(30))
    }

    @Test("who waits for a delivery is told how many files are left, also where they go in pieces")
    func filesAreCountedAndNotTheirPieces() async throws {
        try bench.roll(["one", "two"])
        let transport = ScriptedTransport(.fail(.unreachable("nobody there")))
        let uploader = try bench.uploader(to: UploadRequest(url: "http://127.0.0.1/", maximumBytes: 4096), transport)
        await #expect {
            try await onThread { try uploader.deliver(by: .after(.milliseconds(100))) }
        } throws: { error in
            if case CourierError.deadlinePassed(let pending, _) = error { pending == 2 } else { false }
        }
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

    @Test("U16: a file that is cut while it is sent in pieces is set aside and stays, and the next one goes")
    func cutBetweenPieces() async throws {
        let lines = (1...40_000).map { "line \($0) of the log" }
        let archives = try bench.roll([lines.joined(separator: "\n"), "good"])
        let path = archives[0].path
        try #require(archives[0].bytes > 700_000)
        let transport = ScriptedTransport { number, _ in
            if number == 1 { truncate(path, 400_000) }   // behind what has been read by then
            return .status(200)
        }
        let uploader = try bench.uploader(to: UploadRequest(url: "http://127.0.0.1/", maximumBytes: 50_000), transport)
        #expect(await bench.waitForDelivered(1))
        #expect(bench.delivered == [archives[1].id])
        let reasons = bench.events.compactMap { if case .setAside(archives[0].id, let reason) = $0 { reason } else { nil } }
        #expect(reasons == ["the file is shorter than it was when it was closed"])
        #expect(bench.archives == [String(path.split(separator: "/").last!)])
        #expect(transport.requests.last?.text == "good\n")
        withExtendedLifetime(uploader) {}
    }

    @Test("U17: a file that is to go in pieces and has no more lines is not held in memory, and set aside; what stands before goes, and the next one")
    func withoutLines() async throws {
        let provider = try bench.file()
        provider.log(event("begins"))
        truncate(provider.path, 40 << 20)   // more than a line may have
        let archive = try #require(try provider.roll())
        provider.log(event("good"))
        try provider.roll()
        try provider.shutdown(by: .seconds(60))
        let transport = ScriptedTransport(.status(200))
        let uploader = try bench.uploader(to: UploadRequest(url: "http://127.0.0.1/", maximumBytes: 50_000), transport)
        #expect(await bench.waitForDelivered(1))
        let reasons = bench.events.compactMap { if case .setAside(archive.id, let reason) = $0 { reason } else { nil } }
        #expect(reasons == ["a line of it is longer than any event's, so that it cannot go in pieces"])
        #expect(transport.requests.map(\.text) == ["begins\n", "good\n"])
        withExtendedLifetime(uploader) {}
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

    @Test("U16: archives whose manifest is gone are named, and neither sent nor deleted")
    func lostManifest() async throws {
        try bench.roll(["one", "two"])
        let archives = bench.archives, transport = ScriptedTransport(.status(200))
        output(of: "cd '\(bench.path)' && mv .app.manifest kept")
        let uploader = try bench.uploader(transport)
        try await deliver(uploader)
        #expect(transport.requests.isEmpty)
        #expect(bench.archives == archives)
        #expect(uploader.unlistedFiles == archives.sorted())
        output(of: "cd '\(bench.path)' && mv kept .app.manifest")
        #expect(uploader.unlistedFiles == [])
        try await deliver(uploader)
        #expect(transport.requests.map(\.text) == ["one\n", "two\n"])
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
}
