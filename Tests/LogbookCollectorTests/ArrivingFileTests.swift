#if Collector
    import Foundation
    import LogbookCore
    import LogbookGzip
    import LogbookTransactions
    import Testing

    @testable import LogbookCollector
    import LogbookTestKit

    @Suite struct ArrivingFileTests {
        private let folder = TemporaryFolder()

        private var names: [String] {
            ((try? FileManager.default.contentsOfDirectory(atPath: folder("received"))) ?? []).sorted()
        }
        private func kept(_ id: String) -> [UInt8]? { FileManager.default.contents(atPath: folder("received/\(id)")).map { Array($0) } }
        private func receive(_ id: String, isGzip: Bool = false, maximumBytes: Int = 1 << 20) -> ArrivingFile {
            FileShelf(path: folder("received")).receive(id, isGzip: isGzip, maximumBytes: maximumBytes, digest: nil)
        }

        @Test("U17: what has arrived is on disk before the rest comes, and has its name when it is whole")
        func pieces() async throws {
            let file = receive("A")
            try await file.append(Array("abc".utf8))
            try await file.append(Array("def".utf8))
            let part = try #require(names.first)
            #expect(names.count == 1)
            #expect(part.hasPrefix(".A.") && part.hasSuffix(".part"))
            #expect(kept(part) == Array("abcdef".utf8))
            let outcome = try await file.finish(with: Array("gh".utf8))
            #expect(outcome.bytes == 8 && outcome.isNew)
            #expect(names == ["A"])
            #expect(kept("A") == Array("abcdefgh".utf8))

            let again = try await receive("A").finish(with: Array("abcdefgh".utf8))
            #expect(again.bytes == 8 && !again.isNew)
            #expect(kept("A") == Array("abcdefgh".utf8))
            #expect(names == ["A"])
        }

        @Test("files that differ under one id are all kept, each once, however it is compressed")
        func anotherFileOfTheSameID() async throws {
            let other = "A~\(HexadecimalDigest.of("def".utf8).prefix(16))"
            #expect(try await receive("A").finish(with: Array("abc".utf8)).isNew)
            for isNew in [true, false] {
                let outcome = try await receive("A").finish(with: Array("def".utf8))
                #expect(outcome.name == other && outcome.isNew == isNew)
            }
            for (text, name) in [("abc", "A"), ("def", other)] {
                let outcome = try await receive("A", isGzip: true).finish(with: try Gzip.compress(Array(text.utf8)))
                #expect(outcome.name == name && !outcome.isNew)
                #expect(kept(name) == Array(text.utf8))
            }
            #expect(names == ["A", other])
        }

        @Test func whatHasTheNameAndIsNoFileIsNotTakenForTheFile() async throws {
            try FileManager.default.createDirectory(atPath: folder("received/A"), withIntermediateDirectories: true)
            let file = receive("A")
            await #expect {
                _ = try await file.finish(with: Array("abc".utf8))
            } throws: {
                "\($0)".contains("received/A is no file")
            }
            await file.abandon()
            #expect(names == ["A"])
        }

        @Test func aFileThatWasThereIsAsSafeWhenItIsAnsweredForAgain() async throws {
            func receive(_ files: FaultyFileSystem) -> ArrivingFile {
                ArrivingFile(id: "A", in: folder("received"), isGzip: false, maximumBytes: 100, digest: nil, files: files)
            }
            let first = FaultyFileSystem(), second = FaultyFileSystem(), later = FaultyFileSystem()
            let one = receive(first), other = receive(second)
            for file in [one, other] { try await file.append(Array("abc".utf8)) }
            #expect(try await one.finish(with: []).isNew)
            #expect(try await !other.finish(with: []).isNew)
            #expect(try await !receive(later).finish(with: Array("abc".utf8)).isNew)
            for files in [first, second, later] {
                #expect(files.calls.contains("synchronizeFolder"))
                #expect(files.openDescriptors == 0)
            }
            #expect(names == ["A"])
        }

        @Test("row 5: whatever a loss of power leaves, a file that was answered for is there and whole, and can be sent again")
        func anyRemains() async throws {
            let files = PowerLossFileSystem(), random = LogRandomness.seeded(5)
            func receive(_ id: String, in place: TemporaryFolder, _ files: some FileSystem) -> ArrivingFile {
                ArrivingFile(id: id, in: place("received"), isGzip: false, maximumBytes: 100, digest: nil, files: files)
            }
            folder.makeFolder("received")
            var answered: [(name: String, text: String, after: Int)] = []
            for text in ["abc", "def"] {
                let file = receive("A", in: folder, files)
                try await file.append(Array(text.utf8))
                let outcome = try await file.finish(with: Array("gh".utf8))
                answered.append((outcome.name, text + "gh", files.changes))
            }
            var withLoss = 0
            for moment in 0...files.changes {
                for remains in files.remains(after: moment, between: 3, random) {
                    let left = TemporaryFolder(remains, of: folder)
                    for file in answered where file.after <= moment { #expect(left.text("received/" + file.name) == file.text, "\(moment)") }
                    if !left.names(in: "received").contains("A") { withLoss += 1 }
                    let again = try await receive("A", in: left, SystemFileSystem()).finish(with: Array("abcgh".utf8))
                    #expect(left.text("received/" + again.name) == "abcgh")
                }
            }
            #expect(files.changes > 8 && withLoss > 10)
        }

        @Test("S28: whoever sends again what is kept hears so, also where the disk has no room for it once more", arguments: ["openNew", "append", "synchronize"])
        func aFileThatIsKeptNeedsNoRoom(call: String) async throws {
            #expect(try await receive("A").finish(with: Array("abc".utf8)).isNew)
            func send(_ text: String, as id: String = "A") async throws -> ArrivingFile.Outcome {
                let files = FaultyFileSystem(failing: 1, with: .failure(ENOSPC), lasts: true, only: [call])
                let file = ArrivingFile(id: id, in: folder("received"), isGzip: false, maximumBytes: 100, digest: nil, files: files)
                do {
                    try await file.append(Array(text.prefix(1).utf8))
                    let outcome = try await file.finish(with: Array(text.dropFirst().utf8))
                    #expect(files.openDescriptors == 0 && files.faults > 0)
                    return outcome
                } catch {
                    await file.abandon()
                    #expect(files.openDescriptors == 0 && files.faults > 0)
                    throw error
                }
            }
            let again = try await send("abc")
            #expect(again.bytes == 3 && again.name == "A" && !again.isNew)
            for (text, id) in [("abd", "A"), ("ab", "A"), ("abc", "B")] {
                await #expect(throws: ArrivingFile.Failure.self) { try await send(text, as: id) }
            }
            #expect(names == ["A"])
            let other = try await receive("A").finish(with: Array("abd".utf8))
            #expect(other.isNew)
            #expect(try await !send("abd").isNew)
            #expect(names == ["A", other.name])
        }

        @Test func gzipIsInflatedWhereverItIsCut() async throws {
            let text = Array(String(repeating: "what happened, again and again; ", count: 200).utf8)
            let bytes = try Gzip.compress(text)
            let file = receive("A", isGzip: true)
            for byte in bytes.dropLast() { try await file.append([byte]) }
            let outcome = try await file.finish(with: bytes.suffix(1))
            #expect(outcome.bytes == text.count && outcome.isNew)
            #expect(kept("A") == text)
        }

        @Test("S28: what a file is inflated to beyond what came is asked for before it is written, and may be refused in the middle")
        func growthIsAskedFor() async throws {
            let text = [UInt8](repeating: 0x61, count: 1 << 20), bytes = try Gzip.compress(text)
            let heard = Locked<[(more: Int, bytes: Int)]>([])
            func receive(_ id: String, upTo limit: Int) -> ArrivingFile {
                FileShelf(path: folder("received")).receive(
                    id, isGzip: true, maximumBytes: 1 << 30, digest: nil,
                    grow: { more, bytes throws(CollectorService.Refusal) in
                        if bytes > limit { throw CollectorService.Refusal(429, "quota_used_up", reason: "that is too much") }
                        heard.withLock { $0.append((more, bytes)) }
                    })
            }
            let whole = try await receive("A", upTo: text.count).finish(with: bytes)
            let asked = heard.withLock { $0 }
            #expect(whole.bytes == text.count && asked.count > 1)
            #expect(asked.reduce(0) { $0 + $1.more } == text.count - bytes.count && asked.last?.bytes == text.count)
            heard.withLock { $0 = [] }
            let large = receive("B", upTo: text.count / 2)
            await #expect {
                _ = try await large.finish(with: bytes)
            } throws: {
                if case .refused(let refusal)? = $0 as? ArrivingFile.Failure { refusal.status == 429 } else { false }
            }
            await large.abandon()
            #expect(heard.withLock { $0.last?.bytes } == text.count / 2)
            #expect(names == ["A"])
        }

        @Test("S28: of a file whose id is taken nothing is asked for, unless it is another: then before it is kept beside the first")
        func whatComesAgainGrowsNoMore() async throws {
            let heard = Locked<[Int]>([])
            func send(_ count: Int, refusing isRefusing: Bool = false) async throws -> ArrivingFile.Outcome {
                let file = FileShelf(path: folder("received")).receive(
                    "A", isGzip: true, maximumBytes: 1 << 30, digest: nil,
                    grow: { _, bytes throws(CollectorService.Refusal) in
                        if isRefusing { throw CollectorService.Refusal(429, "quota_used_up", reason: "that is too much") }
                        heard.withLock { $0.append(bytes) }
                    })
                do { return try await file.finish(with: Gzip.compress([UInt8](repeating: 0x61, count: count))) } catch {
                    await file.abandon()
                    throw error
                }
            }
            #expect(try await send(1 << 20).isNew)
            heard.withLock { $0 = [] }
            #expect(try await !send(1 << 20, refusing: true).isNew)
            await #expect(throws: ArrivingFile.Failure.self) { _ = try await send(1 << 19, refusing: true) }
            #expect(names == ["A"])
            let other = try await send(1 << 19)
            #expect(other.isNew && heard.withLock { $0 } == [1 << 19])
            #expect(try await !send(1 << 19, refusing: true).isNew)
            #expect(names == ["A", other.name])
        }

        @Test func whatIsNotWholeLeavesNothing() async throws {
            let bytes = try Gzip.compress(Array(repeating: 0x61, count: 5000))
            let cut = receive("A", isGzip: true)
            await #expect(throws: ArrivingFile.Failure.self) { _ = try await cut.finish(with: bytes.dropLast(9)) }
            await cut.abandon()
            let bomb = receive("B", isGzip: true, maximumBytes: 4999)
            await #expect(throws: ArrivingFile.Failure.self) { _ = try await bomb.finish(with: bytes) }
            await bomb.abandon()
            let endless = receive("C", isGzip: true, maximumBytes: 1000)
            let nothing = try Gzip.compress([])
            await #expect(throws: ArrivingFile.Failure.self) { for _ in 1...1000 { try await endless.append(nothing) } }
            await endless.abandon()
            #expect(names == [])
        }

        @Test func whatIsAbandonedLeavesNothingAlsoWhileTheMachineHasNoThreads() async throws {
            let files = FaultyFileSystem(), hasThreads = Locked(true)
            let file = ArrivingFile(
                id: "A", in: folder("received"), isGzip: false, maximumBytes: 100, digest: nil, files: files,
                startThread: { name, body in hasThreads.withLock { $0 } && LogThread.start(name, body) })
            try await file.append(Array("abc".utf8))
            #expect(names.count == 1)
            hasThreads.withLock { $0 = false }
            await #expect(throws: ArrivingFile.Failure.self) { try await file.append(Array("def".utf8)) }
            await file.abandon()
            #expect(names == [])
            #expect(files.openDescriptors == 0)
        }

        @Test func aBodyThatBreaksOffLeavesNothing() async throws {
            struct Gone: Error {}
            var configuration = CollectorConfiguration()
            configuration.filesFolder = folder("received")
            let service = try CollectorService(
                configuration: configuration, archive: try SQLiteArchive(path: folder("archive.sqlite")))
            let answer = await service.answer(
                CollectorRequest(
                    method: "PUT", path: "/v1/files/A", query: "", header: { _ in nil },
                    pieces: { take in
                        for _ in 1...3 { try await take([UInt8](repeating: 0x61, count: ArrivingFile.pieceBytes)) }
                        throw Gone()
                    }))
            #expect(answer.status == 400)
            #expect(names == [])
        }

        @Test("a folder that is made for files is as safe as they are to be")
        func aNewFolderIsMadeSafe() throws {
            let files = FaultyFileSystem()
            for _ in 1...2 {
                files.close(try FileShelf.open(folder("of a tenant"), files))
                #expect(files.calls.count { $0 == "synchronizeFolder" } == 1)
            }
        }

        @Test func whatAKilledCollectorLeftIsRemovedAndWhatAnotherOneReceivesIsNot() async throws {
            let file = receive("A")
            try await file.append(Array("abc".utf8))
            let part = try #require(names.first)
            try Data("left".utf8).write(to: URL(fileURLWithPath: folder("received/.B.1.part")))
            try Data("kept".utf8).write(to: URL(fileURLWithPath: folder("received/C")))
            FileShelf(path: folder("received")).removeLeftovers()
            #expect(names == [part, "C"].sorted())
            _ = try await file.finish(with: [])
            #expect(names == ["A", "C"])
        }
    }
#endif
