#if SwiftLog
    internal import LogbookCore
    internal import Logging

    /// One handler under one check.
    final class LogHandlerBench: Sendable {
        let specimen: LogHandlerSpecimen
        private let keepsText: Bool
        private let progress: CheckProgress

        init(_ specimen: LogHandlerSpecimen, keepsText: Bool, progress: CheckProgress) {
            self.specimen = specimen
            self.keepsText = keepsText
            self.progress = progress
        }

        // MARK: Driving

        /// A logger that lets everything through to the handler, or to a copy that was prepared.
        private func logger(_ handler: (any LogHandler)? = nil) -> Logger {
            var logger = Logger(label: "conformance") { _ in handler ?? specimen.handler }
            logger.logLevel = .trace
            return logger
        }

        private func log(
            _ text: String, _ level: Logger.Level = .notice, metadata: Logger.Metadata? = nil, error: (any Error)? = nil,
            source: String? = nil, to logger: Logger? = nil
        ) {
            let logger = logger ?? self.logger()
            progress.doing("log") {
                logger.log(level: level, Logger.Message(stringLiteral: text), error: error, metadata: metadata, source: source)
            }
        }

        private func lines() throws -> [RecordedLine] { try progress.doing("readBack") { try specimen.readBack() } }

        private func only() throws -> RecordedLine {
            let lines = try lines()
            guard let line = lines.first, lines.count == 1 else { throw CheckFailed("one call made \(lines.count) lines") }
            return line
        }

        // MARK: Judging

        private func require(_ isKept: Bool, _ explanation: @autoclosure () -> String) throws {
            if !isKept { throw CheckFailed(explanation()) }
        }

        /// The texts of the calls, in their order, where the handler keeps text.
        private func requireTexts(_ expected: [String]) throws {
            let lines = try lines()
            try require(lines.count == expected.count, "\(expected.count) calls made \(lines.count) lines")
            for (line, text) in zip(lines, expected) {
                guard let message = line.message else { continue }
                try require(
                    message.isSame(as: text), "\(Reading.quoted(text)) was read back as \(Reading.quoted(message))")
            }
        }

        private func requireValue(_ value: Logger.MetadataValue?, under key: String, in line: RecordedLine) throws {
            guard let metadata = line.metadata else { return }
            let found = metadata[key]
            guard let value else {
                return try require(found == nil, "under \(Reading.quoted(key)) stands \(Self.inWords(found)), which nobody said here")
            }
            try require(
                found.map { Self.isEquivalent(value, $0) } ?? false,
                "under \(Reading.quoted(key)) \(Self.inWords(value)) was said and \(Self.inWords(found)) was read back")
        }

        private static func inWords(_ value: Logger.MetadataValue?) -> String { value.map { Reading.quoted($0.description) } ?? "nothing" }

        /// Whether both read the same; a handler may make text of any value.
        private static func isEquivalent(_ said: Logger.MetadataValue, _ found: Logger.MetadataValue) -> Bool {
            switch (said, found) {
            case (.array(let said), .array(let found)):
                said.count == found.count && zip(said, found).allSatisfy { isEquivalent($0, $1) }
            case (.dictionary(let said), .dictionary(let found)):
                said.count == found.count && said.allSatisfy { key, value in found[key].map { isEquivalent(value, $0) } ?? false }
            default: said.description == found.description
            }
        }

        // MARK: Lines

        func takesOne() throws {
            log("said once")
            try requireTexts(["said once"])
        }

        func writesOnce() throws {
            let texts = ["first", "second", "third"]
            for text in texts { log(text) }
            try requireTexts(texts)
        }

        func everyLevel() throws {
            for level in Logger.Level.allCases { log("at \(level)", level) }
            try requireTexts(Logger.Level.allCases.map { "at \($0)" })
            for (line, level) in zip(try lines(), Logger.Level.allCases) {
                guard let found = line.level else { continue }
                try require(found == level, "a call at \(level) was read back as \(found)")
            }
        }

        func emptyMessage() throws {
            let texts = ["before", "", "after"]
            for text in texts { log(text) }
            try requireTexts(texts)
        }

        func oneInOneOut() throws {
            let logger = logger()
            for text in HostileText.all {
                log("text \(text)")
                log("a value", metadata: ["k": "\(text)", "list": [.stringConvertible(text)]])
                log("a key", metadata: [text: "v", "object": [text: "v"]])
                log("an error", error: ScriptedFailure(text))
                progress.doing("log") { logger.notice("a place", source: text, file: text, function: text, line: 1) }
            }
            let expected = 5 * HostileText.all.count, count = try lines().count
            try require(count == expected, "\(expected) calls with hostile text made \(count) lines")
        }

        func hostileText() throws {
            guard keepsText else { throw CheckNotApplicable("the handler does not claim to keep text as it was") }
            for text in HostileText.all { log(text) }
            try requireTexts(HostileText.all)
        }

        func keepsSource() throws {
            log("said elsewhere", source: "elsewhere")
            if let source = try only().source {
                try require(source == "elsewhere", "the source \"elsewhere\" was read back as \(Reading.quoted(source))")
            }
        }

        func keepsError() throws {
            let cause = ScriptedFailure("the cause")
            log("it failed", error: cause)
            if let error = try only().error {
                try require(error.contains("the cause"), "the error \"the cause\" was read back as \(Reading.quoted(error))")
            }
        }

        func oldForm() throws {
            let handler = specimen.handler, caller: any OldFormCalling = OldFormCaller()
            progress.doing("the deprecated form of log") { caller.log("said the old way", ["k": "v"], source: "elsewhere", to: handler) }
            try requireTexts(["said the old way"])
            // Its source is lost in swift-log itself, where a handler has only the new form.
            try requireValue("v", under: "k", in: only())
        }

        static let threads = 8
        static let callsPerThread = 50

        func concurrency() throws {
            let crew = Crew(), logger = logger()
            for number in 0..<Self.threads {
                let isAdded = crew.add(number) { number in
                    var logger = logger
                    logger[metadataKey: "thread"] = "\(number)"
                    for call in 0..<Self.callsPerThread { logger.notice("\(number)/\(call)") }
                }
                guard isAdded else { throw CheckFailed("the machine gives no thread to log from") }
            }
            crew.begin()
            crew.wait("log on many threads", progress)
            let lines = try lines()
            try require(
                lines.count == Self.threads * Self.callsPerThread,
                "\(Self.threads * Self.callsPerThread) calls on \(Self.threads) threads made \(lines.count) lines")
            let texts = lines.compactMap(\.message)
            try require(Set(texts).count == texts.count, "some calls made two lines, and others none")
        }

        // MARK: The level

        func keepsLevel() throws {
            var handler = specimen.handler
            for level in Logger.Level.allCases.reversed() {
                handler.logLevel = level
                try require(handler.logLevel == level, "the level was set to \(level) and is \(handler.logLevel)")
            }
            var logger = logger()
            logger.logLevel = .error
            log("not to be written", .warning, to: logger)
            log("to be written", .error, to: logger)
            try requireTexts(["to be written"])
        }

        func levelIsAValue() throws {
            var original = specimen.handler
            original.logLevel = .debug
            var copy = original
            copy.logLevel = .critical
            try require(
                original.logLevel == .debug, "a copy was set to critical, and the original went from debug to \(original.logLevel)")
        }

        // MARK: Metadata

        func keepsMetadata() throws {
            var handler = specimen.handler
            handler[metadataKey: "k"] = "v"
            try require(handler.metadata["k"] == "v", "a key was set, and it is not in the metadata")
            handler.metadata = ["other": "w"]
            try require(
                handler[metadataKey: "other"] == "w" && handler[metadataKey: "k"] == nil,
                "the metadata was set as a whole, and its keys are not those")
            handler[metadataKey: "other"] = nil
            try require(handler.metadata["other"] == nil, "a key was set to nil, and it is still there")
        }

        func metadataIsAValue() throws {
            var original = specimen.handler
            original[metadataKey: "k"] = "original"
            var copy = original
            copy[metadataKey: "k"] = "copy"
            copy[metadataKey: "more"] = "copy"
            try require(
                original[metadataKey: "k"] == "original" && original[metadataKey: "more"] == nil,
                "the metadata of a copy was set, and the original has it too")
        }

        func writesMetadata() throws {
            var logger = logger()
            logger[metadataKey: "own"] = "logger's"
            log("said", metadata: ["call": "call's"], to: logger)
            let line = try only()
            try requireValue("logger's", under: "own", in: line)
            try requireValue("call's", under: "call", in: line)
        }

        func metadataOfEveryKind() throws {
            let metadata: Logger.Metadata = [
                "text": "plain", "empty": "", "number": .stringConvertible(42), "flag": .stringConvertible(true),
                "list": ["one", ["two"]], "object": ["inner": ["deeper": "x"]], "a key = with \"signs\"": "y",
            ]
            log("said", metadata: metadata)
            let line = try only()
            for (key, value) in metadata { try requireValue(value, under: key, in: line) }
        }

        func callWins() throws {
            var logger = logger()
            logger[metadataKey: "k"] = "logger's"
            log("said", metadata: ["k": "call's"], to: logger)
            try requireValue("call's", under: "k", in: only())
        }

        func forgetsTheCall() throws {
            let logger = logger()
            log("first", metadata: ["k": "call's"], to: logger)
            log("second", to: logger)
            let lines = try lines()
            try require(lines.count == 2, "2 calls made \(lines.count) lines")
            try requireValue(nil, under: "k", in: lines[1])
        }

        private func prepared(_ provider: Logger.MetadataProvider?) throws -> any LogHandler {
            var handler = specimen.handler
            handler.metadataProvider = provider
            guard provider == nil || handler.metadataProvider != nil else {
                throw CheckFailed("a metadata provider was set, and the handler has none")
            }
            return handler
        }

        func asksItsProvider() throws {
            let asked = Locked(0)
            let provider = Logger.MetadataProvider {
                let count = asked.withLock { count in
                    count += 1
                    return count
                }
                return ["asked": "\(count)"]
            }
            let logger = logger(try prepared(provider))
            log("first", to: logger)
            log("second", to: logger)
            let values = try lines().compactMap(\.metadata).compactMap { $0["asked"]?.description }
            guard try !lines().compactMap(\.metadata).isEmpty else { throw CheckNotApplicable("the handler does not keep metadata") }
            try require(values.count == 2, "of 2 calls \(values.count) have what the metadata provider said")
            try require(values[0] != values[1], "the metadata provider was asked once for two calls")
        }

        func providerIsAValue() throws {
            let original = try prepared(Logger.MetadataProvider { ["of": "original"] })
            var copy = original
            copy.metadataProvider = Logger.MetadataProvider { ["of": "copy"] }
            log("said", to: logger(original))
            try requireValue("original", under: "of", in: only())
        }

        func providerWins() throws {
            var logger = logger(try prepared(Logger.MetadataProvider { ["k": "provider's"] }))
            logger[metadataKey: "k"] = "logger's"
            log("said", to: logger)
            try requireValue("provider's", under: "k", in: only())
        }

        func callWinsOverProvider() throws {
            let logger = logger(try prepared(Logger.MetadataProvider { ["k": "provider's"] }))
            log("said", metadata: ["k": "call's"], to: logger)
            try requireValue("call's", under: "k", in: only())
        }

        func writesAllMetadata() throws {
            var logger = logger(try prepared(Logger.MetadataProvider { ["provided": "provider's"] }))
            logger[metadataKey: "own"] = "logger's"
            log("said", metadata: ["call": "call's"], to: logger)
            let line = try only()
            try requireValue("logger's", under: "own", in: line)
            try requireValue("provider's", under: "provided", in: line)
            try requireValue("call's", under: "call", in: line)
        }
    }

    /// Calls what swift-log has deprecated and handlers must still heed; through a requirement, which is not deprecated itself.
    private protocol OldFormCalling {
        func log(_ text: String, _ metadata: Logger.Metadata, source: String, to handler: any LogHandler)
    }

    private struct OldFormCaller: OldFormCalling {
        @available(*, deprecated)
        func log(_ text: String, _ metadata: Logger.Metadata, source: String, to handler: any LogHandler) {
            handler.log(
                level: .notice, message: Logger.Message(stringLiteral: text), metadata: metadata, source: source, file: #fileID,
                function: #function, line: #line)
        }
    }
#endif
