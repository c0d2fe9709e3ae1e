#if canImport(Glibc)
    import Glibc
    import LogbookCompression
    import LogbookCore
    import LogbookFiles
    import LogbookTestKit
    import Testing

    /// Programs that log to files, killed at random moments and at every call to the file system.
    @Suite struct KillTests {
        /// How often the interesting moments were hit: otherwise the kills would have proved nothing.
        private struct Totals: CustomStringConvertible {
            var kills = 0, acknowledged = 0, archives = 0, compressed = 0
            var torn = 0, unacknowledged = 0, halfCompressed = 0, twins = 0, withoutActiveFile = 0

            var description: String {
                "\(kills) kills; \(acknowledged) lines acknowledged, \(unacknowledged) kills with lines beyond them, \(torn) torn "
                    + "lines, \(archives) archives, \(compressed) of them compressed; kills found \(halfCompressed) half "
                    + "compressed, \(twins) compressed and not yet deleted, \(withoutActiveFile) between a roll and the next file"
            }
        }

        @Test("F16, R9, C2, row 1: 300 random kills lose nothing acknowledged and double nothing")
        func random() async throws {
            let totals = try await onThread { () -> Totals in
                let random = LogRandomness.seeded(16)
                var totals = Totals()
                for _ in 0..<100 {
                    // Each next victim begins where the one before was killed.
                    let folder = TemporaryFolder(inMemory: true)
                    for tag in ["a", "b", "c"] {
                        let victim = try Victim([folder.path, tag, "process"])
                        victim.waitForFirstWord()
                        usleep(UInt32(random.next() % 12_000))
                        let said = victim.killAndDrain()
                        Self.look(folder, &totals)
                        try Self.check(folder, tag, said, "a random kill of \(tag)", &totals)
                    }
                }
                return totals
            }
            print("random kills: \(totals)")
            #expect(totals.kills == 300)
            #expect(totals.acknowledged > 1000)
            #expect(totals.unacknowledged > 0)
            #expect(totals.compressed > 30)
            #expect(totals.halfCompressed + totals.twins > 0)
        }

        @Test(
            "R9, C2, F16, row 2: a kill before or after every call to the file system loses and doubles nothing",
            arguments: ["roll", "compress", "power"])
        func everyStep(scenario: String) async throws {
            let totals = try await onThread { () -> Totals in
                var totals = Totals()
                for moment in ["before", "after"] {
                    for call in 1... {
                        let folder = TemporaryFolder(inMemory: true)
                        let (said, wasKilled) = try Victim([folder.path, "a", scenario, "\(call)", moment]).waitAndDrain()
                        Self.look(folder, &totals)
                        if !wasKilled {
                            #expect(said.last == "done", "call \(call): \(said)")
                            #expect(call > 30, "the scenario is too small to mean anything")
                            break
                        }
                        try Self.check(folder, "a", said, "\(moment) call \(call) of \(scenario)", &totals)
                        try #require(call < 2000)
                    }
                }
                return totals
            }
            print("\(scenario), every step: \(totals)")
            if scenario == "compress" {
                #expect(totals.halfCompressed > 0)
                #expect(totals.twins > 0)
            } else {
                #expect(totals.withoutActiveFile > 0)
            }
        }

        @Test("F25: while another process is stopped at any moment, also amid a roll, lines are written and nobody waits for it")
        func stopped() async throws {
            let totals = try await onThread { () -> Totals in
                let random = LogRandomness.seeded(25)
                for _ in 0..<20 {
                    let folder = TemporaryFolder(inMemory: true)
                    let victim = try Victim([folder.path, "a", "process"])
                    victim.waitForFirstWord()
                    usleep(UInt32(random.next() % 8000))
                    victim.stop()
                    let own = try FileLogProvider(
                        in: folder.path, format: Messages(), rolling: RollingPolicy(maximumBytes: 3000, maximumArchives: 0))
                    for number in 1...200 {
                        own.log(
                            LogEvent(
                                sequence: UInt64(number), time: LogTime(seconds: 1_763_720_960), level: .info,
                                message: "b \(number) end"))
                    }
                    #expect(own.ledger == LogLedger(submitted: 200, delivered: 200))
                    try own.flush(by: .seconds(60))
                    _ = victim.killAndDrain()
                    var numbers: [Int] = []
                    try LogFileReader(in: folder.path, compression: .gzip).forEachLine { line in
                        let line = String(decoding: line, as: UTF8.self)
                        if line.hasPrefix("b "), line.hasSuffix(" end") { numbers.append(Int(line.split(separator: " ")[1]) ?? -1) }
                    }
                    #expect(numbers == Array(1...200))
                }
                return Totals()
            }
            withExtendedLifetime(totals) {}
        }

        @Test("row 27: a million lines for a disk that does not answer take no more memory than a process may have",
              .enabled(if: !Sanitizer.keepsWhatProgramsFree, "needs programs without a sanitizer, which takes memory of its own"))
        func memoryLimit() async throws {
            try await onThread {
                let folder = TemporaryFolder(inMemory: true)
                func said(_ scenario: String) throws -> [String] {
                    let limited = ["/bin/sh", "-c", #"ulimit -v 400000 && exec "$@""#, "limited"]
                    return try Victim([folder.path, "a", scenario], under: limited).waitAndDrain().said
                }
                let hoarding = try said("hoarding"), hanging = try said("hanging")
                #expect(hoarding == [], "the limit is no limit")
                // What was lost is said as well, when the disk answers again.
                let accounts = hanging.map { $0.split(separator: " ").compactMap { Int($0) } }
                #expect(accounts.count == 3 && accounts.allSatisfy { $0.count == 2 && $0[0] == $0[1] && $0[0] >= 1_000_000 }, "\(hanging)")
            }
        }

        /// What the kill left behind.
        private static func look(_ folder: TemporaryFolder, _ totals: inout Totals) {
            let names = Set(folder.allNames)
            if names.contains(where: { $0.hasSuffix(".part") }) { totals.halfCompressed += 1 }
            if names.contains(where: { names.contains($0 + ".gz") }) { totals.twins += 1 }
            if names.contains(where: { $0.hasPrefix("app-") }) && !names.contains("app.log") { totals.withoutActiveFile += 1 }
        }

        /// Starts anew and reads everything back.
        private static func check(
            _ folder: TemporaryFolder, _ tag: String, _ said: [String], _ kill: String, _ totals: inout Totals
        ) throws {
            let acknowledged = said.compactMap { Int($0) }
            let next = try FileLogProvider(in: folder.path, format: Messages(), rolling: RollingPolicy(maximumArchives: 0))
            next.log(
                LogEvent(sequence: 1, time: LogTime(seconds: 1_763_720_960), level: .info, message: "next after \(tag)"))
            try next.shutdown(by: .seconds(60))

            var lines: [String] = []
            try LogFileReader(in: folder.path, compression: .gzip).forEachLine {
                lines.append(String(decoding: $0, as: UTF8.self))
            }
            #expect(lines.last == "next after \(tag)", "\(kill)")
            let ofVictim = lines.filter { $0.hasPrefix("\(tag) ") && $0.hasSuffix(" end") }
            let numbers = ofVictim.map { Int($0.split(separator: " ")[1]) ?? -1 }
            #expect(numbers == Array(1..<(numbers.count + 1)), "\(kill): not in order, or with a gap")
            #expect(numbers.count >= acknowledged.last ?? 0, "\(kill): an acknowledged line is lost")
            let whole = lines.filter { $0.hasSuffix(" end") || $0.hasPrefix("next after ") || $0.isEmpty }
            let torn = lines.count - whole.count
            #expect(torn <= 3, "\(kill): \(torn) torn lines")

            let names = folder.allNames
            #expect(!names.contains { $0.hasSuffix(".part") }, "\(kill)")
            #expect(!names.contains { names.contains($0 + ".gz") }, "\(kill): an archive is there twice")
            #expect(names.filter { $0.hasSuffix(".log") && !$0.hasPrefix("app-") } == ["app.log"], "\(kill)")
            totals.kills += 1
            totals.acknowledged += acknowledged.count
            totals.torn += torn
            if numbers.count > acknowledged.last ?? 0 { totals.unacknowledged += 1 }
            totals.archives += names.filter { $0.hasPrefix("app-") }.count
            totals.compressed += names.filter { $0.hasSuffix(".gz") }.count
        }
    }
#endif
