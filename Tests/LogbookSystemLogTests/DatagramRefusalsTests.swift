import Testing

@testable import LogbookSystemLog

@Suite struct DatagramRefusalsTests {
    @Test("the address behind the one that refused is next, around to those before it, and none when all have refused")
    func theNextAddress() {
        var refusals = DatagramRefusals()
        #expect(refusals.rest(of: ["a", "b", "c"]) == ["a", "b", "c"])
        refusals.note()
        #expect(refusals.rest(of: ["a", "b", "c"]) == ["b", "c"])
        refusals.note()
        refusals.beginAnew()   // the third has taken something, and goes away now
        refusals.note()
        #expect(refusals.rest(of: ["a", "b", "c"]) == ["a", "b"])
        for _ in 1...2 { refusals.note() }
        #expect(refusals.rest(of: ["a", "b", "c"]) == [])
        refusals.beginAnew()
        #expect(refusals.rest(of: ["a", "b", "c"]) == ["c", "a", "b"])
        #expect(refusals.rest(of: [String]()) == [])
    }
}
