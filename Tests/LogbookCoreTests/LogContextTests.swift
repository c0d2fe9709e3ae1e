import LogbookCore
import LogbookTestKit
import Testing

@Suite struct LogContextTests {
    @Test func metadataGoesWithEverythingThatIsSaidInside() async {
        let provider = RecordingProvider(), service = LogService()
        service.register(provider)
        service.info("outside")
        await LogService.with(["request": "7", "user": "north"]) {
            service.info("1", metadata: ["user": "south", "n": 1])
            async let child: Void = service.info("2")
            await child
            await withTaskGroup { group in group.addTask { service.info("3") } }
            await Task { service.info("4") }.value
            await Task.detached { service.info("detached") }.value
            LogService.with(["user": "west", "deep": true]) { service.info("5") }
            service.info("6")
        }
        service.info("outside")
        let outer: LogMetadata = ["request": "7", "user": "north"]
        #expect(
            provider.events.map(\.metadata) == [
                [:], ["request": "7", "user": "south", "n": 1], outer, outer, outer, [:],
                ["request": "7", "user": "west", "deep": true], outer, [:],
            ])
    }

    @Test func aScopeIsRestoredWhenItsBodyThrows() {
        let provider = RecordingProvider(), service = LogService()
        service.register(provider)
        #expect(throws: ScriptedFailure.self) { try LogService.with(["a": 1]) { throw ScriptedFailure() } }
        service.info("after")
        #expect(provider.events.map(\.metadata) == [[:]])
    }

    @Test func messagesCarryTheCurrentTransaction() async {
        let provider = RecordingProvider(), service = LogService()
        service.register(provider)
        let outer = service.transaction(usecase: 1), inner = service.transaction(usecase: 2)
        await outer.run {
            service.info("1")
            #expect(LogTransaction.current?.id == outer.id)
            await LogService.with(["a": 1]) {
                service.info("2")
                await inner.run { async let child: Void = service.info("3"); await child }
            }
            inner.log(4)                                     // an entry belongs to its own transaction
            service.info("5")
        }
        service.info("6")
        #expect(LogTransaction.current == nil)
        #expect(
            provider.events.dropFirst(2).map(\.transactionID) == [
                outer.id, outer.id, inner.id, inner.id, outer.id, nil,
            ])
        let entry = provider.events[5]
        #expect(entry.transaction?.event == 4 && entry.metadata.isEmpty)
        #expect(provider.events[3].metadata == ["a": 1, "transaction_id": .string(outer.id)])
    }

    @Test func entriesCarryTheMetadataOfTheirScope() {
        let provider = RecordingProvider(interest: .transactionEntries), service = LogService()
        service.register(provider)
        LogService.with(["request": "7"]) { service.transaction(usecase: 1).log(2) }
        #expect(provider.events.map(\.metadata) == [["request": "7"], ["request": "7"]])
    }

    struct Plain: LogProvider {
        let inner = RecordingProvider()
        var wantsContext: Bool { false }
        func log(_ event: LogEvent) { inner.log(event) }
        func flush(by deadline: LogDeadline) throws {}
    }

    // In a process of its own: a task of another test that carries a level makes every service ask.
    @Test func aTaskIsAskedOnlyWhenSomebodyWantsToKnow() async {
        await #expect(processExitsWith: .success) {
            let reads = Locked(0), plain = Plain(), curious = RecordingProvider()
            let service = LogService(readContext: {
                reads.withLock { $0 += 1 }
                return LogContext.current
            })
            let first = service.register(curious)
            service.info("no task carries anything")
            precondition(reads.withLock { $0 } == 0)
            first.unregister()
            service.register(plain)
            LogService.with(["a": 1]) {
                service.info("nobody wants to know")
                precondition(reads.withLock { $0 } == 0)
                service.register(curious, from: .warning)
                service.info("below the floor of everybody who is curious, but heard")
                service.warning("asked once, for everybody")
                precondition(reads.withLock { $0 } == 2)
            }
            precondition(curious.events.map(\.metadata) == [[:], ["a": 1]])
            precondition(plain.inner.events.map(\.metadata) == [[:], ["a": 1], ["a": 1]])
        }
    }

    @Test func aLineNobodyListensToAsksNoTask() async {
        await #expect(processExitsWith: .success) {
            let service = LogService(readContext: { preconditionFailure("nobody listens") })
            service.register(RecordingProvider(), from: .error)
            LogService.with(["a": 1]) { service.info("unheard") }
        }
    }

    @Test func rulesAndFiltersSeeWhatTheTaskCarries() {
        let provider = RecordingProvider(), service = LogService()
        service.register(provider, levels: ["*": .error, "net": .debug], where: .metadata("tenant", is: "north"))
        LogService.with(["category": "net", "tenant": "north"]) { service.debug("1") }
        LogService.with(["category": "net", "tenant": "south"]) { service.debug("-") }
        #expect(provider.messages == ["1"])
    }

    @Test func aTasksLevelIsNotThatOfWhatWasSaidElsewhereAndEarlier() {
        let provider = RecordingProvider(), ruled = RecordingProvider(), service = LogService()
        service.register(provider, from: .warning)
        service.register(ruled, levels: ["*": .warning, "net": .error])
        LogService.withLevel(.debug) {
            service.relay(.debug, "then", at: LogTime(nanoseconds: 1))
            service.relay(.debug, "now")
            service.relay(.warning, "then, loud", at: LogTime(nanoseconds: 1))
        }
        #expect(provider.messages == ["now", "then, loud"] && ruled.messages == provider.messages)
    }

    @Test func whoWantsNoContextIsNotAskedForTheTasksCategory() {
        let plain = Plain(), service = LogService()
        service.register(plain, levels: ["*": .error, "net": .debug]).isFixed = true
        LogService.with(["category": "net"]) {
            LogService.withLevel(.verbose) {
                #expect(!service.isEnabled(.debug) && service.isEnabled(.debug, category: "net"))
                service.debug("unheard")
            }
        }
        #expect(plain.inner.events.isEmpty)
    }

    @Test func whatWasSaidElsewhereAndEarlierIsNotOfThisTask() {
        let provider = RecordingProvider(), service = LogService()
        service.register(provider)
        LogService.with(["a": 1]) {
            service.relay(.info, "then", at: LogTime(nanoseconds: 1))
            service.relay(.info, "now")
        }
        #expect(provider.events.map(\.metadata) == [[:], ["a": 1]])
    }

    @Test func privateValuesOfATaskAreMasked() {
        let provider = RecordingProvider(), service = LogService()
        service.register(provider)
        LogService.with(["user": .private("north")]) { service.info("1") }
        #expect(provider.events.map(\.metadata) == [["user": "<private>"]])
    }
}
