import LogbookCore
import Testing

@testable import LogbookFiles

@Suite struct ArchiveNameTests {
    private let app: LogFileName
    init() throws { app = try LogFileName("app") }

    @Test func saysItsNumberAndWhenItWasClosed() {
        let time = LogTime(nanoseconds: 1_763_720_960_123_999_999)
        #expect(ArchiveName(number: 42, rolledAt: time, of: app).text == "app-00000042-20251121T102920.123Z.log")
    }

    @Test(arguments: [1, 99_999_999, 100_000_000, 123_456_789_012_345, ArchiveName.maximumNumber] as [UInt64])
    func isReadBack(number: UInt64) {
        let name = ArchiveName(number: number, rolledAt: LogTime(nanoseconds: 0), of: app)
        #expect(ArchiveName(name.text, of: app) == name)
    }

    @Test("C1: a compressed archive keeps its number and its place")
    func compressed() {
        let name = ArchiveName(number: 42, rolledAt: LogTime(nanoseconds: 0), of: app)
        #expect(name.compressed.text == "app-00000042-19700101T000000.000Z.log.gz")
        #expect(ArchiveName(name.compressed.text, of: app) == name.compressed)
        #expect(name.compressed.plain == name)
        #expect(name.part == ".app-00000042-19700101T000000.000Z.log.gz.part")
        #expect(ArchiveName(name.part, of: app) == nil)
    }

    @Test("F11: names sort in the order of creation, also when the clock jumps back")
    func sortsByNumber() {
        let early = ArchiveName(number: 9, rolledAt: LogTime(seconds: 2_000_000_000), of: app)
        let late = ArchiveName(number: 10, rolledAt: LogTime(seconds: 1_000_000_000), of: app)
        #expect(early < late)
        #expect(early.text < late.text)
    }

    @Test(
        "R6, S9: only what matches to the letter is taken for ours",
        arguments: [
            "app.log", "app.log.bak", "notes.txt", "app-other-00000001-20251121T102920.123Z.log",
            "app-1-20251121T102920.123Z.log", "app-0000001-20251121T102920.123Z.log",
            "app-000000001-20251121T102920.123Z.log",
            "app-00000001-20251121T102920.123Z.log.GZ", "app-00000001-20251121T102920.123Z.log.gz.gz",
            "app-00000001-20251121T102920.123Z.LOG", ".app-00000001-20251121T102920.123Z.log.gz.part",
            "app-00000001-20251121T102920.123Z.log ", " app-00000001-20251121T102920.123Z.log",
            "App-00000001-20251121T102920.123Z.log", "app-00000001-20251121T102920,123Z.log",
            "app-00000001-20251121 102920.123Z.log", "app-0000000a-20251121T102920.123Z.log",
            "app-00000001-20251121T102920.123.log", "app-00000001.log", "app-٠٠٠٠٠٠٠١-20251121T102920.123Z.log",
            "app-1234567890123456-20251121T102920.123Z.log", "app-", "app", "",
        ])
    func lookAlikes(text: String) {
        #expect(ArchiveName(text, of: app) == nil)
    }
}
