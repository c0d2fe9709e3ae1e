import LogbookCore
import LogbookFormat
import Testing

@Suite struct DatePatternTests {
    func written(_ pattern: String, _ nanoseconds: Int64, zone: LogTimeZone = .utc) throws -> String {
        var bytes: [UInt8] = []
        try DatePattern(pattern, zone: zone).append(LogTime(nanoseconds: nanoseconds), to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func writesEveryLetterItKnows() throws {
        let t: Int64 = 1_423_202_367_987_654_321   // Fri, 06 Feb 2015 05:59:27 GMT
        #expect(try written("EEE, dd MMM yyyy HH:mm:ss 'GMT'", t) == "Fri, 06 Feb 2015 05:59:27 GMT")
        #expect(try written("d.M.yy H'h'mm''ss S SSS SSSSSSSSS", t) == "6.2.15 5h59'27 9 987 987654321")
        #expect(try written("XXX Z", t) == "Z +0000")
        #expect(try written("HH:mm XXX Z", t, zone: .fixed(seconds: -5 * 3600 - 1800)) == "00:29 -05:30 -0530")
    }

    @Test func nanosecondsBefore1970CountBack() throws {
        #expect(try written("yyyy-MM-dd HH:mm:ss.SSS", -1) == "1969-12-31 23:59:59.999")
        #expect(try written("yyyy-MM-dd EEE", -7_766_949_600_000_000_000) == "1723-11-16 Tue")
    }

    @Test func namesWhatItDoesNotUnderstand() {
        #expect(throws: DatePatternError.unknownLetters("hh", pattern: "hh:mm")) { try DatePattern("hh:mm") }
        #expect(throws: DatePatternError.unknownLetters("YYYY", pattern: "YYYY")) { try DatePattern("YYYY") }
        #expect(throws: DatePatternError.openQuote(pattern: "HH 'o")) { try DatePattern("HH 'o") }
        #expect(throws: DatePatternError.empty) { try DatePattern("") }
    }

    @Test(arguments: [
        ("yyyyMd", "M"), ("yyyyMMdd Hmmss", "H"), ("Hmm", "H"), ("MMdHHmm", "d"), ("yyyy-M'1'", "M"), ("d0", "d"), ("yyyyMMdSSS", "d"),
    ])
    func aNumberWithoutAnEndIsNamed(pattern: String, letter: String) {
        #expect(throws: DatePatternError.endless(letter, pattern: pattern)) { try DatePattern(pattern) }
    }

    @Test("what a pattern writes it reads, whichever pieces it has and in whichever order, unless it is refused")
    func everyPatternIsReadBack() throws {
        let randomness = LogRandomness.seeded(10)
        func any(_ texts: [String]) -> String { texts[Int(randomness.next() % UInt64(texts.count))] }
        var accepted = 0
        while accepted < 15 {
            var letters = ["yyyy", any(["M", "MM", "MMM"]), any(["d", "dd"]), any(["H", "HH"]), "mm", "ss"], pattern = ""
            while !letters.isEmpty {
                pattern += letters.remove(at: Int(randomness.next() % UInt64(letters.count)))
                pattern += any(["", "", "-", " ", "'1'", "EEE", "XXX", "Z"])
            }
            guard let date = try? DatePattern(pattern, zone: .fixed(seconds: 5400)) else { continue }
            accepted += 1
            let format = TextFormat.standard(date: date)
            for _ in 0..<2000 {
                let second = Int64(randomness.next() % 8_000_000_000)   // up to 2223
                let event = LogEvent(
                    sequence: 0, time: LogTime(nanoseconds: second * 1_000_000_000), level: .info, message: "m")
                let line = format.string(for: event)
                let read = try? format.event(from: line)
                if read != event { return #expect(read == event, "\(pattern): \(line)") }
            }
        }
    }

    @Test func articleLinesAreReadWithThePatternTheyWereWrittenWith() throws {
        func read(_ pattern: String, _ stamp: String, zone: LogTimeZone = .utc) throws -> LogTime {
            try TextFormat.article(date: DatePattern(pattern, zone: zone)).event(from: "[📝 \(stamp) f:g:1] m").time
        }
        let t = LogTime(nanoseconds: 1_423_202_367_987_000_000)   // Fri, 06 Feb 2015 05:59:27.987 GMT
        #expect(try read("EEE, dd MMM yyyy HH:mm:ss.SSS 'GMT'", "Fri, 06 Feb 2015 05:59:27.987 GMT") == t)
        #expect(try read("d.M.yy H'h'mm''ss S SSS", "6.2.15 5h59'27 9 987") == t)
        #expect(try read("yyyy-MM-dd HH:mm:ssSSSXXX", "2015-02-06 00:59:27987-05:00") == t)
        #expect(try read("yyyy-MM-dd HH:mm:ssSSS", "2015-02-06 00:59:27987", zone: .fixed(seconds: -18_000)) == t)
        #expect(try read("HH:mm", "01:02") == LogTime(nanoseconds: 3_720_000_000_000))
        #expect(try read("yy", "70") == LogTime(nanoseconds: 0))
        for stamp in [
            "2015-02-29 00:00", "2015-02-30 00:00", "2015-13-01 00:00", "2015-02-06 24:00", "2015-02-06 0:00", "2015-02-06T00:00",
        ] {
            #expect(throws: LogLineError.malformed(expected: "a time stamp", offset: 6)) { try read("yyyy-MM-dd HH:mm", stamp) }
        }
    }

    @Test func aLineOfTheLeapDayIsReadWithoutItsYear() throws {
        let format = TextFormat.standard(date: try DatePattern("MMM dd HH:mm:ss", zone: .utc))
        let days = CivilTime.days(year: 2028, month: 2, day: 29), second: Int64 = 45_296   // 12:34:56
        let event = LogEvent(
            sequence: 1, time: LogTime(nanoseconds: (Int64(days) * 86_400 + second) * 1_000_000_000), level: .notice, message: "m")
        let line = format.string(for: event)
        #expect(line == "Feb 29 12:34:56 notice m\n")
        let read = try format.event(from: line)
        #expect(read.level == .notice && read.message == "m")
        #expect(read.time == LogTime(nanoseconds: (59 * 86_400 + second) * 1_000_000_000))
        #expect(throws: LogLineError.self) { try format.event(from: "Feb 30 12:34:56 notice m") }
    }

    @Test func aPatternCannotBreakTheLine() throws {
        #expect(try written("HH'\n'", 0) == "00\\n")
    }
}

@Suite struct CivilTimeTests {
    @Test func countsDaysBothWaysOverEightCenturies() {
        for year in stride(from: 1700, through: 2200, by: 1) {
            for (month, day) in [(1, 1), (2, 28), (3, 1), (12, 31)] {
                let days = CivilTime.days(year: year, month: month, day: day)
                let civil = CivilTime(LogTime(nanoseconds: Int64(days) * 86_400_000_000_000), in: .utc)
                #expect((civil.year, civil.month, civil.day) == (year, month, day))
            }
        }
    }
}

@Suite struct ISO8601Tests {
    @Test(arguments: [
        "2015-02-06T05:59:27Z", "2015-02-06t05:59:27z", "2015-02-06 05:59:27+00:00", "2015-02-06T00:59:27-05:00",
        "2015-02-06T06:59:27+01", "2015-02-06T11:44:27+0545", "2015-02-06T05:59:27.000000000000Z",
    ])
    func readsOneMomentInManyForms(text: String) {
        #expect(ISO8601.time(text) == LogTime(nanoseconds: 1_423_202_367_000_000_000))
    }

    @Test(arguments: [
        "", "2015-02-06", "2015-02-30T00:00:00Z", "2015-13-01T00:00:00Z", "2015-02-06T24:00:00Z", "2015-02-06T05:59:27",
        "2015-02-06T05:59:27Zx", "2015-02-06T05:59:27.Z", "2015-02-06T05:59:27+1", "0999-01-01T00:00:00Z",
    ])
    func refusesWhatIsNoTime(text: String) { #expect(ISO8601.time(text) == nil) }

    @Test func writesAndReadsEveryNanosecond() {
        for nanoseconds: Int64 in [0, 1, 999_999_999, 1_423_202_367_987_654_321, -1, -1_000_000_001] {
            var bytes: [UInt8] = []
            ISO8601.append(LogTime(nanoseconds: nanoseconds), digits: 9, in: .fixed(seconds: 7200), to: &bytes)
            #expect(ISO8601.time(String(decoding: bytes, as: UTF8.self)) == LogTime(nanoseconds: nanoseconds))
        }
    }
}
