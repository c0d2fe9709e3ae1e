import LogbookCore
import LogbookTestKit
import Testing

@testable import LogbookFiles

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// One scenario, run with the fault one call later each time until nothing of it is left to fail.
@Suite struct FaultLoopTests {
    private static let faults: [FaultyFileSystem.Fault] = [
        .failure(EIO), .failure(ENOSPC), .failure(EINTR), .failure(EFBIG), .failure(EACCES), .failure(EMFILE),
        .shortWrite,
        .tornWrite(EIO), .tornWrite(ENOSPC), .tornWrite(EFBIG),
    ]
    private static let rolling = RollingPolicy(maximumBytes: 64, maximumArchives: 0)
    private static let messages = (1...14).map { "line \($0) " + String(repeating: "x", count: $0 % 5) }

    /// - Returns: The messages whose writing was acknowledged.
    private func logAll(_ provider: FileLogProvider, _ clock: ManualClock) throws -> [String] {
        var acknowledged: [String] = []
        for (index, message) in Self.messages.enumerated() {
            let before = provider.ledger!.delivered
            provider.log(event(message))
            if provider.ledger!.delivered > before { acknowledged.append(message) }
            clock.advance(by: .seconds(10))
            if index == 6 { try? provider.flush(by: .never) }
        }
        let ledger = provider.ledger!
        #expect(ledger.submitted == UInt64(Self.messages.count))
        #expect(ledger.pending == 0)
        #expect(ledger.delivered == UInt64(acknowledged.count))
        #expect(Set(ledger.dropped.keys).isSubset(of: [.inputOutputError, .oversize]))
        return acknowledged
    }

    @Test("rows 7, 10, 12: one fault at any call loses nothing acknowledged and tears nothing", arguments: faults)
    func once(fault: FaultyFileSystem.Fault) throws {
        try loop(fault, lasts: false) { folder, files, clock in
            let acknowledged: [String]
            do {
                let provider = try FileLogProvider(
                    in: folder.path, format: MessageFormat(), rolling: Self.rolling, files: files, clock: .manual(clock)
                )
                acknowledged = try logAll(provider, clock)
                try? provider.shutdown(by: .never)
            } catch is FileLogProviderError { return }  // setting up may fail, and says so
            let lines = folder.allLines().filter { !$0.isEmpty && !$0.contains(" missing here: ") }
            #expect(lines == acknowledged)
            #expect(acknowledged.count >= Self.messages.count - 1)
        }
    }

    @Test(
        "rows 7, 10: faults that stay end nothing, and the next start goes on with a line of its own", arguments: faults
    )
    func fromThenOn(fault: FaultyFileSystem.Fault) throws {
        try loop(fault, lasts: true) { folder, files, clock in
            var acknowledged: [String] = []
            do {
                let provider = try FileLogProvider(
                    in: folder.path, format: MessageFormat(), rolling: Self.rolling, files: files, clock: .manual(clock)
                )
                acknowledged = try logAll(provider, clock)
                try? provider.shutdown(by: .never)
            } catch is FileLogProviderError {}
            let next = try FileLogProvider(in: folder.path, format: MessageFormat(), rolling: Self.rolling)
            next.log(event("after the restart"))
            // A fault between a roll and the next file may leave the archive torn; nothing is glued to it.
            let lines = folder.allLines(mayBeTorn: true).filter { !$0.isEmpty && !$0.contains(" missing here: ") }
            #expect(lines.filter { Self.messages.contains($0) } == acknowledged)
            #expect(lines.last == "after the restart")
            let torn = lines.dropLast().filter { !Self.messages.contains($0) }
            #expect(torn.count <= 1, "\(torn)")
        }
    }

    @Test("one fault at any call of a batch neither loses nor doubles a line", arguments: faults)
    func batches(fault: FaultyFileSystem.Fault) throws {
        try loop(fault, lasts: false) { folder, files, clock in
            do {
                let provider = try FileLogProvider(
                    in: folder.path, format: MessageFormat(), rolling: Self.rolling, files: files, clock: .manual(clock)
                )
                var rest = Self.messages[...]
                while !rest.isEmpty {
                    let batch = rest.prefix(5)
                    do {
                        try provider.write(batch.map { event($0) })
                        rest = rest.dropFirst(batch.count)
                    } catch BatchWriteError.wroteOnly(let count, _) {
                        rest = rest.dropFirst(count)
                    }
                    clock.advance(by: .seconds(10))
                }
                provider.close(by: .never)
            } catch is FileLogProviderError { return }
            #expect(folder.allLines().filter { !$0.isEmpty && !$0.contains(" missing here: ") } == Self.messages)
        }
    }

    private func loop(
        _ fault: FaultyFileSystem.Fault, lasts: Bool,
        _ scenario: (TemporaryFolder, FaultyFileSystem, ManualClock) throws -> Void
    ) throws {
        var runs = 0
        for call in 1... {
            let folder = TemporaryFolder(inMemory: true)
            let files = FaultyFileSystem(failing: call, with: fault, lasts: lasts)
            try scenario(folder, files, ManualClock(now: LogTime(nanoseconds: 1_763_720_960_000_000_000)))
            #expect(files.openDescriptors == 0, "call \(call)")
            if files.faults == 0 { break }
            runs = call
        }
        #expect(runs >= 30, "the scenario is too small to mean anything")
    }
}
