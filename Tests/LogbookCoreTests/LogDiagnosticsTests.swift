import LogbookCore
import Testing

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
}
