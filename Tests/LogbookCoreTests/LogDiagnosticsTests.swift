import Foundation
import LogbookCore
import LogbookTestKit
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite(.serialized) struct LogDiagnosticsTests {
    @Test func remarksOfOneOriginAreThinnedAndCounted() {
        let seen = Locked<[LogDiagnostics.Remark]>([])
        LogDiagnostics.setHandler { remark in seen.withLock { $0.append(remark) } }
        defer { LogDiagnostics.setHandler(nil) }
        for number in 0..<1_000 { LogDiagnostics.report("thinned", "remark \(number)") }
        LogDiagnostics.report("other", "one")
        let remarks = seen.withLock { $0 }
        let thinned = remarks.filter { $0.origin == "thinned" }
        #expect(thinned.first?.message == "remark 0" && thinned.first?.suppressed == 0)
        #expect(thinned.count < 100)
        #expect(remarks.contains { $0.origin == "other" && $0.description == "logbook: other: one" })
    }

    @Test func aHandlerThatIsExchangedMayReportWhenItGoes() {
        /// Says so when it goes.
        final class Leaving: Sendable {
            deinit { LogDiagnostics.report("leaving", "gone") }
        }
        func handler(_ isAlive: Leaving) -> @Sendable (LogDiagnostics.Remark) -> Void { { _ in withExtendedLifetime(isAlive) {} } }
        let isDone = Locked(false)
        LogDiagnostics.setHandler(handler(Leaving()))
        // On a thread of its own: one that waits for itself does not come back.
        LogThread.start("exchanges") {
            LogDiagnostics.setHandler(nil)
            isDone.withLock { $0 = true }
        }
        #expect(becomesTrue { isDone.withLock { $0 } })
    }

    @Test("row 40: nothing is written into what a program has opened under the number of its standard error", arguments: [
        (O_RDWR | O_CREAT, false), (O_WRONLY | O_CREAT | O_TRUNC, false), (O_WRONLY | O_CREAT | O_APPEND, true),
    ])
    func aNumberThatIsSomebodyElsesByNow(flags: Int32, isStandardError: Bool) async {
        let folder = TemporaryFolder(), path = folder("db")
        await #expect(processExitsWith: .success) { [path = path as String, flags = flags as Int32, isStandardError = isStandardError as Bool] in
            let service = LogService(), console = dup(2)
            LogDiagnostics.report("first", "to the console")
            close(2)
            try #require(open(path, flags, 0o600) == 2)
            LogDiagnostics.report("second", "to nobody")
            dup2(console, 2)
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(text == (isStandardError ? "logbook: second: to nobody\n" : ""))
            withExtendedLifetime(service) {}
        }
    }

    @Test func nothingThatAReceiverSaysForgesALineOrMovesACursor() async {
        await #expect(processExitsWith: .success) {
            let ends = Unshared.pipe(), console = dup(2)
            try #require(dup2(ends[1], 2) == 2)
            LogDiagnostics.report("a\nb", "é\n\u{1B}[2J\r\0\u{7F}\u{9B}31m\u{202E}\u{2066}\u{200F}\u{61C}\u{2028}logbook: z")
            var taken = [UInt8](repeating: 0, count: 4096)
            let count = read(ends[0], &taken, taken.count)
            dup2(console, 2)
            #expect(String(decoding: taken[..<count], as: UTF8.self) == "logbook: a b: é  [2J    31m     logbook: z\n")
        }
    }

    @Test func aReaderOfStandardErrorThatSleepsHoldsNobodyUp() async {
        await #expect(processExitsWith: .success) {
            let ends = Unshared.pipe()
            _ = fcntl(ends[1], F_SETFL, fcntl(ends[1], F_GETFL) | O_NONBLOCK)
            let block = [UInt8](repeating: 0x78, count: 4096)
            while write(ends[1], block, block.count) > 0 {}
            _ = fcntl(ends[1], F_SETFL, fcntl(ends[1], F_GETFL) & ~O_NONBLOCK)
            let console = dup(2)
            try #require(dup2(ends[1], 2) == 2)
            alarm(60)   // ends a process that waits
            for number in 0..<10 { LogDiagnostics.report("origin \(number)", String(repeating: "y", count: 10_000)) }
            LogDiagnostics.report("counted", "not taken")
            // There is room for one remark, however long it is.
            var taken = [UInt8](repeating: 0, count: 4096)
            try #require(read(ends[0], &taken, taken.count) == 4096)
            LogDiagnostics.report("late", String(repeating: "z", count: 10_000))
            var rest: [UInt8] = []
            func takeWhatIsThere() {
                var request = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
                while poll(&request, 1, 0) > 0 { rest += taken[..<max(0, read(ends[0], &taken, taken.count))] }
            }
            takeWhatIsThere()
            let last = String(decoding: rest.suffix(4096), as: UTF8.self)
            // What is not taken counts as held back, until its turn comes again.
            rest = []
            var calls = 1
            while rest.isEmpty {
                LogDiagnostics.report("counted", "taken")
                calls += 1
                takeWhatIsThere()
            }
            dup2(console, 2)
            #expect(last.hasPrefix("logbook: late: zzz") && last.hasSuffix("z\n"))
            #expect(String(decoding: rest, as: UTF8.self) == "logbook: counted: taken (\(calls - 1) more remarks held back)\n")
        }
    }
}
