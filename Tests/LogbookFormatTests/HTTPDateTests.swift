import LogbookCore
import Testing

@testable import LogbookFormat

@Suite struct HTTPDateTests {
    private func text(_ seconds: Double) -> String {
        var bytes: [UInt8] = []
        HTTPDate.append(LogTime(seconds: seconds), to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("G3: fractions are cut off, not rounded")
    func writesTheSecond() {
        #expect(text(1_423_202_367) == "Fri, 06 Feb 2015 05:59:27 GMT")
        #expect(text(1_423_202_367.987) == "Fri, 06 Feb 2015 05:59:27 GMT")
        #expect(text(-0.5) == "Wed, 31 Dec 1969 23:59:59 GMT")
        #expect(text(1_709_210_096) == "Thu, 29 Feb 2024 12:34:56 GMT")
    }

    @Test("C5: reads named and numeric zones, and any weekday", arguments: [
        "Fri, 06 Feb 2015 05:59:27 GMT", "Fri, 06 Feb 2015 00:59:27 EST", "Mon, 06 Feb 2015 05:59:27 UTC",
        "06 Feb 2015 05:59:27 Z", "Fri, 6 Feb 2015 05:59:27 UT", "Fri, 06 Feb 2015 11:29:27 +0530",
        "Fri, 06 Feb 2015 11:29:27 GMT+5:30", "Fri, 06 Feb 2015 06:59:27 GMT+1", "Thu, 05 Feb 2015 21:59:27 PST",
        "Fri, 06 Feb 2015 00:59:27 -05:00",
    ])
    func reads(text: String) {
        #expect(HTTPDate.time(text) == LogTime(seconds: 1_423_202_367))
    }

    @Test("C5: refuses what is no such date", arguments: [
        "", "Fri,", "yesterday", "Fri, 06 Feb 2015 05:59:27", "Fri, 06 Feb 2015 05:59:27 IST", "ven., 06 févr. 2015 05:59:27 GMT",
        "Fri, 31 Feb 2015 05:59:27 GMT", "Fri, 06 Feb 2015 24:00:00 GMT", "Fri, 06 Feb 2015 05:60:27 GMT",
        "Fri, 06 Feb 2015 05:59:27 GMT and more", "Fri, 06 Feb 99999 05:59:27 GMT", "2015-02-06T05:59:27Z", "Fri, 06 Feb 0000 05:59:27 GMT",
    ])
    func refuses(text: String) {
        #expect(HTTPDate.time(text) == nil)
    }
}
