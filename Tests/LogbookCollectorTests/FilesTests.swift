#if Collector
    import Foundation
    import LogbookCore
    import LogbookHTTP
    import Testing

    @testable import LogbookCollector
    import LogbookTestKit

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    @Suite struct FilesTests {
        private let folder = TemporaryFolder()

        private func with(_ body: (RunningCollector) async throws -> Void) async throws {
            let archive = try SQLiteArchive(path: folder("archive.sqlite"))
            try await RunningCollector.with(
                archive,
                configure: { configuration in
                    configuration.filesFolder = folder("received")
                    configuration.maximumFileBytes = 10_000
                }, body)
        }
        private func kept(_ id: String) -> String? { try? String(contentsOfFile: folder("received/\(id)"), encoding: .utf8) }
        private let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  // of "abc"

        @Test func aFileIsKeptOnceUnderItsID() async throws {
            try await with { collector in
                let first = try await collector.send("PUT", "/v1/files/A-00000001", Array("abc".utf8), ["Logbook-SHA256": digest])
                #expect(first.status == 200)
                #expect(String(decoding: first.body, as: UTF8.self) == #"{"file":"A-00000001","bytes":3,"duplicates":0}"#)
                #expect(kept("A-00000001") == "abc")
                let again = try await collector.send("PUT", "/v1/files/A-00000001", Array("abc".utf8))
                #expect(String(decoding: again.body, as: UTF8.self) == #"{"file":"A-00000001","bytes":3,"duplicates":1}"#)
                let posted = try await collector.send(
                    "POST", "/v1/files", Array("def".utf8), ["Logbook-Parcel": "B", "Content-Type": "text/plain"])
                #expect(posted.status == 200)
                #expect(kept("B") == "def")
            }
        }

        @Test("a file of other bytes under a known id is kept beside the first, answered for under its id, and said once")
        func anotherFileOfTheSameIDIsKept() async throws {
            var configuration = CollectorConfiguration()
            configuration.filesFolder = folder("received")
            let said = Locked<[String]>([])
            var service = try CollectorService(
                configuration: configuration, archive: try SQLiteArchive(path: folder("archive.sqlite")))
            service.report = { origin, remark in said.withLock { $0.append("\(origin): \(remark)") } }
            for (text, duplicates) in [("abc", 0), ("def", 0), ("def", 1), ("abc", 1)] {
                let answer = await service.answer(
                    CollectorRequest(
                        method: "PUT", path: "/v1/files/A", query: "", header: { _ in nil },
                        pieces: { take in try await take(Array(text.utf8)) }))
                #expect(answer.status == 200)
                #expect(String(decoding: answer.body, as: UTF8.self) == #"{"file":"A","bytes":3,"duplicates":\#(duplicates)}"#)
            }
            let other = "A~\(HexadecimalDigest.of("def".utf8).prefix(16))"
            #expect(kept("A") == "abc" && kept(other) == "def")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder("received")).count == 2)
            let remarks = said.withLock { $0 }
            #expect(remarks.count == 1)
            #expect(remarks.first?.hasPrefix("collector: another file of the id A ") == true)
            #expect(remarks.first?.contains(other) == true)
        }

        @Test func whatIsNoFileOfOursIsRefused() async throws {
            try await with { collector in
                let damaged = try await collector.send("PUT", "/v1/files/A", Array("abd".utf8), ["Logbook-SHA256": digest])
                #expect(damaged.status == 503)
                #expect(damaged.header("Retry-After") == "1")
                #expect(kept("A") == nil)
                for id in [".hidden", "a%2Fb", "a/b", String(repeating: "a", count: 129)] {
                    let answer = try await collector.send("PUT", "/v1/files/\(id)", Array("abc".utf8))
                    #expect(answer.status == 400, "\(id)")
                }
                let large = try await collector.send("PUT", "/v1/files/A", [UInt8](repeating: 0x61, count: 10_001))
                #expect(large.status == 413)
                let stranger = try await collector.send(
                    "PUT", "/v1/files/A", Array("abc".utf8), ["Authorization": "Bearer wrong"])
                #expect(stranger.status == 401)
                let asked = try await collector.send("GET", "/v1/files/A")
                #expect(asked.status == 405)
                #expect((try? FileManager.default.contentsOfDirectory(atPath: folder("received")))?.isEmpty ?? true)
            }
        }

        @Test(
            "a tenant's folder is beside the one that was named, however that was written",
            arguments: [
                ("shop", "/a/b", "/a/b-shop"), ("shop", "/a/b/", "/a/b-shop"), ("shop", "received//", "received-shop"),
                (Tenant.standard, "/a/b/", "/a/b"), (Tenant.standard, "/", "/"), ("shop", "/", "/-shop"),
            ])
        func foldersOfTenants(tenant: String, folder: String, path: String) {
            #expect(FileShelf.path(of: tenant, in: folder) == path)
        }

        @Test("a folder of any tenant in which no files can be kept is named at the start, before there is an archive")
        func theFoldersOfAllTenantsAreLookedAt() throws {
            var configuration = CollectorConfiguration()
            configuration.filesFolder = folder("received")
            configuration.tokenFile = folder("tokens")
            try "\(CollectorToken("t", tenant: "shop"))\n".write(toFile: folder("tokens"), atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder("tokens"))
            try "".write(toFile: folder("received-shop"), atomically: true, encoding: .utf8)
            #expect {
                try CollectorProgram(configuration, archive: "sqlite:" + folder("archive.sqlite"))
            } throws: {
                ($0 as? CollectorError)?.exitStatus == 73 && "\($0)".contains(folder("received-shop"))
            }
            #expect(!FileManager.default.fileExists(atPath: folder("archive.sqlite")))
        }

        @Test("a disk that is full keeps no collector from starting: it may have room later", arguments: [(ENOSPC, true), (EDQUOT, true), (EACCES, false)])
        func aFullDiskIsNoReasonNotToStart(number: Int32, starts: Bool) {
            let files = FaultyFileSystem()
            for isThere in [false, true] {
                if isThere { folder.makeFolder("received") }
                files.fail(number)
                let shelf = FileShelf(path: folder("received"))
                if starts {
                    #expect(throws: Never.self) { try shelf.check(files) }
                } else {
                    #expect(throws: CollectorError.self) { try shelf.check(files) }
                }
            }
            #expect(files.openDescriptors == 0 && files.faults == 2)
        }

        @Test func withoutAFolderThereIsNothingAtThePath() async throws {
            let archive = try SQLiteArchive(path: folder("archive.sqlite"))
            try await RunningCollector.with(archive) { collector in
                let answer = try await collector.send("PUT", "/v1/files/A", Array("abc".utf8))
                #expect(answer.status == 404)
            }
        }
    }
#endif
