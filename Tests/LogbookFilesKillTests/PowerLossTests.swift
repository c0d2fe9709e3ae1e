#if canImport(Glibc)
    import Glibc
    import LogbookCompression
    import LogbookCore
    import LogbookFiles
    import LogbookTestKit
    import Testing

    /// Programs that log to files on a disk whose power fails.
    @Suite(.serialized, .enabled(if: LoopDisk.isPossible, "needs a small file system of its own")) struct PowerLossTests {
        private static let rounds = 40
        /// Fewer would not show that they are whole.
        private static let leastArchives = 6

        private struct Totals: CustomStringConvertible {
            var acknowledged = 0, kept = 0, losses = 0, archives = 0

            var description: String {
                "\(acknowledged) lines acknowledged, \(kept) found; \(losses) of \(rounds) losses of power took acknowledged lines; "
                    + "\(archives) archives"
            }
        }

        @Test("F16, row 4: 40 losses of power take no line that was acknowledged as safe, and every archive is whole")
        func safe() async throws {
            let totals = try await onThread { try Self.run("power") }
            print("losses of power, each line safe: \(totals)")
            #expect(totals.losses == 0)
            #expect(totals.acknowledged > 100)
            #expect(totals.archives >= Self.leastArchives)
        }

        /// What shows that the other test could fail.
        @Test("row 4: of lines that the kernel alone has, a loss of power takes the last ones, and none from between others")
        func unsafe() async throws {
            let totals = try await onThread { try Self.run("process") }
            print("losses of power, lines in the kernel's hands: \(totals)")
            #expect(totals.losses > 0)
        }

        private static func run(_ durability: String) throws -> Totals {
            // Each next victim begins where the one before lost its power.
            let disk = try LoopDisk(), random = LogRandomness.seeded(4)
            var totals = Totals()
            // More rounds where a slow machine writes few lines in the time of one.
            for round in 1...4 * rounds where round <= rounds || totals.archives < leastArchives {
                let tag = "r\(round)", victim = try Victim([disk.path, tag, durability])
                victim.waitForFirstWord()
                let acknowledged = try victim.losePower(of: disk, random).compactMap { Int($0) }
                let next = try FileLogProvider(
                    in: disk.path, format: Messages(), rolling: RollingPolicy(maximumArchives: 0), durability: .power)
                next.log(LogEvent(sequence: 1, time: LogTime(seconds: 1_763_720_960), level: .info, message: "next after \(tag)"))
                try next.shutdown(by: .seconds(60))

                var lines: [String] = []
                try LogFileReader(in: disk.path, compression: .gzip).forEachLine { lines.append(String(decoding: $0, as: UTF8.self)) }
                #expect(lines.last == "next after \(tag)")
                let whole = lines.filter { $0.hasPrefix("\(tag) ") && $0.hasSuffix(" end") }
                let numbers = whole.map { Int($0.split(separator: " ")[1]) ?? -1 }
                #expect(numbers == Array(1..<(numbers.count + 1)), "\(tag): not in order, or with a gap")
                let torn = lines.filter { !$0.hasSuffix(" end") && !$0.hasPrefix("next after ") && !$0.isEmpty }
                #expect(torn.count <= round, "\(tag): \(torn)")
                totals.acknowledged += acknowledged.count
                totals.kept += numbers.count
                if numbers.count < acknowledged.last ?? 0 { totals.losses += 1 }
                totals.archives = disk.names.count { $0.hasSuffix(".gz") }
            }
            return totals
        }
    }
#endif
