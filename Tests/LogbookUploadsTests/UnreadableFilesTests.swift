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
        for _ in 1...3000 where !isSo() {
            bench.clock.advance(by: .seconds(31))
            usleep(5000)
        }
    }

    @Test(
        "a file that cannot be opened or read is told once and takes nobody else's turn, and goes when it can be read",
        arguments: [("openForReading", EACCES), ("openForReading", EIO), ("read", EIO)])
    func othersGoOn(_ call: String, _ number: Int32) async throws {
        let archives = try bench.roll(["one", "two", "three"])
        let first = name(of: archives[0].path)
        files.fail(number, in: call, of: first)
        let transport = ScriptedTransport(.status(200))
        let uploader = try bench.uploader(transport, concurrency: 2, files: files)
        #expect(await bench.waitForDelivered(2))
        for _ in 1...5 {
            bench.clock.advance(by: .seconds(60))
            try await offPool { Result { try uploader.deliver(by: .seconds(60)) } }.get()
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

    @Test func anotherReasonIsToldAsWellAndOneThatComesBackIsNot() async throws {
        let archive = try bench.roll(["one"])[0]
        let file = name(of: archive.path)
        files.fail(EACCES, in: "openForReading", of: file)
        let transport = ScriptedTransport(.status(200))
        let uploader = try bench.uploader(transport, files: files)
        passTime { troubles.count == 1 }
        files.fail(EIO, in: "openForReading", of: file)
        passTime { troubles.count == 2 }
        files.fail(EACCES, in: "openForReading", of: file)
        for _ in 1...5 {
            bench.clock.advance(by: .seconds(60))
            try await offPool { Result { try uploader.deliver(by: .seconds(60)) } }.get()
        }
        let reasons = [EACCES, EIO].map { "\(SystemError($0, in: "openForReading"))" }
        #expect(troubles == reasons.map { UploadEvent.cannotRead(id: archive.id, reason: $0) })
        #expect(transport.requests.isEmpty)
        withExtendedLifetime(uploader) {}
    }
}
