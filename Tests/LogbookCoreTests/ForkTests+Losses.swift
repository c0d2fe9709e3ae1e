import LogbookTestKit
import Testing

@testable import LogbookCore

extension ForkTests {
    @Test("row 25: a forked child counts in memory of its own")
    func aForkedChild() async {
        await #expect(processExitsWith: .success) {
            let page = PageInMemory(), service = LogService(), sink = GatedSink()
            service.register(sink: sink, queue: QueuePolicy(batchCount: 1, linger: .zero))
            service.recordLosses(on: page.page)
            service.info("held")
            #expect(sink.gate.waitForArrivals(1) && service.distribute())
            let before = page.bytes
            let status = forked {
                for _ in 0..<3 { service.info("in the child") }
                guard service.latestSequence == 4, service.counts.currentPage == nil else { return false }
                service.reinitializeAfterFork()
                let own = PageInMemory(), sink = GatedSink()
                service.register(sink: sink, queue: QueuePolicy(batchCount: 1, linger: .zero), name: "own")
                guard service.claimRecording() else { return false }
                service.recordLosses(on: own.page)
                service.info("held in the child")
                guard sink.gate.waitForArrivals(1), service.distribute(), let losses = own.losses() else { return false }
                return losses.map(\.count) == [0...1] && losses.map(\.sequences) == [5...5]
            }
            #expect(status == 0)
            #expect(page.bytes == before)
            service.info("second")
            #expect(service.latestSequence == 2)
            sink.gate.open()
        }
    }

    @Test("row 25: what a parent had between callers and queues is not its child's", arguments: [false, true])
    func whatAParentHadOnItsWay(_ isOnAPage: Bool) async {
        await #expect(processExitsWith: .success) { [isOnAPage = isOnAPage as Bool] in
            let service = LogService(readContext: { nil }, startThread: { _, _ in false }), page = PageInMemory()
            service.register(sink: FailingSink { _ in nil })
            if isOnAPage { service.recordLosses(on: page.page) }
            for number in 0..<5 { service.info("on its way \(number)") }
            #expect(service.counts.unplaced == 5)
            let status = forked {
                service.reinitializeAfterFork()
                let own = PageInMemory(), sink = GatedSink()
                service.register(sink: sink, queue: QueuePolicy(batchCount: 1, linger: .zero), name: "own")
                service.info("said before")
                service.recordLosses(on: own.page)
                service.info("said after")
                guard service.distribute(), sink.gate.waitForArrivals(1) else { return false }
                guard own.losses()?.map(\.count) == [1...2] else { return false }
                sink.gate.open()
                return service.flush(by: .seconds(30)).isComplete && own.losses() == []
            }
            #expect(status == 0 && service.counts.unplaced == 5)
            #expect(service.flush(by: .seconds(30)).isComplete && service.counts.unplaced == 0)
        }
    }
}
