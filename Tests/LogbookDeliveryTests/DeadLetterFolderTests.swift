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

@Suite struct DeadLetterFolderTests {
    let folder = TemporaryFolder()

    /// Lets a courier find that a receiver will never take these parcels.
    func refuse(_ parcels: [Parcel], into letters: DeadLetterFolder) throws {
        final class Refused: ParcelSource {
            let parcels: Locked<[Parcel]>
            init(_ parcels: [Parcel]) { self.parcels = Locked(parcels) }
            func nextParcel() -> Parcel? { parcels.withLock { $0.first } }
            func settle(_ parcel: Parcel, as fate: ParcelFate) { parcels.withLock { _ = $0.removeFirst() } }
            var pendingCount: Int { parcels.withLock { $0.count } }
        }
        let courier = Courier(
            name: "test", source: Refused(parcels), destination: StatusDestination(),
            transport: ScriptedTransport(.status(400)), deadLetters: letters)
        try courier.deliver(by: .seconds(60))
    }

    func parcel(_ id: String, _ body: String = "body", encoding: String? = nil) -> Parcel {
        Parcel(
            id: id, body: Array(body.utf8), contentType: "text/plain", contentEncoding: encoding, count: 1,
            sealed: LogTime(seconds: 0))
    }

    @Test func theOldestLettersGoWhenThereIsNoRoom() throws {
        let letters = try DeadLetterFolder(at: folder.path + "/dead", maximumLetters: 2)
        try refuse(["a", "b", "c"].map { parcel($0) }, into: letters)
        #expect(letters.count == 2)
        #expect(folder.names(in: "dead").filter { $0.hasSuffix(".body") } == ["0000000002-b.body", "0000000003-c.body"])

        let small = try DeadLetterFolder(at: folder.path + "/small", maximumBytes: 1000)
        try refuse((1...5).map { parcel("p\($0)", String(repeating: "x", count: 300)) }, into: small)
        #expect(folder.names(in: "small").filter { $0.hasSuffix(".body") } == ["0000000004-p4.body", "0000000005-p5.body"])
        #expect(small.count == 2 && folder.names(in: "small").reduce(0) { $0 + folder.bytes("small/" + $1).count } <= 1000)
        try refuse([parcel("huge", String(repeating: "x", count: 5000))], into: small)
        #expect(!folder.names(in: "small").contains("0000000006-huge.body"))
        #expect(folder.text("small/0000000006-huge.reason.txt").contains("not kept"))
    }

    @Test("half a letter is not kept: of a body that cannot be read to its end nothing looks like it", arguments: [true, false])
    func aBodyThatCannotBeRead(fails: Bool) throws {
        let letters = try DeadLetterFolder(at: folder.path + "/dead")
        let stream = HTTPBodyStream(name: "body", bytes: 10) { buffer, offset in
            if offset > 0, fails { throw SystemError(EIO, in: "read") }
            if offset > 0 { return 0 }   // somebody has cut it
            buffer[0] = 0x61
            return 1
        }
        let parcel = Parcel(id: "a", body: [], stream: stream, contentType: "text/plain", count: 1, sealed: LogTime(seconds: 0))
        try refuse([parcel], into: letters)
        #expect(folder.names(in: "dead").filter { $0.hasSuffix(".body") } == [])
    }

    @Test func aLetterThatIsTooLargeToBeKeptTakesNoOthersPlace() throws {
        let letters = try DeadLetterFolder(at: folder.path + "/dead", maximumBytes: 1000)
        try refuse([parcel("a", String(repeating: "a", count: 100))], into: letters)
        try refuse([parcel("huge", String(repeating: "x", count: 5000))], into: letters)
        #expect(folder.text("dead/0000000001-a.body") == String(repeating: "a", count: 100))
        #expect(folder.names(in: "dead").filter { $0.hasSuffix(".body") } == ["0000000001-a.body"])
        #expect(folder.text("dead/0000000002-huge.reason.txt").contains("not kept"))
    }

    @Test("S9: what an earlier run left counts, and files of others are left alone")
    func anEarlierRunCountsAndOthersAreLeftAlone() throws {
        try refuse([parcel("a"), parcel("b")], into: DeadLetterFolder(at: folder.path + "/dead"))
        folder.write("mine", to: "dead/notes.txt")
        folder.write("mine", to: "dead/0000000001-mine.doc")
        let letters = try DeadLetterFolder(at: folder.path + "/dead", maximumLetters: 1)
        #expect(letters.count == 2)
        try refuse([parcel("c")], into: letters)
        #expect(
            folder.names(in: "dead") == [
                "0000000001-mine.doc", "0000000003-c.body", "0000000003-c.reason.txt", "notes.txt",
            ])
    }

    @Test("S6, S10: letters are for their owner alone, and no id leads out of the folder")
    func noIdLeadsOutOfTheFolder() throws {
        let letters = try DeadLetterFolder(at: folder.path + "/dead")
        try refuse([parcel("../../etc/passwd\n\u{0}" + String(repeating: "x", count: 300), encoding: "gzip")], into: letters)
        let names = folder.names(in: "dead")
        #expect(names.count == 2)
        #expect(names[0].hasPrefix("0000000001-.._.._etc_passwd__xxx") && names[0].hasSuffix(".body.gz"))
        #expect(names.allSatisfy { $0.utf8.count < 100 })
        #expect(folder.permissions("dead") == 0o700)
        #expect(folder.permissions("dead/" + names[0]) == 0o600)
    }

    @Test func aFolderThatCannotBeIsSaidAtOnce() {
        folder.write("", to: "file")
        #expect(throws: DeadLetterError.self) { try DeadLetterFolder(at: folder.path + "/file") }
        #expect(throws: DeadLetterError.self) { try DeadLetterFolder(at: folder.path + "/no/such/place") }
    }

    @Test func aLetterThatCannotBeWrittenHoldsNobodyUp() throws {
        for call in 1...12 {
            for fault in [FaultyFileSystem.Fault.failure(28), .tornWrite(28)] {
                let files = FaultyFileSystem(failing: call, with: fault)
                let path = folder.path + "/\(call)\(fault)".filter { $0 != "(" && $0 != ")" }
                guard let letters = try? DeadLetterFolder(at: path, maximumBytes: 1 << 20, maximumLetters: 5, files: files)
                else { continue }
                try refuse([parcel("a"), parcel("b")], into: letters)
                #expect(files.openDescriptors == 1)
            }
        }
    }

    @Test("a call that a signal interrupts is made again: the letter is kept")
    func anInterruptedCallIsMadeAgain() throws {
        for call in 1... {
            let files = FaultyFileSystem(failing: call, with: .failure(EINTR))
            let letters = try DeadLetterFolder(at: folder("\(call)"), maximumBytes: 1 << 20, maximumLetters: 5, files: files)
            try refuse([parcel("a")], into: letters)
            #expect(folder.names(in: "\(call)") == ["0000000001-a.body", "0000000001-a.reason.txt"], "call \(call)")
            #expect(folder.text("\(call)/0000000001-a.body") == "body", "call \(call)")
            if files.faults == 0 {
                #expect(call > 6)
                break
            }
        }
    }
}
