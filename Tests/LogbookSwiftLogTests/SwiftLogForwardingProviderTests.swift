#if SwiftLog
    import LogbookCore
    import LogbookSwiftLog
    import LogbookTestKit
    import Logging
    import Testing

    @Suite struct SwiftLogForwardingProviderTests {
        private let store = RecordingLogHandler.Store()
        private let service = LogService(clock: .manual(ManualClock(now: LogTime(nanoseconds: 1_795_253_360_123_456_789))))

        private func recordingLogger() -> Logger { Logger(label: "out") { _ in RecordingLogHandler(store) } }

        private func handler(_ service: LogService, logLevel: Logger.Level? = nil) -> LogbookLogHandler {
            LogbookLogHandler(label: "", service: service, logLevel: logLevel)
        }

        private func forwarder(to handlers: any LogHandler...) -> SwiftLogForwardingProvider {
            SwiftLogForwardingProvider(
                to: Logger(label: "out") { _ in handlers.count == 1 ? handlers[0] : MultiplexLogHandler(handlers) })
        }

        // MARK: What arrives

        @Test func everyLevelLeavesUnchanged() {
            service.register(SwiftLogForwardingProvider(to: recordingLogger()))
            for level in LogLevel.allCases { service.log(level, "x") }
            #expect(store.events.map(\.level) == Logger.Level.allCases)
        }

        @Test func everythingKnownLeaves() throws {
            struct PaymentError: Error, CustomStringConvertible { let description = "declined" }
            service.register(SwiftLogForwardingProvider(to: recordingLogger()))
            let user = "jane", line = #line + 2
            let metadata: LogMetadata = ["n": 2, "in": ["k": [true, nil]], "who": .private("jane")]
            service.warning("for \(user, privacy: .private)", metadata: metadata, error: PaymentError())

            let event = try #require(store.events.first)
            #expect(event.message == "for <private>")
            #expect(
                event.metadata == [
                    "n": .stringConvertible(2), "in": ["k": [.stringConvertible(true), .stringConvertible("null")]],
                    "who": "<private>", "logbook.time": .stringConvertible("2026-11-21T09:29:20.123456789Z"),
                ])
            #expect(event.error.map { "\($0)" } == "PaymentError: declined")
            #expect(event.source == "LogbookSwiftLogTests" && event.file == #fileID)
            #expect(event.function == #function && event.line == UInt(line))
        }

        @Test func aTransactionLeavesAsMetadata() throws {
            service.register(SwiftLogForwardingProvider(to: recordingLogger()))
            let transaction = service.transaction(usecase: 17)
            transaction.log(2, error: 42, "Baad!")
            #expect(store.events.count == 2 && store.events.last?.level == .warning)
            #expect(
                store.events.last?.metadata?["transaction"] == [
                    "id": .string(transaction.id), "usecase": .stringConvertible(17), "event": .stringConvertible(2),
                    "error_code": .stringConvertible(42), "error_description": "Baad!",
                ])
        }

        @Test func metadataOfTheProgramsOwnLeavesBesideATransaction() throws {
            service.register(SwiftLogForwardingProvider(to: recordingLogger()))
            let transaction = service.transaction(usecase: 17)
            LogService.with(["transaction": "db-17"]) { transaction.log(2) }
            let metadata = try #require(store.events.last?.metadata)
            #expect(metadata["transaction"] == "db-17")
            #expect(metadata["transaction_2"] == ["id": .string(transaction.id), "usecase": .stringConvertible(17), "event": .stringConvertible(2)])
        }

        @Test func theLoggersOwnLevelApplies() {
            var logger = recordingLogger()
            logger.logLevel = .warning
            service.register(SwiftLogForwardingProvider(to: logger))
            service.info("low")
            service.error("high")
            #expect(store.events.map(\.message) == ["high"])
        }

        @Test func anUnknownPlaceStaysUnknown() {
            service.register(SwiftLogForwardingProvider(to: recordingLogger()))
            service.relay(.info, "x")
            #expect(store.events.first?.source == "n/a" && store.events.first?.line == 0)
        }

        // MARK: There and back

        @Test func anotherServiceHearsItOnceWithoutLoss() throws {
            struct PaymentError: Error {}
            let origin = RecordingProvider(), other = RecordingProvider(), second = LogService()
            second.register(other)
            service.register(origin)
            service.register(forwarder(to: handler(second)))
            service.error(
                "x", metadata: ["array": [1, 2.5, true, nil], "object": ["k": "v"], "text": "t"], error: PaymentError())
            Logger(label: "library") { LogbookLogHandler(label: $0, service: service) }
                .critical("from a library", metadata: ["n": .stringConvertible(1)], source: "nio")

            #expect(origin.events.count == 2 && other.events.count == 2)
            for (said, heard) in zip(origin.events, other.events) {
                #expect(heard.time == said.time && heard.level == said.level && heard.message == said.message)
                #expect(heard.metadata == said.metadata)
                #expect(heard.source == said.source && heard.error == said.error)
            }
            #expect(other.events.last?.metadata["logger.source"] == "nio")
        }

        @Test func theSameServiceDoesNotHearItAgain() {
            let heard = RecordingProvider()
            service.register(heard)
            let registration = service.register(forwarder(to: handler(service), RecordingLogHandler(store)))
            service.info("from us")
            Logger(label: "library") { LogbookLogHandler(label: $0, service: service) }.info("from a library")
            #expect(heard.messages == ["from us", "from a library"])
            #expect(store.events.map(\.message) == ["from us", "from a library"])
            #expect(registration.ledger == LogLedger(submitted: 2, delivered: 2))
            #expect(service.health().latestSequence == 2)
        }

        @Test func neitherThroughAQueueNorAWrapper() {
            struct Wrapper: LogProvider {
                let inner: any LogProvider
                func log(_ event: LogbookCore.LogEvent) { inner.log(event.replacingMessage(event.message + "!")) }
                func flush(by deadline: LogDeadline) throws { try inner.flush(by: deadline) }
            }
            let heard = RecordingProvider()
            service.register(heard)
            service.register(forwarder(to: handler(service), RecordingLogHandler(store)), delivery: .queued(QueuePolicy()))
            service.register(Wrapper(inner: forwarder(to: handler(service), RecordingLogHandler(store))))
            service.info("x")
            #expect(service.flush(by: .seconds(30)).isComplete)
            #expect(heard.messages == ["x"])
            #expect(store.events.map(\.message.description).sorted() == ["x", "x!"])
            for provider in service.health().providers { #expect(provider.ledger.droppedTotal == 0) }
        }

        @Test func norWhenAHandlerHandsItOverLater() {
            let heard = RecordingProvider(), back = handler(service), late = Locked<[Logging.LogEvent]>([])
            service.register(heard)
            service.register(forwarder(to: ClosureLogHandler { event in late.withLock { $0.append(event) } }))
            service.info("x")
            for event in late.withLock({ $0 }) { back.log(event: event) }   // outside of every provider
            #expect(heard.messages == ["x"])
            #expect(late.withLock { $0.count } == 1)
        }

        @Test func norWhenAHandlerMakesTextOfItsMetadata() {
            let heard = RecordingProvider(), back = handler(service)
            service.register(heard)
            service.register(
                forwarder(
                    to: ClosureLogHandler { event in
                        var event = event
                        event.metadata = event.metadata?.mapValues { .string($0.description) }
                        back.log(event: event)
                    }))
            service.info("x")
            #expect(heard.messages == ["x"])
        }

        @Test(arguments: [true, false])
        func norWhatAQueueStillHoldsWhenItsProviderLeaves(isConfigured: Bool) throws {
            let heard = RecordingProvider(), back = handler(service), gate = Gate(), isDone = Locked(false)
            let forwarder = forwarder(
                to: ClosureLogHandler { event in
                    gate.wait()
                    back.log(event: event)
                })
            service.register(heard)
            let registration = isConfigured
                ? try service.apply(LogConfiguration(.development) { LogListener(forwarder, name: "out", delivery: .queued()) })[0]
                : service.register(forwarder, delivery: .queued())
            for message in ["x", "y", "z"] { service.info("\(message)") }
            #expect(gate.waitForArrivals(1))
            LogThread.start("leaves") { [service] in
                if isConfigured { _ = try? service.apply(LogConfiguration(.development) {}, by: .seconds(60)) }
                else { registration.unregister(by: .seconds(60)) }
                isDone.withLock { $0 = true }
            }
            #expect(becomesTrue { service.registrations.count == 1 })
            gate.open()
            #expect(becomesTrue { isDone.withLock { $0 } })
            #expect(heard.messages == ["x", "y", "z"])
            #expect(registration.ledger == LogLedger(submitted: 3, delivered: 3))
        }

        @Test func textOfTheTimeStillTellsAnotherServiceTheTime() {
            let origin = RecordingProvider(), other = RecordingProvider(), second = LogService(), out = handler(second)
            service.register(origin)
            second.register(other)
            service.register(
                forwarder(
                    to: ClosureLogHandler { event in
                        var event = event
                        event.metadata = event.metadata?.mapValues { .string($0.description) }
                        out.log(event: event)
                    }))
            service.info("x")
            #expect(other.events.map(\.time) == origin.events.map(\.time))
            #expect(other.events.map(\.metadata) == [[:]])
        }

        @Test func twoServicesThatForwardToEachOtherComeToAnEnd() {
            let second = LogService(), first = RecordingProvider(), other = RecordingProvider()
            service.register(first)
            second.register(other)
            for delivery in [LogDelivery.immediate, .queued(QueuePolicy())] {
                let there = service.register(forwarder(to: handler(second)), delivery: delivery)
                let back = second.register(forwarder(to: handler(service)), delivery: delivery)
                service.info("there")
                second.info("back")
                #expect(service.flush(by: .seconds(30)).isComplete && second.flush(by: .seconds(30)).isComplete)
                there.unregister()
                back.unregister()
            }
            #expect(first.messages.filter { $0 == "there" }.count == 2 && first.messages.filter { $0 == "back" }.count == 2)
            #expect(other.messages.filter { $0 == "there" }.count == 2 && other.messages.filter { $0 == "back" }.count == 2)
        }

        @Test func whatAHandlerSaysOnItsOwnIsHeard() {
            let heard = RecordingProvider(), own = Logger(label: "") { _ in handler(service) }
            service.register(heard)
            service.register(forwarder(to: ClosureLogHandler { _ in own.warning("cannot connect") }))
            service.info("x")
            #expect(heard.messages == ["x", "cannot connect"])
        }

        @Test func manyTasksAreForwardedOnceEach() async {
            let heard = RecordingProvider(), other = RecordingProvider(), second = LogService()
            service.register(heard)
            second.register(other)
            let queue = QueuePolicy(overflow: .block(upTo: .seconds(30)))
            service.register(forwarder(to: handler(service), handler(second)), delivery: .queued(queue))
            let library = Logger(label: "") { _ in handler(service) }
            await withTaskGroup { group in
                for task in 0..<8 {
                    group.addTask {
                        for number in 0..<250 {
                            if task.isMultiple(of: 2) { library.info("\(task).\(number)") } else { service.info("\(task).\(number)") }
                        }
                    }
                }
            }
            #expect(service.flush(by: .seconds(30)).isComplete)
            #expect(heard.messages.count == 2_000 && Set(heard.messages).count == 2_000)
            #expect(other.messages.count == 2_000 && Set(other.messages) == Set(heard.messages))
        }
    }
#endif
