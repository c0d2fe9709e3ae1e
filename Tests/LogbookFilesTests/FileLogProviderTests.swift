import LogbookCore
import LogbookFormat
import LogbookTestKit
import Testing

@testable import LogbookFiles

@Suite struct FileLogProviderTests {
    private let folder = TemporaryFolder()

    @Test("F1: the article's line, to the byte")
    func articleLine() throws {
        let service = LogService(clock: .manual(ManualClock(now: LogTime(nanoseconds: 1_591_472_835_393_000_000))))
        let date = try DatePattern("yyyy-MM-dd HH:mm:ssSSS", zone: .utc)
        service.register(try FileLogProvider(in: folder.path, format: TextFormat.article(date: date)))
        service.info(
            "Category was added.", file: "Demo/CategoryViewController.swift", function: "addButtonPressed(_:)", line: 135)
        #expect(
            folder.text("app.log")
                == "[ℹ️ 2020-06-06 19:47:15393 CategoryViewController.swift:addButtonPressed(_:):135] Category was added.\n")
    }

    @Test func aLineIsInTheFileWhenTheCallReturns() throws {
        let service = LogService()
        let file = service.register(try FileLogProvider(in: folder.path, format: MessageFormat()))
        service.info("first")
        #expect(folder.text("app.log") == "first\n")
        service.warning("second")
        #expect(folder.text("app.log") == "first\nsecond\n")
        #expect(file.ledger == LogLedger(submitted: 2, delivered: 2))
    }

    @Test func aRestartAppends() throws {
        for message in ["one", "two"] {
            let provider = try FileLogProvider(in: folder.path, format: MessageFormat())
            provider.log(event(message))
            try provider.shutdown(by: .seconds(30))
        }
        #expect(folder.text("app.log") == "one\ntwo\n")
        #expect(folder.names == ["app.log"])
    }
}
