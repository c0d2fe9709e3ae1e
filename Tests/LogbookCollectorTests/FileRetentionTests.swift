#if Collector
    import Foundation
    import LogbookCore
    import LogbookHTTP
    import LogbookTestKit
    import Testing

    @testable import LogbookCollector

    @Suite struct FileRetentionTests {
        private let folder = TemporaryFolder()
        private static let day = 86_400.0

        /// A file that was changed so many days ago.
        private func put(_ name: String, daysOld days: Double) throws {
            folder.write("a line\n", to: name)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -days * Self.day)], ofItemAtPath: folder(name))
        }

        @Test("S33: whole files that came before go, with those that are kept beside them; what is no such file stays")
        func whatIsOlderGoes() throws {
            folder.makeFolder("received")
            let beside = "A-1@2~0123456789abcdef"
            for name in ["A-1@2", beside, "old.gz"] { try put("received/\(name)", daysOld: 11) }
            let others = [".A.0.part", "notes of mine", "A~1", "A~0123456789abcdef~0123456789abcdef"]
            for name in others { try put("received/\(name)", daysOld: 11) }
            try put("received/new", daysOld: 9)
            folder.makeFolder("received/inside")
            try FileManager.default.createSymbolicLink(atPath: folder("received/link"), withDestinationPath: "old.gz")
            let shelf = FileShelf(path: folder("received")), oldest = LogClock.system.now().adding(.seconds(-10 * Self.day))
            let outcome = shelf.remove(receivedBefore: oldest)
            #expect(outcome.count == 3 && outcome.failure == nil)
            #expect(Set(folder.names(in: "received")) == Set(others + ["new", "inside", "link"]))
            #expect(shelf.remove(receivedBefore: oldest) == (0, nil))
        }

        @Test func aFolderThatCannotBeReadIsSaidAndOneThatIsNotThereIsNot() {
            #expect(FileShelf(path: folder("missing")).remove(receivedBefore: LogTime(seconds: 1e10)) == (0, nil))
            folder.write("", to: "file")
            let outcome = FileShelf(path: folder("file")).remove(receivedBefore: LogTime(seconds: 1e10))
            #expect(outcome.count == 0)
            #expect(outcome.failure?.hasPrefix(folder("file") + ": ") == true, "\(outcome.failure ?? "nothing was said")")
        }

        @Test("S33: a collector removes them at its start, of each tenant, and counts them")
        func aCollectorRemovesThem() async throws {
            let tokens = [("metrics", Tenant.standard, "metrics,write"), ("shop", "shop", "write")].map { name, tenant, scopes in
                "\(CollectorToken(Secret(name + "-token-of-a-test")).digest) \(tenant) \(scopes)\n"
            }
            folder.write(tokens.joined(), to: "tokens")
            chmod(folder("tokens"), 0o600)
            for name in ["received", "received-shop", "received-other"] {
                folder.makeFolder(name)
                try put("\(name)/old", daysOld: 6)
                try put("\(name)/new", daysOld: 4)
            }
            let archive = try SQLiteArchive(path: folder("archive.sqlite"))
            try await RunningCollector.with(
                archive,
                configure: { configuration in
                    configuration.token = nil
                    configuration.tokenFile = folder("tokens")
                    configuration.filesFolder = folder("received")
                    configuration.keepFiles = .seconds(5 * Self.day)
                }
            ) { collector in
                let areGone = becomesTrue { folder.names(in: "received") == ["new"] && folder.names(in: "received-shop") == ["new"] }
                #expect(areGone)
                #expect(folder.names(in: "received-other") == ["new", "old"])
                var metrics = ""
                for _ in 0..<200 where !metrics.contains("removed_files_total 2\n") {
                    metrics = try await collector.send("GET", "/metrics", [], ["Authorization": "Bearer metrics-token-of-a-test"]).text
                }
                #expect(metrics.contains("logbook_collector_removed_files_total 2\n"), "\(metrics)")
            }
        }

        @Test("S33: where the clock jumps ahead no file goes before it has been so for a day; a failure is said")
        func aClockThatJumps() async throws {
            let start = LogTime(seconds: 20_000 * Self.day), clock = ManualClock(now: start)
            let asked = Locked<[LogTime]>([]), said = Locked<[String]>([]), pauses = Locked(0)
            let files = FileRetention(keep: .seconds(5 * Self.day)) { oldest in
                asked.withLock { $0.append(oldest) }
                return (2, ["/received/A: not now"])
            }
            let metrics = CollectorMetrics(), archive = try SQLiteArchive(path: folder("archive.sqlite"))
            await Retention(
                archive: archive, keep: nil, files: files, clock: .manual(clock), metrics: metrics,
                pause: { span in
                    #expect(span == .seconds(3600))
                    let pause = pauses.withLock { pauses in
                        pauses += 1
                        return pauses
                    }
                    if pause == 3 { throw CancellationError() }
                    if pause == 1 { clock.setWall(start.adding(.seconds(100 * Self.day))) }
                    clock.advance(by: .seconds(3600))
                },
                report: { origin, remark in said.withLock { $0.append("\(origin): \(remark)") } }
            ).runUntilCancelled()
            #expect(asked.withLock { $0 } == [start.adding(.seconds(-5 * Self.day))])
            #expect(metrics.text().contains("logbook_collector_removed_files_total 2\n"))
            let remarks = said.withLock { $0 }
            #expect(remarks.first == "retention of files: /received/A: not now")
            #expect(remarks.count == 2 && remarks.last?.contains("nothing is removed before it has been so for a day") == true)
        }
    }
#endif
