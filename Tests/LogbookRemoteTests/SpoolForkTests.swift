import LogbookCore
import LogbookDelivery
import LogbookHTTP
import LogbookTestKit
import Testing

@testable import LogbookRemote

@Suite struct SpoolForkTests {
    private let folder = TemporaryFolder()

    @Test("row 25: a forked child neither writes to its parent's spool, nor unlocks or closes it, whatever it calls")
    func aChildLeavesTheSpoolAlone() async {
        await #expect(processExitsWith: .success) { [path = folder("spool") as String] in
            let collector = FakeCollector()
            func provider(_ transport: any HTTPTransport) throws -> RemoteLogProvider {
                try RemoteLogProvider(to: .collector(url: "http://127.0.0.1:1"), spool: path, transport: transport)
            }
            let parent = try provider(ScriptedTransport(.fail(.unreachable("nobody there"))))
            parent.log(.numbered(1))
            let status = forked {
                parent.log(.numbered(100))
                let refusals: [() throws -> Void] = [{ try parent.flush(by: .seconds(30)) }, { try parent.deliver(by: .seconds(30)) }]
                let isRefused = refusals.allSatisfy { call in
                    do {
                        try call()
                        return false
                    } catch {
                        return error as? RemoteLogProviderError
                            == .notDelivered(pending: 0, reason: "the provider is of the process that was forked")
                    }
                }
                try? parent.shutdown(by: .now)
                return isRefused
            }
            #expect(status == 0)
            // The lane and its file are the parent's still.
            let other = try provider(collector.willing())
            try other.deliver(by: .seconds(30))
            #expect(collector.received == [])
            parent.log(.numbered(2))
            try parent.flush(by: .seconds(30))
            #expect(parent.lostAfterwards?.isEmpty ?? true)
            try? parent.shutdown(by: .now)
            let next = try provider(collector.willing())
            try next.deliver(by: .seconds(30))
            #expect(becomesTrue { Set(collector.received) == ["event 1", "event 2"] })   // or the other has them in hand
            withExtendedLifetime(other) {}
        }
    }
}
