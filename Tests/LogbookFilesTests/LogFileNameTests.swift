import Testing

@testable import LogbookFiles

@Suite struct LogFileNameTests {
    @Test(arguments: ["app", "a", "App_1.2-x", String(repeating: "x", count: 64), "app-00000001"])
    func plainNamesAreTaken(name: String) throws {
        #expect(try LogFileName(name).active == name + ".log")
    }

    @Test(
        "S10: names that leave the folder, hide or break lines are refused",
        arguments: [
            "", ".", "..", ".hidden", "a/b", "../a", "a\0b", "a\nb", "a b", "ä", String(repeating: "x", count: 65),
            String(repeating: "x", count: 300),
        ])
    func oddNames(name: String) {
        #expect(throws: FileLogProviderError.invalidName(name)) { try LogFileName(name) }
        let said = "\(FileLogProviderError.invalidName(name))"
        #expect(said.hasPrefix("\"") && said.contains("1 to 64") && !said.contains("\n") && said.utf8.count < 400)
    }

    @Test("R6: a name that another log would take for its archive is refused")
    func nameOfAnArchive() {
        for name in ["app-00000001-20251121T102920.123Z", "my-app-00000001-20251121T102920.123Z"] {
            #expect(throws: FileLogProviderError.invalidName(name)) { try LogFileName(name) }
        }
    }
}
