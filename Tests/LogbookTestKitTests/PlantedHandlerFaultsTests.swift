#if SwiftLog
    @testable import LogbookTestKit
    import Logging
    import Testing

    /// Every check for handlers of swift-log catches what it is meant for: one bad habit, one finding.
    @Suite(.serialized) struct PlantedHandlerFaultsTests {
        private static let catches: [(habit: FlawedLogHandler.Habit, check: ConformanceCheck)] = [
            (.losesEverything, .handlerTakesOne), (.rewritesText, .handlerTakesOne), (.writesTwice, .handlerTakesOne),
            (.standsOnItsHead, .handlerWritesOnce),
            (.dropsALevel, .handlerEveryLevel), (.namesALevelWrong, .handlerEveryLevel),
            (.ignoresItsLevel, .handlerKeepsLevel), (.sharesItsLevel, .handlerLevelIsAValue),
            (.keepsRemovedKeys, .handlerKeepsMetadata), (.wholeMetadataIsAnother, .handlerKeepsMetadata),
            (.sharesItsMetadata, .handlerMetadataIsAValue),
            (.dropsOwnMetadata, .handlerWritesMetadata), (.dropsCallMetadata, .handlerWritesMetadata),
            (.dropsNesting, .handlerMetadataOfEveryKind), (.describesNoNumber, .handlerMetadataOfEveryKind),
            (.ownMetadataWins, .handlerCallWins), (.remembersTheCall, .handlerForgetsTheCall),
            (.ignoresItsProvider, .handlerAsksItsProvider), (.asksItsProviderOnce, .handlerAsksItsProvider),
            (.sharesItsProvider, .handlerProviderIsAValue), (.ownMetadataBeatsProvider, .handlerProviderWins),
            (.providerBeatsCall, .handlerCallWinsOverProvider),
            (.callHidesProvider, .handlerWritesAllMetadata), (.providerHidesOwnMetadata, .handlerWritesAllMetadata),
            (.dropsTheSource, .handlerKeepsSource), (.dropsTheError, .handlerKeepsError),
            (.oldFormLosesMetadata, .handlerOldForm), (.oldFormIsSilent, .handlerOldForm),
            (.skipsEmptyMessages, .handlerEmptyMessage), (.makesALineOfEachLine, .handlerOneInOneOut),
            (.writesMetadataAsItIs, .handlerOneInOneOut), (.writesPlacesAsTheyAre, .handlerOneInOneOut),
            (.replacesControls, .handlerHostileText), (.hearsOneThread, .handlerConcurrency),
        ]

        @Test(arguments: catches.map(\.habit))
        func isCaughtByItsCheckAndNoOther(_ habit: FlawedLogHandler.Habit) async {
            let report = await LogHandlerConformance(patience: .seconds(120)) { FlawedLogHandler(habit).specimen }.run()
            let expected = Self.catches.filter { $0.habit == habit }.map(\.check)
            #expect(report.findings.map(\.check) == expected, "\(report)")
        }

        @Test func everyHabitIsTried() {
            #expect(Set(Self.catches.map(\.habit)).union([.none]) == Set(FlawedLogHandler.Habit.allCases))
        }

        @Test func aHandlerThatKeepsEveryRuleIsNotRefused() async {
            let report = await LogHandlerConformance(patience: .seconds(120)) { FlawedLogHandler(.none).specimen }.run()
            #expect(report.findings.isEmpty && report.notRun.isEmpty, "\(report)")
            #expect(report.passed == LogHandlerConformance.checks)
        }

        @Test func whatAHandlerDoesNotKeepIsNotCompared() async {
            let report = await LogHandlerConformance(patience: .seconds(120)) {
                let handler = FlawedLogHandler(.none)
                return LogHandlerSpecimen(handler) { handler.store.state.withLock { $0.lines.map { _ in RecordedLine() } } }
            }.run()
            #expect(report.findings.isEmpty, "\(report)")
        }

        @Test func textThatIsNotClaimedIsNotCompared() async {
            let report = await LogHandlerConformance(keepsText: false, patience: .seconds(120)) {
                FlawedLogHandler(.replacesControls).specimen
            }.run()
            #expect(report.findings.isEmpty, "\(report)")
            #expect(report.notRun.map(\.check) == [.handlerHostileText])
        }

        @Test func everyCheckComesAfterItsFoundations() {
            var seen: Set<ConformanceCheck> = []
            for check in LogHandlerConformance.contract {
                #expect(seen.isSuperset(of: check.foundations), "\(check.check)")
                #expect(seen.insert(check.check).inserted, "\(check.check)")
            }
        }
    }
#endif
