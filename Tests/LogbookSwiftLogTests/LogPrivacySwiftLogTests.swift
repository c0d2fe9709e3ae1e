#if SwiftLog
    import LogbookCore
    import LogbookSwiftLog
    import LogbookTestKit
    import Logging
    import Testing

    @Suite struct LogPrivacySwiftLogTests {
        private enum Sensitivity: Int64, Logger.MetadataValueAttributes.Attribute { case sensitive, harmless }
        private enum Unit: Int64, Logger.MetadataValueAttributes.Attribute { case seconds }

        private func heard(
            _ mode: PrivacyMode, _ metadata: Logger.Metadata, rules: PrivacyRules = .none, line: UInt = #line
        ) -> LogMetadata? {
            let provider = RecordingProvider(), service = LogService(privacy: mode)
            service.privacyRules = rules
            service.register(provider)
            var logger = Logger(label: "") {
                LogbookLogHandler(label: $0, service: service) { $0[Sensitivity.self] == .sensitive ? .private : nil }
            }
            logger.handler.metadata = metadata
            logger.info("x")
            return provider.events.first?.metadata
        }

        @Test func attributesDecideWhoSeesAValue() {
            let user = "jane"
            let metadata: Logger.Metadata = [
                "a": .attributed(user, attributes: [LogPrivacy.private]),
                "b": "\(user, privacy: .private)",
                "c": "key \(user, privacy: .secret)",
                "d": "\(user, privacy: .public)",
                "e": .attributed(user, attributes: [Unit.seconds]),
                "f": ["inner": .attributed(user, attributes: [LogPrivacy.secret])],
                "g": .attributed(user, attributes: [Sensitivity.sensitive]),
                "h": .attributed(user, attributes: [Sensitivity.harmless]),
            ]
            let masked = LogValue("<private>"), secret = LogValue("<secret>")
            #expect(
                heard(.masked, metadata) == [
                    "a": masked, "b": masked, "c": secret, "d": "jane", "e": "jane", "f": ["inner": secret],
                    "g": masked, "h": "jane",
                ])
            #expect(
                heard(.revealed, metadata) == [
                    "a": "jane", "b": "jane", "c": secret, "d": "jane", "e": "jane", "f": ["inner": secret],
                    "g": "jane", "h": "jane",
                ])
        }

        @Test func theStrictestPartDecides() {
            let metadata: Logger.Metadata = [
                "a": "\("jane", privacy: .secret) \("home", privacy: .public)",
                "b": "\("home", privacy: .public) \("jane", privacy: .private)",
                "c": .attributed("jane", attributes: [Sensitivity.sensitive, LogPrivacy.public]),
                "d": .attributed("jane", attributes: [Sensitivity.sensitive, LogPrivacy.secret]),
            ]
            #expect(heard(.masked, metadata) == ["a": "<secret>", "b": "<private>", "c": "<private>", "d": "<secret>"])
        }

        @Test(arguments: [PrivacyRules.standard, PrivacyRules(unmarkedTexts: .private)])
        func noRuleLooksAtAPublicValue(rules: PrivacyRules) {
            let text = "pin=1234"
            let values: [Logger.MetadataValue] = [
                "\(text, privacy: .public)", .attributed(text, attributes: [LogPrivacy.public]),
            ]
            for value in values {
                let shown = heard(.masked, ["token": value, "list": [value], "owner": ["token": value]], rules: rules)
                #expect(shown == ["list": [.string(text)], "owner": ["token": .string(text)], "token": .string(text)])
            }
        }

        @Test func onePublicPartMakesTheWholeValuePublic() {
            let metadata: Logger.Metadata = ["token": "\("home", privacy: .public) of \("jane")"]
            #expect(heard(.masked, metadata, rules: .standard) == ["token": "home of jane"])
        }

        @Test func aSecretIsNotEvenEvaluatedAndNoHandlerSeesIt() {
            nonisolated(unsafe) var evaluated = false
            func secret() -> String {
                evaluated = true
                return "key"
            }
            let value: Logger.MetadataValue = "token=\(secret(), privacy: .secret)"
            #expect(value.description == "token=<secret>" && !evaluated)
        }

        private struct Refused: LogDescribableError {
            let customer: String
            var logDescription: LogMessage { "refused for \(customer, privacy: .private), \("key", privacy: .secret)" }
        }

        @Test(arguments: [PrivacyMode.masked, .revealed, .hashed, .dropped])
        func marksOfAnErrorAreHeededAsWhereItIsSaidDirectly(mode: PrivacyMode) throws {
            let provider = RecordingProvider(), service = LogService(privacy: mode), error = Refused(customer: "jane")
            service.register(provider)
            let logger = Logger(label: "") { LogbookLogHandler(label: $0, service: service) }
            service.error("x", error: error)
            logger.error("x", error: error)
            let errors = provider.events.map(\.error)
            #expect(errors.count == 2 && errors[0] == errors[1] && errors[0]?.type == "Refused")
            if mode == .revealed { #expect(errors[1]?.description == "refused for jane, <secret>") }
            if mode == .hashed { #expect(errors[1]?.description.hasPrefix("refused for <private:") == true) }
        }

        @Test func aForwardedErrorHidesNothingMore() {
            let provider = RecordingProvider(), service = LogService(privacy: .revealed)
            service.register(provider)
            let logger = Logger(label: "") { LogbookLogHandler(label: $0, service: service) }
            let details = LogErrorDetails(type: "Refused", description: "refused for <private>")
            logger.error("x", error: ForwardedError(details))
            #expect(provider.events.map(\.error) == [details])
        }

        @Test func everyDegreeSurvivesAsAnAttribute() {
            for privacy in [LogPrivacy.public, .private, .secret] {
                #expect(LogPrivacy(rawValue: privacy.rawValue) == privacy)
            }
            #expect(LogPrivacy(rawValue: 3) == nil)
        }
    }
#endif
