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

@Suite struct UnreadableFilesTests {
    private let bench = UploadBench()
    private let files = FaultyFileSystem()

    private var troubles: [UploadEvent] { bench.events.filter { if case .cannotRead = $0 { true } else { false } } }

    private func name(of path: String) -> String { String(path.split(separator: "/").last ?? "") }

    /// Lets half minutes pass until it is so; the uploader is not told to look.
    private func passTime(until isSo: () -> Bool) {
        _ = becomesTrue(by: .seconds(300)) {
            if isSo() { return true }
            bench.clock.advance(by: .seconds(31))
            return false
        }
    }

    @Test(
        "a file that cannot be opened or read is told once and takes nobody else's turn, and goes when it can be read",
        arguments: [
            ("openForLocking", EACCES), ("openForLocking", EIO), ("openForLocking", EBADMSG), ("read", EIO), ("read", ESTALE),
        ])
    func othersGoOn(_ call: String, _ number: Int32) async throws {
        let archives = try bench.roll(["one", "two", "three"])
        let first = name(of: archives[0].path)
        files.fail(number, in: call, of: first)
        let transport = ScriptedTransport(.status(200))
        let uploader = try bench.uploader(transport, concurrency: 2, files: files)
        #expect(await bench.waitForDelivered(2))
        for _ in 1...5 {
            bench.clock.advance(by: .seconds(60))
            try await onThread { try uploader.deliver(by: .seconds(60)) }
        }
        #expect(Set(transport.requests.map(\.parcel)) == Set(archives.dropFirst().map(\.id)))
        #expect(bench.archives == [first])
        #expect(uploader.waitingCount == 1)
        #expect(troubles == [.cannotRead(id: archives[0].id, reason: "\(SystemError(number, in: call))")])

        files.fail(nil, in: call, of: first)
        passTime { bench.delivered.count == 3 }
        #expect(bench.delivered.last == archives[0].id)
        #expect(transport.requests.last?.text == "one\n")
        #expect(bench.archives == [])
        withExtendedLifetime(uploader) {}
    }

    @Test("a disk that fails behind the first piece of a file holds up no others, and the file goes on when it can be read", arguments: [1, 2])
    func behindTheFirstPiece(concurrency: Int) async throws {
        let text = (1...400_000).map { "line \($0)\n" }.joined()
        let archives = try bench.roll([String(text.dropLast()), "two", "three"])
        let first = name(of: archives[0].path), files = files
        let isFirst = Locked(true)
        let transport = ScriptedTransport { _, request in
            let fails = request.parcel.hasPrefix(archives[0].id) && isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if fails { files.fail(EIO, in: "read", of: first) }
            return .status(200)
        }
        let request = UploadRequest(url: "http://127.0.0.1/", maximumBytes: 1 << 20)
        let uploader = try bench.uploader(to: request, transport, concurrency: concurrency, files: files)
        #expect(await bench.waitForDelivered(2))
        #expect(Set(bench.delivered) == Set(archives.dropFirst().map(\.id)))
        #expect(bench.archives == [first])
        #expect(becomesTrue { !troubles.isEmpty })   // the others may have gone over another courier before
        #expect(troubles == [.cannotRead(id: archives[0].id, reason: "\(SystemError(EIO, in: "read"))")])

        // As long as it fails nothing goes again, and nothing is said again.
        for _ in 1...5 { bench.clock.advance(by: .seconds(30)) }
        files.fail(nil, in: "read", of: first)
        passTime { bench.delivered.count == 3 }
        #expect(bench.archives == [])
        let pieces = transport.requests.filter { $0.parcel.hasPrefix(archives[0].id) }
        #expect(pieces.count > 2 && pieces.map(\.text).joined() == text)
        #expect(troubles.count == 1)
        withExtendedLifetime(uploader) {}
    }

    @Test("a file of which a piece is too large, and that cannot be read again just then, is not set aside, and goes in smaller ones later")
    func whileAPieceIsMadeSmaller() async throws {
        let text = (1...200_000).map { "line \($0)\n" }.joined()
        let archives = try bench.roll([String(text.dropLast()), "two"])
        let first = name(of: archives[0].path), files = files
        let transport = ScriptedTransport { number, _ in
            if number > 1 { return .status(200) }
            files.fail(EIO, in: "read", of: first)
            return .status(413)
        }
        let uploader = try bench.uploader(to: UploadRequest(url: "http://127.0.0.1/", maximumBytes: 1 << 20), transport, files: files)
        #expect(await bench.waitForRetries(1))
        bench.clock.advance(by: .seconds(300))
        #expect(await bench.waitForDelivered(1))
        #expect(bench.delivered == [archives[1].id])
        #expect(bench.archives == [first])
        #expect(troubles == [.cannotRead(id: archives[0].id, reason: "\(SystemError(EIO, in: "read"))")])
        #expect(try ArchiveShelf(of: "app", in: bench.path, files: SystemFileSystem()).waiting().archives.map(\.isSetAside) == [false])

        files.fail(nil, in: "read", of: first)
        passTime { bench.delivered.count == 2 }
        #expect(bench.archives == [])
        let pieces = transport.requests.dropFirst().filter { $0.parcel.hasPrefix(archives[0].id) }
        #expect(pieces.map(\.text).joined() == text)
        #expect(pieces.allSatisfy { $0.body.count <= 512 << 10 })
        withExtendedLifetime(uploader) {}
    }

    @Test(
        "a file in hand that is cut, or that the disk does not give again, takes nobody else's turn, and no connection is blamed",
        arguments: [false, true])
    func inHand(isCut: Bool) async throws {
        let archives = try bench.roll(["one", "two"])
        let path = archives[0].path, first = name(of: path), error = SystemError(EIO, in: "read")
        let asked = Locked(0)
        let server = try LoopbackServer { _ in
            asked.withLock { asked in
                asked += 1
                return asked == 1 ? .status(503) : .status(200)
            }
        }
        let uploader = try bench.uploader(to: UploadRequest(url: server.url), CurlTransport.shared, files: files)
        #expect(await bench.waitForRetries(1))
        if isCut { truncate(path, 0) } else { files.fail(EIO, in: "read", of: first) }
        bench.clock.advance(by: .seconds(300))
        #expect(await bench.waitForRetries(2))
        bench.clock.advance(by: .seconds(300))
        #expect(await bench.waitForDelivered(1))
        #expect(bench.delivered == [archives[1].id])
        #expect(server.requests.map { $0.header("Logbook-Parcel") } == archives.map(\.id))
        let cut = "the file is shorter than it was when it was closed"
        let reasons = bench.events.compactMap { if case .willRetry(_, _, let reason, nil) = $0 { reason } else { nil } }
        #expect(reasons == ["the body cannot be read: " + (isCut ? cut : "\(error)")])
        #expect(bench.events.contains(.setAside(id: archives[0].id, reason: cut)) == isCut)
        if isCut {
            #expect(troubles == [])
        } else {
            #expect(troubles == [.cannotRead(id: archives[0].id, reason: "\(error)")])
            files.fail(nil, in: "read", of: first)
            passTime { bench.delivered.count == 2 }
            #expect(bench.archives == [])
        }
        withExtendedLifetime(uploader) {}
    }

    @Test func anotherReasonIsToldAsWellAndOneThatComesBackIsNot() async throws {
        let archive = try bench.roll(["one"])[0]
        let file = name(of: archive.path)
        files.fail(EACCES, in: "openForLocking", of: file)
        let transport = ScriptedTransport(.status(200))
        let uploader = try bench.uploader(transport, files: files)
        passTime { troubles.count == 1 }
        files.fail(EIO, in: "openForLocking", of: file)
        passTime { troubles.count == 2 }
        files.fail(EACCES, in: "openForLocking", of: file)
        for _ in 1...5 {
            bench.clock.advance(by: .seconds(60))
            try await onThread { try uploader.deliver(by: .seconds(60)) }
        }
        let reasons = [EACCES, EIO].map { "\(SystemError($0, in: "openForLocking"))" }
        #expect(troubles == reasons.map { UploadEvent.cannotRead(id: archive.id, reason: $0) })
        #expect(transport.requests.isEmpty)
        withExtendedLifetime(uploader) {}
    }
}
