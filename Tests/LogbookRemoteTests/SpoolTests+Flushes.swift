import LogbookCore
import LogbookDelivery
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

/// What a flush makes safe of several files, and what it says; and what events do about a disk that goes on failing.
extension SpoolTests {
    private func count(_ call: String, _ files: FaultyFileSystem) -> Int { files.calls.count { $0 == call } }

    private func notSafe(_ number: Int32, in call: String) -> RemoteLogProviderError {
        .notSafe(folder: folder("spool"), reason: SystemError(number, in: call).description)
    }

    /// The last of a file's lines reads as it was on the disk, which is nothing.
    private func loseLastLine(of file: String) {
        var bytes = folder.bytes("spool/" + file)
        for place in bytes.indices.suffix(20).dropLast() { bytes[place] = 0 }
        folder.write(bytes, to: "spool/" + file)
    }

    @Test("a file that cannot be made safe keeps neither the newer ones nor the folder from it, and each flush says so")
    func aBadFileKeepsNoOtherFromBeingSafe() throws {
        let files = FaultyFileSystem(), spool = try makeSpool(SpoolPolicy(parcelEvents: 1), files: files)
        for number in 1...3 { _ = spool.take(.numbered(number)) }
        let bad = eventFiles[0]
        files.fail(EIO, in: "openForReading", of: bad)
        for round in 1...2 {
            #expect(throws: notSafe(EIO, in: "openForReading")) { try spool.makeSafe(by: .seconds(30)) }
            #expect(count("synchronize", files) == 2)   // the good ones, once
            #expect(count("synchronizeFolder", files) == round)
        }
        files.fail(nil, in: "openForReading", of: bad)
        #expect(try spool.makeSafe(by: .seconds(30)))
        #expect(count("synchronize", files) == 3)
    }

    @Test("a flush whose deadline has passed makes safe the file with the latest events, and one of the others")
    func theLatestEventsAreMadeSafeFirst() throws {
        let files = FaultyFileSystem(), spool = try makeSpool(SpoolPolicy(parcelEvents: 2), files: files)
        for number in 1...5 { _ = spool.take(.numbered(number)) }
        #expect(throws: RemoteLogProviderError.notSafeInTime(folder: folder("spool"), files: 1)) { try spool.makeSafe(by: .now) }
        #expect(count("synchronize", files) == 2)
        _ = try spool.nextParcel(besides: [])   // of the oldest
        clock.advance(by: .seconds(5))
        for _ in 1...2 { _ = try spool.nextParcel(besides: Set(spool.hands.withLock { $0 }.flatMap(\.pieces).map(\.parcel.id))) }
        #expect(spool.state.withLock { $0.sealed.map(\.isUnsafe) } == [false, true, false])   // and all are closed by now
        #expect(try spool.makeSafe(by: .now))
        #expect(count("synchronize", files) == 3)
    }

    @Test("for power, no flush calls a file unsafe that the disk has confirmed with its events")
    func whatPowerHasMadeSafeIsSafe() throws {
        let files = FaultyFileSystem(), spool = try makeSpool(SpoolPolicy(parcelEvents: 1, durability: .power), files: files)
        for number in 1...3 { _ = spool.take(.numbered(number)) }
        #expect(try spool.makeSafe(by: .now))
        #expect(count("synchronize", files) == 3)
    }

    @Test("what a flush finds to be gone it says before anything else, so that it is said")
    func aLossIsSaidFirst() throws {
        let files = FaultyFileSystem(), spool = try makeSpool(SpoolPolicy(parcelEvents: 1), files: files)
        for number in 1...3 { _ = spool.take(.numbered(number)) }
        #expect(unlink(folder("spool/" + eventFiles[0])) == 0)
        #expect(throws: RemoteLogProviderError.lost(count: 1)) { try spool.makeSafe(by: .now) }   // and two are left
        #expect(throws: RemoteLogProviderError.notSafeInTime(folder: folder("spool"), files: 1)) { try spool.makeSafe(by: .now) }

        for number in 4...5 { _ = spool.take(.numbered(number)) }
        let names = eventFiles   // the first of them is safe
        #expect(unlink(folder("spool/" + names[1])) == 0)
        files.fail(EIO, in: "openForReading", of: names[3])
        #expect(throws: RemoteLogProviderError.lost(count: 1)) { try spool.makeSafe(by: .seconds(30)) }
        #expect(throws: notSafe(EIO, in: "openForReading")) { try spool.makeSafe(by: .seconds(30)) }
        #expect(spool.deliveries == LogLedger(submitted: 5, dropped: [.corruptRecovered: 2]))
    }

    @Test("while a file is in hand that somebody has removed, its events are in memory alone, and no flush calls them safe")
    func aFileInHandThatIsGoneIsNotSafe() throws {
        let spool = try makeSpool(SpoolPolicy(parcelEvents: 1), files: FaultyFileSystem())
        for number in 1...2 { _ = spool.take(.numbered(number)) }
        let parcel = try #require(try spool.nextParcel(besides: []))
        #expect(unlink(folder("spool/" + eventFiles[0])) == 0)
        for _ in 1...2 {
            let failure = #expect(throws: RemoteLogProviderError.self) { try spool.makeSafe(by: .seconds(30)) }
            #expect(failure?.description.contains("No such file or directory") == true, "\(String(describing: failure))")
        }
        #expect(spool.deliveries == LogLedger(submitted: 2))
        try spool.settle(parcel, as: .delivered)
        #expect(try spool.makeSafe(by: .seconds(30)))
        #expect(spool.deliveries == LogLedger(submitted: 2, delivered: 1))
    }

    /// For power, with two events: the disk has not confirmed the file of the first, which cannot be read, and so not be written anew with the
    /// second. It cannot be read until the test says so.
    private func spoolWithDistrustedFile(
        notReadFor error: Int32
    ) throws -> (spool: Spool<FaultyFileSystem>, files: FaultyFileSystem, file: String) {
        let files = FaultyFileSystem(failing: 2, with: .failure(EIO), only: ["synchronize"])
        let spool = try makeSpool(SpoolPolicy(durability: .power), files: files)
        _ = spool.take(.numbered(1))
        let file = try #require(eventFiles.first)
        files.fail(error, in: "openForReading", of: file)
        _ = spool.take(.numbered(2))
        return (spool, files, file)
    }

    @Test("for power, what an event finds to be gone the next flush says")
    func whatAnEventFindsToBeLostIsSaid() throws {
        let (spool, files, file) = try spoolWithDistrustedFile(notReadFor: EIO)
        loseLastLine(of: file)
        files.fail(nil, in: "openForReading", of: file)
        clock.advance(by: .seconds(60))
        _ = spool.take(.numbered(3))
        #expect(spool.deliveries == LogLedger(submitted: 3, dropped: [.corruptRecovered: 1]))
        #expect(throws: RemoteLogProviderError.lost(count: 1)) { try spool.makeSafe(by: .seconds(30)) }
        #expect(try spool.makeSafe(by: .seconds(30)))
    }

    @Test("a shutdown counts what it finds to be gone together with what the receiver refuses meanwhile")
    func aShutdownCountsEveryLoss() throws {
        let transport = ScriptedTransport(.hold)
        let provider = try provider(transport, policy: SpoolPolicy(parcelAge: .seconds(3600)))
        provider.log(.numbered(1, .error))
        #expect(transport.waitForRequests(1))
        provider.log(.numbered(2))
        let names = eventFiles
        #expect(names.count == 2 && unlink(folder("spool/" + names[1])) == 0)
        let heard = Locked<[RemoteLogProviderError?]>([]), end = Gate()
        LogThread.start("shutdown") {
            do {
                try provider.shutdown(by: .seconds(60))
                heard.withLock { $0.append(nil) }
            } catch {
                heard.withLock { $0.append(error as? RemoteLogProviderError) }
            }
            end.open()
        }
        #expect(becomesTrue { provider.deliveries.dropped == [.corruptRecovered: 1] })
        transport.release(with: HTTPResponse(status: 422))
        end.wait()
        #expect(heard.withLock { $0 } == [RemoteLogProviderError.lost(count: 2)])
    }

    @Test("what the disk refuses to make safe is sent all the same, at once")
    func aFlushThatFailsWakesTheCourier() throws {
        let files = FaultyFileSystem(), transport = collector.willing()
        let provider = try provider(transport, policy: SpoolPolicy(parcelAge: .seconds(3600)), files: files)
        provider.log(.numbered(1))
        let looks = count("names", files)
        clock.advance(by: .seconds(30))
        #expect(becomesTrue { count("names", files) > looks })   // the courier has looked, and waits
        files.fail(EIO)
        #expect(throws: RemoteLogProviderError.self) { try provider.flush(by: .seconds(30)) }
        #expect(transport.waitForRequests(1))
        #expect(becomesTrue { collector.received == ["event 1"] })
    }

    @Test("for power, a disk that goes on failing is not asked to take files anew with each event, but after a pause")
    func powerPausesAfterAFailure() throws {
        let files = FaultyFileSystem(failing: 2, with: .failure(EIO), lasts: true, only: ["synchronize"])
        let spool = try makeSpool(SpoolPolicy(durability: .power), files: files)
        for number in 1...10 { _ = spool.take(.numbered(number)) }
        #expect(count("openForReading", files) == 1)
        #expect(count("synchronize", files) == 11)   // once for each event, and once for what was written anew
        clock.advance(by: .seconds(5))
        for number in 11...12 { _ = spool.take(.numbered(number)) }
        #expect(count("openForReading", files) == 2)
        #expect(count("synchronize", files) == 14)
        #expect(spool.ledger == LogLedger(submitted: 12, delivered: 12))
    }

    @Test("for power, what could be written anew by a flush ends the pause")
    func aFlushEndsThePause() throws {
        // About no file of its own: it is not left alone for that.
        let (spool, files, file) = try spoolWithDistrustedFile(notReadFor: EMFILE)
        files.fail(nil, in: "openForReading", of: file)
        _ = spool.take(.numbered(3))
        #expect(count("replace", files) == 0)
        #expect(spool.state.withLock { $0.nextRenewal } > 0)
        #expect(try spool.makeSafe(by: .seconds(30)))
        #expect(count("replace", files) == 1)
        #expect(spool.state.withLock { $0.nextRenewal } == 0)
    }

    @Test("for power, a file in hand that has lost lines is read once, and not with each event; it goes as the courier has it")
    func aFileInHandThatHasLostLines() throws {
        let (spool, files, file) = try spoolWithDistrustedFile(notReadFor: EIO)
        files.fail(nil, in: "openForReading", of: file)
        clock.advance(by: .seconds(60))
        let parcel = try #require(try spool.nextParcel(besides: []))
        #expect(parcel.count == 2)
        loseLastLine(of: file)
        let read = count("openForReading", files)
        for number in 3...6 { _ = spool.take(.numbered(number)) }
        #expect(count("openForReading", files) == read + 1)
        #expect(spool.state.withLock { $0.nextRenewal } == 0)   // that is no reason to leave others alone
        #expect(throws: notSafe(EIO, in: "fsync")) { try spool.makeSafe(by: .seconds(30)) }
        try spool.settle(parcel, as: .delivered)
        #expect(try spool.makeSafe(by: .seconds(30)))
        #expect(spool.deliveries == LogLedger(submitted: 6, delivered: 2))
    }

    @Test("a file in hand that a flush cannot read has nobody look for a parcel again and again")
    func aFileInHandIsNotDue() throws {
        var first: Spool<SystemFileSystem>? = try makeSpool(files: SystemFileSystem())
        _ = first?.take(.numbered(1))
        first = nil
        let files = FaultyFileSystem(), file = try #require(eventFiles.first), spool = try makeSpool(files: files)
        let parcel = try #require(try spool.nextParcel(besides: []))
        files.fail(EACCES, in: "openForReading", of: file)
        #expect(try spool.makeSafe(by: .seconds(30)))
        clock.advance(by: .seconds(60))
        #expect(try spool.nextParcel(besides: [parcel.id]) == nil)   // and looks for what others have left
        #expect(spool.nextParcelIsDue == .seconds(30))
    }

    @Test func whatNobodyHasCountedIsAnEstimate() throws {
        var first: Spool<SystemFileSystem>? = try makeSpool(files: SystemFileSystem())
        _ = first?.take(.numbered(1))
        #expect(first?.isCounted == true)
        first = nil
        let spool = try makeSpool(files: SystemFileSystem())
        #expect(!spool.isCounted && spool.pendingCount >= 1)
        _ = spool.takeArrivals()
        #expect(spool.isCounted && spool.pendingCount == 1)
    }
}
