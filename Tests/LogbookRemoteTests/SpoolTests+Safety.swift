import LogbookCore
import LogbookDelivery
import LogbookFormat
import LogbookHTTP
import LogbookTestKit
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@testable import LogbookRemote

/// What a crash of the machine leaves.
extension SpoolTests {
    @Test("F21: a spool whose folder is removed loses what was in it, and goes on in a new one")
    func aFolderThatIsRemoved() throws {
        let provider = try provider(away, policy: SpoolPolicy(parcelEvents: 1))
        provider.log(.numbered(1))
        #expect(eventFiles.count == 1)
        output(of: "rm -rf '\(folder.path)/spool'")
        for number in 2...3 { provider.log(.numbered(number)) }
        #expect(eventFiles.count == 2)
        #expect(provider.ledger == LogLedger(submitted: 3, delivered: 3))
        #expect(folder.names(in: "spool").contains("000.lane"))
        try? provider.shutdown(by: .now)
        let next = try self.provider(collector.willing(), epoch: 8)
        try next.deliver(by: .seconds(30))
        #expect(collector.received == ["event 2", "event 3"])
    }

    @Test("F21: what another program has left in the new folder is taken over")
    func whatIsLeftInAFolderThatIsMadeAnew() throws {
        let spool = try makeSpool(files: SystemFileSystem())
        output(of: "rm -rf '\(folder.path)/spool'")
        var other: Spool<SystemFileSystem>? = try makeSpool(files: SystemFileSystem())
        _ = other?.take(.numbered(1))
        other = nil
        _ = spool.take(.numbered(2))
        #expect(eventFiles.map { $0.prefix(3) } == ["000", "001"])
        clock.advance(by: .seconds(30))
        for _ in 1...2 { try spool.settle(#require(try spool.nextParcel(besides: [])), as: .delivered) }
        #expect(eventFiles == [])
    }

    @Test("F21: a lane whose lock is removed is not given away: what is in it stays with who has it, and the next file goes to another")
    func aLockThatIsRemoved() throws {
        let policy = SpoolPolicy(parcelEvents: 1), spool = try makeSpool(policy, files: SystemFileSystem())
        _ = spool.take(.numbered(1))
        unlink(folder("spool/000.lane"))
        _ = spool.take(.numbered(2))
        let other = try makeSpool(policy, files: SystemFileSystem())
        _ = other.take(.numbered(3))
        #expect(eventFiles.map { $0.prefix(3) } == ["000", "001", "002"])
        #expect(other.deliveries == LogLedger(submitted: 1))
        for _ in 1...2 { try spool.settle(#require(try spool.nextParcel(besides: [])), as: .delivered) }
        #expect(eventFiles.map { $0.prefix(3) } == ["002"])
        #expect(spool.deliveries == LogLedger(submitted: 2, delivered: 2))
    }

    @Test("F21: a file that is written to is nobody else's, also where the lock of its lane is removed meanwhile")
    func aLockThatIsRemovedMeanwhile() throws {
        let spool = try makeSpool(files: SystemFileSystem())
        _ = spool.take(.numbered(1))
        unlink(folder("spool/000.lane"))
        let other = try makeSpool(files: SystemFileSystem())
        clock.advance(by: .seconds(30))
        #expect(try other.nextParcel(besides: []) == nil)
        _ = spool.take(.numbered(2))
        _ = other.take(.numbered(3))
        #expect(eventFiles.map { $0.prefix(3) } == ["000", "001"])
        #expect(other.deliveries == LogLedger(submitted: 1))
        let parcel = try #require(try spool.nextParcel(besides: []))
        #expect(parcel.count == 2)
        try spool.settle(parcel, as: .delivered)
        #expect(eventFiles.map { $0.prefix(3) } == ["001"])
        #expect(spool.deliveries == LogLedger(submitted: 2, delivered: 2))
    }

    @Test("F21: an empty lane whose lock is removed is locked anew")
    func theLockOfAnEmptyLane() throws {
        let spool = try makeSpool(SpoolPolicy(parcelEvents: 1), files: SystemFileSystem())
        unlink(folder("spool/000.lane"))
        _ = spool.take(.numbered(1))
        let other = try makeSpool(files: SystemFileSystem())
        #expect(eventFiles.map { $0.prefix(3) } == ["000"])
        #expect(other.deliveries == LogLedger())
    }

    @Test("F21: where another program has taken the lane, the next file goes to another, and what both know is counted once")
    func aLaneThatAnotherHasTaken() throws {
        let policy = SpoolPolicy(parcelEvents: 1), spool = try makeSpool(policy, files: SystemFileSystem())
        _ = spool.take(.numbered(1))
        unlink(folder("spool/000.lane"))
        var other: Spool<SystemFileSystem>? = try makeSpool(policy, files: SystemFileSystem())
        #expect(other?.deliveries == LogLedger(submitted: 1))
        _ = spool.take(.numbered(2))
        #expect(eventFiles.map { $0.prefix(3) } == ["000", "001"])
        other = nil   // before it has sent anything
        try spool.takeOver()
        for _ in 1...2 { try spool.settle(#require(try spool.nextParcel(besides: [])), as: .delivered) }
        #expect(eventFiles == [])
        #expect(spool.deliveries == LogLedger(submitted: 2, delivered: 2))
    }

    @Test(
        "F21: what another program has sent of a lane whose lock was removed is on that one's account, and not called damaged",
        arguments: [false, true])
    func aLaneThatAnotherHasEmptied(hasLooked: Bool) throws {
        let policy = SpoolPolicy(parcelEvents: 1), spool = try makeSpool(policy, files: SystemFileSystem())
        for number in 1...2 { _ = spool.take(.numbered(number)) }
        unlink(folder("spool/000.lane"))
        let other = try makeSpool(policy, files: SystemFileSystem())
        for _ in 1...2 { try other.settle(#require(try other.nextParcel(besides: [])), as: .delivered) }
        #expect(other.deliveries == LogLedger(submitted: 2, delivered: 2))
        if hasLooked { _ = spool.take(.numbered(3)) }
        #expect(try spool.nextParcel(besides: [])?.count == (hasLooked ? 1 : nil))
        #expect(spool.deliveries == LogLedger(submitted: hasLooked ? 3 : 2, dropped: [.takenOver: 2]))
    }

    /// Stores objects by their names, as S3 does, and takes so many events in one.
    private final class Bucket: Sendable {
        private let objects = Locked<[String: [JSONValue]]>([:])
        let most: Int
        init(most: Int) { self.most = most }

        var transport: ScriptedTransport {
            ScriptedTransport { [self] _, request in
                let lines = FakeCollector.lines(request)
                if lines.count > most { return .status(413) }
                objects.withLock { $0[request.url] = lines }
                return .answer(HTTPResponse(status: 200, headers: [HTTPHeader("ETag", "\"x\"")]))
            }
        }
        /// Every event that is in an object.
        var messages: Set<String> {
            Set(objects.withLock { $0 }.values.joined().compactMap { if case .string(let text)? = $0["message"] { text } else { nil } })
        }
    }

    @Test(
        "what a crash has left of a file that was sent already overwrites no object of S3 that holds more",
        arguments: [10, 2], [[0, 1, 2], [1, 2, 3, 4]])
    func whatIsLeftOfAFileOverwritesNothing(most: Int, left: [Int]) throws {
        let bucket = Bucket(most: most)
        func run(_ transport: ScriptedTransport) throws -> RemoteLogProvider {
            try RemoteLogProvider(
                to: .s3(bucket: "b", region: "r", credentials: AWSCredentials(accessKey: "a", secretKey: "s")),
                spool: folder.path + "/spool", transport: transport, clock: .manual(clock))
        }
        let first = try run(away)
        for number in 1...5 { first.log(.numbered(number)) }
        try? first.shutdown(by: .now)
        let name = try #require(eventFiles.first), lines = folder.text("spool/" + name).split(separator: "\n")
        for isCrashOver in [false, true] {
            if isCrashOver { folder.write(left.map { lines[$0] + "\n" }.joined(), to: "spool/" + name) }
            let provider = try run(bucket.transport)
            try provider.deliver(by: .seconds(30))
            #expect(bucket.messages == Set((1...5).map { "event \($0)" }))
            #expect(eventFiles == [])
            try provider.shutdown(by: .seconds(30))
        }
    }

    @Test func flushMakesSafeWithoutTheReceiverAndPowerDoesSoWithEachEvent() throws {
        let files = FaultyFileSystem()
        let provider = try provider(away, files: files)
        for number in 1...5 { provider.log(.numbered(number)) }
        #expect(!files.calls.contains("synchronize"))
        try provider.flush(by: .seconds(30))
        #expect(files.calls.contains("synchronize") && files.calls.contains("synchronizeFolder"))
        #expect(provider.deliveries.pending == 5)
        try? provider.shutdown(by: .now)

        let careful = FaultyFileSystem()
        let second = try self.provider(away, policy: SpoolPolicy(durability: .power), files: careful)
        for number in 1...5 { second.log(.numbered(number)) }
        #expect(careful.calls.filter { $0 == "synchronize" }.count == 5)
        try? second.shutdown(by: .now)
    }

    @Test func aFlushMakesSafeWhatAnEarlierRunLeft() throws {
        var first: Spool<SystemFileSystem>? = try makeSpool(files: SystemFileSystem())
        _ = first?.take(.numbered(1))
        first = nil
        let files = FaultyFileSystem(), next = try makeSpool(files: files)
        for _ in 1...2 {
            #expect(try next.makeSafe(by: .seconds(30)))
            #expect(files.calls.count { $0 == "synchronize" } == 1)
        }
        #expect(files.calls.contains("synchronizeFolder"))
    }

    @Test func whatTheReceiverHasNeedsNoDiskAtAShutdown() throws {
        let files = FaultyFileSystem(failing: 1, with: .failure(EIO), lasts: true, only: ["synchronize"])
        let provider = try provider(collector.willing(), files: files)
        provider.log(.numbered(1))
        try provider.shutdown(by: .seconds(60))
        #expect(collector.received == ["event 1"])
    }

    @Test func aDiskThatDoesNotConfirmIsSaid() throws {
        let files = FaultyFileSystem()
        let provider = try provider(away, files: files)
        provider.log(.numbered(1))
        files.fail(5)
        #expect {
            try provider.flush(by: .seconds(30))
        } throws: { error in
            guard case .notSafe? = error as? RemoteLogProviderError else { return false }
            return true
        }
        provider.log(.numbered(2))
        #expect(provider.ledger == LogLedger(submitted: 2, delivered: 1, dropped: [.inputOutputError: 1]))
        files.fail(nil)
        provider.log(.numbered(3))
        try provider.flush(by: .seconds(30))
        try? provider.shutdown(by: .now)
        let next = try self.provider(collector.willing(), epoch: 8)
        try next.deliver(by: .seconds(30))
        #expect(collector.received == ["event 1", "event 3"])
    }

    @Test("rows 9, 10: what one file does not take goes to a new one, as at a limit of a file's size; a full disk has none that helps", arguments: [
        (EFBIG, true), (EIO, true), (ENOSPC, false),
    ])
    func aFileThatCannotGrow(errno: Int32, helps: Bool) throws {
        let files = FaultyFileSystem(failing: 3, with: .failure(errno), only: ["append"]), provider = try provider(away, files: files)
        for number in 1...5 { provider.log(.numbered(number)) }
        #expect(provider.ledger == LogLedger(submitted: 5, delivered: helps ? 5 : 4, dropped: helps ? [:] : [.inputOutputError: 1]))
        #expect(eventFiles.count == (helps ? 2 : 1))
        try? provider.shutdown(by: .now)
        let next = try self.provider(collector.willing(), epoch: 8)
        try next.deliver(by: .seconds(30))
        #expect(collector.received == (1...5).filter { helps || $0 != 3 }.map { "event \($0)" })
    }

    @Test("a file that the full disk left empty gives the courier nothing to look for")
    func anEmptyFileIsNotDue() throws {
        let files = FaultyFileSystem(failing: 1, with: .failure(ENOSPC), only: ["append"])
        let spool = try makeSpool(files: files)
        #expect(!spool.take(.numbered(1)))
        #expect(eventFiles.count == 1)
        clock.advance(by: .seconds(5))
        #expect(try spool.nextParcel(besides: []) == nil)
        #expect(try #require(spool.nextParcelIsDue) > .seconds(1))   // until it looks for what others have left
        #expect(spool.take(.numbered(2)))
        clock.advance(by: .seconds(5))
        #expect(spool.nextParcelIsDue == .zero)
        #expect(try spool.nextParcel(besides: [])?.count == 1)
    }

    @Test("what the disk did not confirm is written anew before it is called safe: asked again, the kernel says nothing of it")
    func whatWasNotConfirmedIsWrittenAnew() throws {
        let files = FaultyFileSystem(failing: 1, with: .failure(5), only: ["synchronize"])
        let provider = try provider(away, files: files)
        provider.log(.numbered(1))
        let before = folder.bytes("spool/" + eventFiles[0])
        #expect(throws: RemoteLogProviderError.self) { try provider.flush(by: .seconds(30)) }
        #expect(!files.calls.contains("replace"))
        provider.log(.numbered(2))   // goes elsewhere
        for _ in 1...2 {
            try provider.flush(by: .seconds(30))
            #expect(files.calls.filter { $0 == "replace" }.count == 1)
        }
        #expect(eventFiles.count == 2 && folder.bytes("spool/" + eventFiles[0]) == before)
        try? provider.shutdown(by: .now)
        let next = try self.provider(collector.willing(), epoch: 8)
        try next.deliver(by: .seconds(30))
        #expect(collector.received == ["event 1", "event 2"])
    }

    @Test("a folder that the disk did not confirm is asked for again: by the next flush, and for power with the next event")
    func aFolderThatWasNotConfirmedIsAskedForAgain() throws {
        func disk() -> FaultyFileSystem { FaultyFileSystem(failing: 1, with: .failure(5), only: ["synchronizeFolder"]) }
        let files = disk(), spool = try makeSpool(SpoolPolicy(parcelEvents: 1), files: files)
        _ = spool.take(.numbered(1))
        #expect(throws: RemoteLogProviderError.self) { try spool.makeSafe(by: .seconds(30)) }
        for _ in 1...2 {
            #expect(try spool.makeSafe(by: .seconds(30)))
            #expect(files.calls.count { $0 == "synchronizeFolder" } == 2)   // now it is safe, and stays so
        }

        let careful = disk(), second = try makeSpool(SpoolPolicy(durability: .power), files: careful)
        for (number, calls) in [(1, 1), (2, 2), (3, 2)] {
            _ = second.take(.numbered(number))
            #expect(careful.calls.count { $0 == "synchronizeFolder" } == calls)
        }
        #expect(careful.faults == 1)
    }

    @Test func aFolderThatTheDiskDoesNotConfirmIsSaid() async {
        await #expect(processExitsWith: .success) {
            let said = Locked<[String]>([])
            LogDiagnostics.setHandler { remark in said.withLock { $0.append(remark.message) } }
            let tests = SpoolTests(), files = FaultyFileSystem(failing: 1, with: .failure(5), only: ["synchronizeFolder"])
            let spool = try tests.makeSpool(SpoolPolicy(durability: .power), files: files)
            for number in 1...2 { _ = spool.take(.numbered(number)) }
            #expect(tests.eventFiles.count == 1)
            let reason = SystemError(5, in: "synchronizeFolder").description
            #expect(said.withLock { $0 } == ["the disk does not confirm which files are in the spool: " + reason])
        }
    }

    /// A flush that waits for the disk while the body runs.
    private func flush<Files: FileSystem>(_ spool: Spool<Files>, _ files: FaultyFileSystem, while body: () -> Void) {
        let disk = Gate(), end = Gate()
        files.hold("synchronize", at: disk)
        LogThread.start("flush") {
            _ = try? spool.makeSafe(by: .seconds(30))
            end.open()
        }
        #expect(disk.waitForArrivals(1))
        body()
        disk.open()
        end.wait()
    }

    @Test("a flush vouches only for what was in a file when it came to it: what is written meanwhile the next flush makes safe")
    func aFlushVouchesForWhatItFound() throws {
        let files = FaultyFileSystem(), spool = try makeSpool(SpoolPolicy(parcelEvents: 3), files: files)
        _ = spool.take(.numbered(1))
        flush(spool, files) {
            for number in 2...3 { _ = spool.take(.numbered(number)) }   // and it is closed
        }
        #expect(files.calls.count { $0 == "synchronize" } == 1)
        for _ in 1...2 {
            #expect(try spool.makeSafe(by: .seconds(30)))
            #expect(files.calls.count { $0 == "synchronize" } == 2)   // now it is safe, and stays so
        }
    }

    @Test("a file that is written anew to make room while a flush is under way is made safe by that flush as well")
    func whatIsWrittenAnewMeanwhileIsMadeSafe() throws {
        let files = FaultyFileSystem(), spool = try makeSpool(SpoolPolicy(maximumBytes: 64 << 10, parcelEvents: 20), files: files)
        _ = spool.take(entry(1))
        flush(spool, files) {
            for number in 2...1000 { _ = spool.take(.numbered(number)) }
        }
        #expect(files.calls.contains("replace"))
        let before = files.calls.count { $0 == "synchronize" }
        #expect(before == 2)
        #expect(try spool.makeSafe(by: .seconds(30)))
        #expect(files.calls.count { $0 == "synchronize" } - before == eventFiles.count - 1)
    }

    @Test("a flush does not believe the disk that told another flush otherwise meanwhile: the file is written anew")
    func whatAnotherWasToldCountsToo() throws {
        let files = FaultyFileSystem(failing: 1, with: .failure(5), only: ["synchronize"]), spool = try makeSpool(files: files)
        _ = spool.take(.numbered(1))
        flush(spool, files) {
            let passing = Gate()
            passing.open()
            files.hold("synchronize", at: passing)
            #expect(throws: RemoteLogProviderError.self) { try spool.makeSafe(by: .seconds(30)) }   // its call comes first, and fails
            #expect(!files.calls.contains("replace"))
        }
        #expect(files.calls.contains("replace"))
        #expect(files.calls.count { $0 == "synchronize" } == 3)
        #expect(try spool.makeSafe(by: .seconds(30)))
        #expect(files.calls.count { $0 == "synchronize" } == 3)
    }

    @Test("what the disk has not taken and the kernel has let go of since is lost, and the flush that finds it says so")
    func whatIsGoneFromMemoryTooIsLost() throws {
        let files = FaultyFileSystem(failing: 1, with: .failure(5), only: ["synchronize"]), spool = try makeSpool(files: files)
        for number in 1...3 { _ = spool.take(.numbered(number)) }
        #expect(throws: RemoteLogProviderError.self) { try spool.makeSafe(by: .seconds(30)) }
        let file = "spool/" + eventFiles[0]
        var bytes = folder.bytes(file)
        for place in bytes.indices.suffix(20).dropLast() { bytes[place] = 0 }   // a page that reads as it was on the disk
        folder.write(bytes, to: file)
        #expect(throws: RemoteLogProviderError.lost(count: 1)) { try spool.makeSafe(by: .seconds(30)) }
        #expect(spool.deliveries == LogLedger(submitted: 3, dropped: [.corruptRecovered: 1]))
        #expect(try spool.makeSafe(by: .seconds(30)))
        let parcel = try #require(try spool.nextParcel(besides: []))
        #expect(parcel.count == 2)
        try spool.settle(parcel, as: .delivered)
        #expect(spool.deliveries == LogLedger(submitted: 3, delivered: 2, dropped: [.corruptRecovered: 1]))
        #expect(eventFiles == [])
    }

    @Test("for power, what the disk does not confirm is written anew at once, to another file")
    func powerWritesAnewAtOnce() throws {
        let files = FaultyFileSystem(failing: 2, with: .failure(5), only: ["synchronize"])
        let spool = try makeSpool(SpoolPolicy(durability: .power), files: files)
        func count(_ call: String) -> Int { files.calls.count { $0 == call } }
        _ = spool.take(.numbered(1))
        _ = spool.take(.numbered(2))
        let before = folder.bytes("spool/" + eventFiles[0])
        #expect(count("replace") == 1 && count("synchronize") == 3)
        #expect(count("synchronizeFolder") == 2)   // with the name of the first file, and of the one in its place
        _ = spool.take(.numbered(3))
        #expect(count("replace") == 1 && count("synchronize") == 4)
        #expect(eventFiles.count == 2)   // nothing is added to what was not confirmed
        #expect(before.count { $0 == 0x0A } == 2 && folder.bytes("spool/" + eventFiles[0]) == before)
        #expect(spool.ledger == LogLedger(submitted: 3, delivered: 3))
    }

    @Test("for power, what could not be written anew at once is with a later event")
    func powerWritesAnewLater() throws {
        let files = FaultyFileSystem(failing: 2, with: .failure(5), only: ["synchronize"])
        let spool = try makeSpool(SpoolPolicy(durability: .power), files: files)
        _ = spool.take(.numbered(1))
        let file = try #require(eventFiles.first)
        files.fail(EIO, in: "openForReading", of: file)
        for number in 2...3 { _ = spool.take(.numbered(number)) }
        #expect(!files.calls.contains("replace"))
        files.fail(nil, in: "openForReading", of: file)
        clock.advance(by: .seconds(60))
        for number in 4...5 { _ = spool.take(.numbered(number)) }
        #expect(files.calls.count { $0 == "replace" } == 1)
    }

    @Test("a flush goes from file to file until its deadline, says how many are left, and the next begins with those")
    func aFlushKeepsItsDeadline() throws {
        let files = FaultyFileSystem(), spool = try makeSpool(SpoolPolicy(parcelEvents: 1), files: files)
        for number in 1...3 { _ = spool.take(.numbered(number)) }
        let path = folder("spool")
        for left in [2, 1] {
            #expect(throws: RemoteLogProviderError.notSafeInTime(folder: path, files: left)) { try spool.makeSafe(by: .now) }
            #expect(files.calls.count { $0 == "synchronize" } == 3 - left)
        }
        #expect(!files.calls.contains("synchronizeFolder"))
        for _ in 1...2 { #expect(try spool.makeSafe(by: .now)) }
        #expect(files.calls.count { $0 == "synchronize" } == 3)
        #expect(files.calls.count { $0 == "synchronizeFolder" } == 1)
    }

    @Test("a call that a signal interrupts is made again: no event is lost by it")
    func anInterruptedCallIsMadeAgain() throws {
        for call in 1... {
            let tests = SpoolTests(), files = FaultyFileSystem(failing: call, with: .failure(EINTR))
            let spool = try tests.makeSpool(SpoolPolicy(parcelEvents: 2, durability: .power), files: files)
            for number in 1...3 { _ = spool.take(.numbered(number)) }
            #expect(spool.ledger == LogLedger(submitted: 3, delivered: 3), "call \(call)")
            #expect(try spool.makeSafe(by: .seconds(30)), "call \(call)")
            spool.hurry()
            for _ in 1...2 { try spool.settle(#require(try spool.nextParcel(besides: [])), as: .delivered) }
            #expect(spool.deliveries == LogLedger(submitted: 3, delivered: 3), "call \(call)")
            #expect(tests.eventFiles == [], "call \(call)")
            if files.faults == 0 {
                #expect(call > 25)
                break
            }
        }
    }
}
