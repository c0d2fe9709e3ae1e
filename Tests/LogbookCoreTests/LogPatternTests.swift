import LogbookCore
import Testing

@Suite struct LogPatternTests {
    @Test(arguments: [
        (pattern: "net", name: "net", matches: true),
        (pattern: "net", name: "net.http", matches: true),        // a pattern covers everything below
        (pattern: "net", name: "network", matches: false),        // a part is matched whole
        (pattern: "net", name: "", matches: false),
        (pattern: "net.http", name: "net", matches: false),
        (pattern: "net.*", name: "net", matches: true),           // the same as net
        (pattern: "net.*", name: "net.http.client", matches: true),
        (pattern: "*", name: "", matches: true),
        (pattern: "*", name: "anything.at.all", matches: true),
        (pattern: "Logbook*", name: "LogbookFiles", matches: true),
        (pattern: "Logbook*", name: "logbookFiles", matches: false),
        (pattern: "*.http", name: "net.http", matches: true),
        (pattern: "*.http", name: "http", matches: false),
        (pattern: "a*b*c", name: "aXbXbXc", matches: true),
        (pattern: "a*b*c", name: "aXbXbX", matches: false),
        (pattern: "a*", name: "a", matches: true),
    ])
    func coversNamesByTheirBeginning(pattern: String, name: String, matches: Bool) throws {
        #expect(try #require(LogPattern(pattern)).matches(name) == matches)
    }

    @Test(arguments: ["", ".", "net.", ".net", "net..http", "a b", "a,b", "a=b", "a\nb", "\"a\""])
    func textsThatAreNoPatternAreRefused(text: String) { #expect(LogPattern(text) == nil) }

    @Test func twoSpellingsOfTheSameAreEqual() {
        #expect(LogPattern("net") == "net.*")
        #expect(Set<LogPattern>(["net", "net.*", "net.*.*"]).count == 1)
        #expect(LogPattern("net.*").description == "net.*")
    }

    @Test func manyStarsAreMatchedInReasonableTime() throws {
        let pattern = try #require(LogPattern(String(repeating: "*a", count: 100) + "b"))
        #expect(!pattern.matches(String(repeating: "a", count: 20_000)))
    }
}
