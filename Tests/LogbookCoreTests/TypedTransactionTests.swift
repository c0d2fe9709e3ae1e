import LogbookCore
import LogbookTestKit
import Testing

private enum LoginEvent: Int, UsecaseEvent {
    static let usecase = 17
    case initiated, canceled, requestInitiated
    case failed = 4
    case responseReceived = 7
}

private enum LoginFailure: Error { case offline, refused }

private struct UnknownAccount: LogDescribableError {
    var logDescription: LogMessage { "no account for \("joe@example.org", privacy: .private)" }
}

@Suite struct TypedTransactionTests {
    private let provider = RecordingProvider(interest: .everything), service = LogService()

    init() { service.register(provider) }

    private var entries: [TransactionEntry] { provider.events.compactMap(\.transaction) }

    @Test func eventsBelongToTheirUseCase() {
        let login = service.transaction(LoginEvent.self)
        login.log(.initiated)
        login.log(.responseReceived, error: 401, "refused")
        login.log(5)   // a number that only the server has a name for
        #expect(login.id.hasPrefix("TXN17-"))
        #expect(login.untyped.usecase == 17)
        #expect(entries.map(\.kind) == [.began, .happened(0), .happened(7), .happened(5)])
        #expect(entries.map(\.usecase) == [17, 17, 17, 17])
        #expect(entries[2].errorCode == 401)

        let phone = DeviceFacts(make: "m", os: "o", osVersion: "1")
        service.transaction(continuing: "TXN17-AFAR", LoginEvent.self, device: phone).log(.canceled)
        #expect(entries.last == TransactionEntry(transactionID: "TXN17-AFAR", usecase: 17, kind: .happened(1), device: phone))
    }

    @Test func aPieceOfWorkIsMeasured() async throws {
        let login = service.transaction(LoginEvent.self)
        let sum = login.measure(started: .requestInitiated, done: .responseReceived, failed: .failed) {
            service.info("inside")
            return 1 + 1
        }
        let later = await login.measure(started: .requestInitiated, done: .responseReceived, failed: .failed) {
            await Task.yield()
            return "later"
        }
        #expect(sum == 2 && later == "later")
        #expect(entries.map(\.kind) == [.began, .happened(2), .happened(7), .happened(2), .happened(7)])
        #expect(provider.events.first { $0.message == "inside" }?.transactionID == login.id)
    }

    @Test func aPieceOfWorkThatFailsSaysHowAndThrowsOn() async throws {
        let login = service.transaction(LoginEvent.self)
        #expect(throws: LoginFailure.refused) {
            try login.measure(started: .requestInitiated, done: .responseReceived, failed: .failed) { throw LoginFailure.refused }
        }
        await #expect(throws: UnknownAccount.self) {
            try await login.measure(started: .requestInitiated, done: .responseReceived, failed: .failed) {
                await Task.yield()
                throw UnknownAccount()
            }
        }
        #expect(entries.map(\.kind) == [.began, .happened(2), .happened(4), .happened(2), .happened(4)])
        #expect(entries[2].errorCode == 1)
        #expect(entries[2].errorDescription == "refused")
        #expect(entries[4].errorDescription == "no account for <private>")
    }

    @Test func anEntryKnowsItsMomentOnTheClockThatNobodySets() {
        let clock = ManualClock(now: LogTime(seconds: 0)), service = LogService(clock: .manual(clock))
        service.register(provider)
        let before = clock.now
        service.transaction(usecase: 1).log(1)
        clock.setWall(LogTime(seconds: -5))
        clock.advance(by: .seconds(3))
        service.transaction(usecase: 1).log(1)
        #expect(before == LogTime(seconds: 0))
        let moments = entries.compactMap(\.uptime)
        #expect(moments.count == 4 && moments[2] - moments[1] == 3_000_000_000)
    }
}
