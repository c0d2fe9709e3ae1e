#if SwiftLog
    import LogbookCore
    import LogbookSwiftLog
    import LogbookTestKit
    import Logging
    import Testing

    @Suite struct LogbookLogHandlerTests {
        private let provider = RecordingProvider()
        private let service = LogService()

        init() { service.register(provider) }

        private func logger(_ label: String = "test", metadataProvider: Logger.MetadataProvider? = nil) -> Logger {
            Logger(label: label) { LogbookLogHandler(label: $0, service: service, metadataProvider: metadataProvider) }
        }

        private var event: LogbookCore.LogEvent? { provider.events.last }

        // MARK: Values

        @Test func levelAndMetadataBelongToOneLogger() {
            var first = logger()
            first.logLevel = .debug
            first[metadataKey: "only-on"] = "first"

            var second = first
            second.logLevel = .error
            second[metadataKey: "only-on"] = "second"

            #expect(first.logLevel == .debug && second.logLevel == .error)
            #expect(first[metadataKey: "only-on"] == "first" && second[metadataKey: "only-on"] == "second")

            first.info("heard")
            second.info("not heard")
            second.error("heard too")
            #expect(provider.messages == ["heard", "heard too"])
            #expect(provider.events.map { $0.metadata["only-on"] } == ["first", "second"])
        }

        @Test func aMetadataProviderBelongsToOneLoggerToo() {
            let first = logger(metadataProvider: Logger.MetadataProvider { ["from": "provider"] })
            var second = first
            second.handler.metadataProvider = nil
            first.info("1")
            second.info("2")
            #expect(provider.events.map { $0.metadata["from"] } == ["provider", nil])
            #expect(first.metadataProvider != nil && second.metadataProvider == nil)
        }

        // MARK: Levels

        @Test(arguments: zip(Logger.Level.allCases, LogLevel.allCases))
        func everyLevelArrivesUnchanged(said: Logger.Level, heard: LogLevel) {
            logger().log(level: said, "x")
            #expect(event?.level == heard)
        }

        @Test func theServiceDecidesTheLevelUntilTheLoggerHasItsOwn() throws {
            let quiet = LogService(), level = Logger.Level.debug
            var logger = Logger(label: "test") { LogbookLogHandler(label: $0, service: quiet) }
            #expect(logger.logLevel == .critical)                                  // nobody listens
            let registration = quiet.register(provider, from: .warning)
            #expect(logger.logLevel == .warning)
            for heard in LogLevel.allCases {
                registration.level = heard
                #expect(logger.logLevel == Logger.Level(heard))
            }
            logger.logLevel = level
            #expect(logger.logLevel == level)
            registration.unregister()
            #expect(logger.logLevel == level)
        }

        @Test func aLineNobodyHearsIsNotEvaluated() {
            let quiet = LogService(), evaluations = Locked(0)
            quiet.register(provider, from: .warning)
            let count: @Sendable () -> String = {
                evaluations.withLock { $0 += 1 }
                return "x"
            }
            let metadataProvider = Logger.MetadataProvider { ["key": .string(count())] }
            var logger = Logger(label: "test") {
                LogbookLogHandler(label: $0, service: quiet, metadataProvider: metadataProvider)
            }
            logger[metadataKey: "lazy"] = .stringConvertible(Described(count))
            logger.info("\(count())", metadata: ["key": .string(count())])
            #expect(evaluations.withLock { $0 } == 0)

            // A level of the logger's own lets swift-log make the message; the rest is still spared.
            logger.logLevel = .trace
            logger.info("x", metadata: ["described": .stringConvertible(Described(count))])
            #expect(evaluations.withLock { $0 } == 0 && provider.events.isEmpty)
        }

        @Test func aLineThatIsHeardIsEvaluatedOnce() {
            let evaluations = Locked<[String]>([])
            let count: @Sendable (String) -> String = { part in
                evaluations.withLock { $0.append(part) }
                return part
            }
            var logger = logger(metadataProvider: Logger.MetadataProvider { ["p": .string(count("provider"))] })
            service.register(RecordingProvider())
            logger[metadataKey: "h"] = .stringConvertible(Described { count("handler") })
            logger.info("\(count("message"))", metadata: ["c": .stringConvertible(Described { count("call") })])
            #expect(evaluations.withLock { $0 }.sorted() == ["call", "handler", "message", "provider"])
            #expect(event?.message == "message")
            #expect(event?.metadata == ["c": "call", "h": "handler", "logger": "test", "p": "provider"])
        }

        @Test func aHandlerAmongOthersKeepsTheLevelItWasGiven() {
            let quiet = LogService(), other = RecordingLogHandler.Store()
            let logger = Logger(label: "test") { label in
                var recording = RecordingLogHandler(other)
                recording.logLevel = .warning
                return MultiplexLogHandler([
                    LogbookLogHandler(label: label, service: quiet, logLevel: .debug), recording,
                ])
            }
            let registration = quiet.register(provider, from: .error)
            logger.debug("unheard")
            registration.level = .debug
            logger.debug("heard by one")
            logger.warning("heard by both")
            #expect(provider.messages == ["heard by one", "heard by both"])
            #expect(other.events.map(\.message) == ["heard by both"])
        }

        // MARK: Metadata

        @Test func theCallBeatsTheProviderAndTheProviderBeatsTheLogger() {
            var logger = logger(metadataProvider: Logger.MetadataProvider { ["b": "provider", "c": "provider", "p": "p"] })
            logger[metadataKey: "a"] = "logger"
            logger[metadataKey: "b"] = "logger"
            logger[metadataKey: "c"] = "logger"
            logger.info("x", metadata: ["c": "call"])
            #expect(event?.metadata == ["a": "logger", "b": "provider", "c": "call", "logger": "test", "p": "p"])
            logger.info("y")
            #expect(event?.metadata == ["a": "logger", "b": "provider", "c": "provider", "logger": "test", "p": "p"])
            logger[metadataKey: "a"] = nil
            logger.info("z", metadata: [:])
            #expect(event?.metadata["a"] == nil)
        }

        @Test func theLabelIsMetadataUnlessItIsEmptyTakenOrUnwanted() {
            logger("com.example.app").info("x")
            #expect(event?.metadata == ["logger": "com.example.app"])
            logger("").info("x")
            #expect(event?.metadata == [:])
            logger("label").info("x", metadata: ["logger": "mine"])
            #expect(event?.metadata == ["logger": "mine"])
            Logger(label: "label") { LogbookLogHandler(label: $0, service: service, labelKey: nil) }.info("x")
            #expect(event?.metadata == [:])
            Logger(label: "label") { LogbookLogHandler(label: $0, service: service, labelKey: "log") }.info("x")
            #expect(event?.metadata == ["log": "label"])
        }

        // MARK: Places

        @Test func fileFunctionAndLineArrive() {
            let line = #line + 1
            logger().info("x")
            #expect(event?.source == LogSource(file: #fileID, function: #function, line: UInt32(line)))
            #expect(event?.source.module == "LogbookSwiftLogTests" && event?.metadata["logger.source"] == nil)
        }

        @Test func aSourceOfItsOwnIsKept() {
            logger().info("x", source: "nio")
            #expect(event?.metadata == ["logger": "test", "logger.source": "nio"])
            #expect(event?.source.module == "LogbookSwiftLogTests")
            logger().info("x", source: "LogbookSwiftLogTests")
            #expect(event?.metadata == ["logger": "test"])
        }

        @available(*, deprecated)   // as what it calls is
        @Test func theOldFormsOfTheCallLoseNothing() {
            let handler = LogbookLogHandler(label: "", service: service) as any LogHandler
            handler.log(
                level: .notice, message: "old", metadata: ["k": "v"], source: "Other", file: "Module/File.swift",
                function: "f()", line: 7)
            #expect(event?.level == .notice && event?.message == "old")
            #expect(event?.metadata == ["k": "v", "logger.source": "Other"])
            #expect(event?.source == LogSource(fileNamed: "Module/File.swift", functionNamed: "f()", line: 7))

            handler.log(
                level: .notice, message: "oldest", metadata: nil, file: "/home/me/Module/File.swift", function: "f()", line: 8)
            #expect(event?.metadata == ["logger.source": "Module"])
            #expect(event?.source == LogSource(fileNamed: "/home/me/Module/File.swift", functionNamed: "f()", line: 8))

            handler.log(level: .info, message: "m", metadata: nil, source: "n/a", file: "File.swift", function: "", line: .max)
            #expect(event?.metadata == [:] && event?.source.line == .max)
        }

        // MARK: Errors

        @Test func anErrorArrivesAsAnError() {
            struct PaymentError: Error, CustomStringConvertible { let description = "declined" }
            logger().error("payment failed", error: PaymentError())
            #expect(event?.error == LogErrorDetails(type: "PaymentError", description: "declined"))
            #expect(event?.metadata == ["logger": "test"])
            logger().error("payment failed")
            #expect(event?.error == nil)
        }

        // MARK: Bootstrapping and tasks

        @TaskLocal private static var request: String?

        @Test func oneLineMakesEveryLoggerSpeakToTheService() {
            // LoggingSystem takes one factory in the life of a process; this is the one test that gives it.
            let service = service
            LoggingSystem.bootstrap(
                { LogbookLogHandler(label: $0, service: service, metadataProvider: $1) },
                metadataProvider: Logger.MetadataProvider { Self.request.map { ["request": .string($0)] } ?? [:] })
            Self.$request.withValue("r1") { Logger(label: "somewhere else").notice("x") }
            #expect(event?.metadata == ["logger": "somewhere else", "request": "r1"])
            let own = Logger(label: "other", metadataProvider: Logger.MetadataProvider { ["own": "1"] })
            Self.$request.withValue("r2") { own.notice("x") }
            #expect(event?.metadata == ["logger": "other", "own": "1"])
        }

        @Test func theCurrentLoggerCarriesItsMetadataIntoTaskGroups() async {
            await withLogger(logger()) { _ in
                await withLogger(mergingMetadata: ["request": "r1"]) { _ in
                    await withTaskGroup { group in
                        for child in 0..<4 {
                            group.addTask {
                                withLogger(mergingMetadata: ["child": .stringConvertible(child)]) { $0.info("in a child") }
                            }
                        }
                    }
                    Logger.current.info("after")
                }
                withLogger(logLevel: .error) { $0.info("too low") }
            }
            #expect(provider.events.count == 5)
            #expect(provider.events.allSatisfy { $0.metadata["request"] == "r1" })
            #expect(Set(provider.events.map { $0.metadata["child"] }) == [nil, 0, 1, 2, 3])
        }

        @Test func loggersInManyTasksDisturbNobody() async {
            let shared = logger()
            await withTaskGroup { group in
                for task in 0..<8 {
                    group.addTask {
                        var mine = shared
                        mine[metadataKey: "task"] = .stringConvertible(task)
                        for number in 0..<500 { mine.info("\(task)", metadata: ["number": .stringConvertible(number)]) }
                    }
                }
            }
            let events = provider.events
            #expect(events.count == 4_000 && Set(events.map(\.sequence)) == Set(1...4_000))
            #expect(events.allSatisfy { $0.metadata["task"] == .integer(Int64($0.message)!) })
            for task in 0..<8 {
                let numbers = events.filter { $0.message == "\(task)" }.map { $0.metadata["number"] }
                #expect(numbers == (0..<500).map { .integer($0) })
            }
            #expect(shared[metadataKey: "task"] == nil)
        }
    }

    /// Something whose description is made by a closure.
    struct Described: CustomStringConvertible, Sendable {
        let make: @Sendable () -> String
        init(_ make: @escaping @Sendable () -> String) { self.make = make }
        var description: String { make() }
    }
#endif
