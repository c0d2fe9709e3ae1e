import LogbookCore
import Testing

@testable import LogbookFormat

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite struct TimeZoneRegionTests {
    private static let zones = "/usr/share/zoneinfo"

    private func second(_ text: String) throws -> Int64 { try #require(ISO8601.time(text), "\(text)").wholeSeconds }

    @Test func aStampCarriesTheOffsetThatHeldThen() throws {
        let berlin = try LogTimeZone.named("Europe/Berlin")
        func stamp(_ text: String) throws -> String {
            var bytes: [UInt8] = []
            ISO8601.append(try #require(ISO8601.time(text)), digits: 0, in: berlin, to: &bytes)
            return String(decoding: bytes, as: UTF8.self)
        }
        #expect(try stamp("2026-03-29T00:59:59Z") == "2026-03-29T01:59:59+01:00")
        #expect(try stamp("2026-03-29T01:00:00Z") == "2026-03-29T03:00:00+02:00")
        #expect(try stamp("2026-10-25T00:59:59Z") == "2026-10-25T02:59:59+02:00")
        #expect(try stamp("2026-10-25T01:00:00Z") == "2026-10-25T02:00:00+01:00")
        // Far beyond the last change that the file lists, and before the first.
        #expect(try stamp("2200-07-01T00:00:00Z") == "2200-07-01T02:00:00+02:00")
        #expect(try stamp("1890-01-01T00:00:00Z") == "1890-01-01T00:53:00+00:53")
    }

    @Test("an hour that comes twice is read as its first run, also where clocks go back by more than an hour", arguments: [
        ("Antarctica/Troll", "2026-10-25T02:45:00", "2026-10-25T00:45:00Z"), ("Antarctica/Troll", "2026-10-25T00:45:00", "2026-10-24T22:45:00Z"),
        ("Asia/Magadan", "2014-10-26T01:30:00", "2014-10-25T13:30:00Z"), ("Europe/Berlin", "2026-10-25T02:30:00", "2026-10-25T00:30:00Z"),
        ("Europe/Berlin", "2026-10-25T03:00:00", "2026-10-25T02:00:00Z"), ("Europe/Berlin", "2026-10-26T02:30:00", "2026-10-26T01:30:00Z"),
        ("Europe/Berlin", "2026-03-29T12:00:00", "2026-03-29T10:00:00Z"),
    ])
    func wallClocks(zone: String, shown: String, meant: String) throws {
        let shown = try second(shown + "Z"), day = Int(shown / 86_400), secondOfDay = Int(shown % 86_400)
        let time = CivilTime.time(days: day, secondOfDay: secondOfDay, nanosecond: 0, in: try LogTimeZone.named(zone))
        #expect(try time?.wholeSeconds == second(meant))
    }

    @Test func aLayoutMayUseIt() throws {
        let zone = try LogTimeZone.named("Asia/Kathmandu")
        let format = try TextFormat.layout("\(.time(digits: 0, zone: zone)) \(.message)")
        let event = LogEvent(sequence: 1, time: LogTime(nanoseconds: 1_700_000_000_000_000_000), level: .info, message: "m")
        var bytes: [UInt8] = []
        format.append(event, to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == "2023-11-15T03:58:20+05:45 m\n")
        let pattern = try DatePattern("yyyy-MM-dd HH:mm:ss", zone: zone)
        #expect(try TextFormat.article(date: pattern).event(from: "[📝 2023-11-15 03:58:20 f:g:1] m").time == event.time)
    }

    @Test("Every zone of the system agrees with the C library, from 1902 to 2200")
    func agreesWithTheCLibrary() async throws {
        await #expect(processExitsWith: .success) {
            alarm(120)
            let file = try #require(fopen("\(TimeZoneRegionTests.zones)/zone1970.tab", "re"))
            var line = [CChar](repeating: 0, count: 4096)
            var names = ["UTC", "EST5EDT", "Etc/GMT-14", "Etc/GMT+12"]
            while fgets(&line, Int32(line.count), file) != nil {
                let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
                let fields = text.split(separator: "\t")
                guard fields.count > 2, !fields[0].hasPrefix("#") else { continue }
                names.append(fields[2].split(separator: "\n").map(String.init)[0])
            }
            fclose(file)
            #expect(names.count > 300)
            let random = LogRandomness.seeded(1)
            for name in names {
                setenv("TZ", name, 1)
                tzset()
                let zone = try LogTimeZone.named(name)
                var seconds = (0..<300).map { _ in -2_145_916_800 + Int64(random.next() % 9_400_000_000) }
                // The changes themselves, of the file and of its last line.
                var change: Int64 = -2_145_916_800
                while let next = zone.change(afterSecond: change, until: .max), change < 7_200_000_000 {
                    seconds += [next - 1, next]
                    change = next
                }
                let wrong = seconds.first { zone.offset(atSecond: $0) != LogTimeZone.local.offset(atSecond: $0) }
                #expect(wrong == nil, "\(name)")
            }
        }
    }

    @Test(arguments: [
        // The last line of a file, a moment, the offset.
        ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-07-01T00:00:00Z", 7200),
        ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-03-29T00:59:59Z", 3600),
        // The southern half, and half an hour.
        ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2026-01-01T00:00:00Z", 39_600),
        ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2026-06-01T00:00:00Z", 37_800),
        // Winter time that is set back.
        ("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-01-01T00:00:00Z", 0),
        ("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-07-01T00:00:00Z", 3600),
        // Hours beyond a day, and before one.
        ("EET-2EEST,M3.4.4/50,M10.4.4/50", "2026-03-27T23:59:59Z", 7200),
        ("EET-2EEST,M3.4.4/50,M10.4.4/50", "2026-03-28T00:00:00Z", 10_800),
        ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-29T00:59:59Z", -7200),
        ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-29T01:00:00Z", -3600),
        // Days by number, with and without the 29th of February.
        ("AAA0BBB,J60/0,J300/0", "2024-02-29T23:59:59Z", 0), ("AAA0BBB,J60/0,J300/0", "2024-03-01T00:00:00Z", 3600),
        ("AAA0BBB,59/0,300/0", "2024-02-29T00:00:00Z", 3600), ("AAA0BBB,59/0,300/0", "2023-02-28T23:59:59Z", 0),
        // Summer all the year.
        ("EST5EDT,0/0,J365/25", "2026-01-01T05:00:00Z", -14_400), ("EST5EDT,0/0,J365/25", "2026-12-31T12:00:00Z", -14_400),
        ("UTC0", "2100-01-01T00:00:00Z", 0), ("<-1234:56>12:34:56", "2100-01-01T00:00:00Z", -45_296),
    ])
    func theLastLineHoldsForEver(footer: String, moment: String, offset: Int) throws {
        // A name may not hold a colon; the one above only shows seconds.
        let rule = footer.replacing("<-1234:56>", with: "<-1234>")
        let rules = try TimeZoneFile.rules(in: ZoneFile(footer: rule).bytes)
        #expect(try rules.offset(atSecond: second(moment)) == offset)
    }

    @Test func aFileWithoutALastLineStaysAsItsLastChangeLeftIt() throws {
        let file = ZoneFile(changes: [(-100, 1), (100, 2)], offsets: [0, 1800, -1800], footer: "")
        let rules = try TimeZoneFile.rules(in: file.bytes)
        #expect([-101, -100, 99, 100, 9_000_000_000].map { rules.offset(atSecond: $0) } == [0, 1800, 1800, -1800, -1800])
        #expect([-101, -100, 100].map { rules.change(after: $0) } == [-100, 100, nil])
    }

    @Test("A damaged file is refused, wherever it is cut")
    func damage() throws {
        let whole = ZoneFile(changes: [(0, 0), (100, 1)], offsets: [3600, 7200])
        _ = try TimeZoneFile.rules(in: whole.bytes)
        for count in 0..<whole.bytes.count {
            #expect(throws: TimeZoneFile.Damage.self, "\(count)") { try TimeZoneFile.rules(in: Array(whole.bytes.prefix(count))) }
        }
        func damage(_ change: (inout ZoneFile) -> Void) -> TimeZoneFile.Damage? {
            var file = whole
            change(&file)
            do throws(TimeZoneFile.Damage) { _ = try TimeZoneFile.rules(in: file.bytes) } catch { return error }
            return nil
        }
        #expect(damage { $0.version = 0 } == .old)
        #expect(damage { $0.leapSeconds = 1 } == .leapSeconds)
        #expect(damage { $0.offsets = [] } == .counts)
        #expect(damage { $0.changes[1].second = 0 } == .order)
        #expect(damage { $0.changes[1].type = 2 } == .type)
        #expect(damage { $0.offsets[0] = .min } == .offset)
        for footer in [
            "C-1", "CET", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.6.0,M10.5.0",
            "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,J0,J365", "CET-1CEST,366,1", "CET-25", "CET-1:60", "<CET-1", "<CE>1",
            "CET-1CEST,M3.5.0/168,M10.5.0", "CET-1CEST,M3.5.0,M10.5.0/3 ", "CET--1", "<CET\u{7F}>-1",
        ] { #expect(damage { $0.footer = footer } == .footer, "\(footer)") }
    }

    @Test("Bytes that mean nothing do no harm")
    func randomDamage() {
        let random = LogRandomness.seeded(7)
        let whole = ZoneFile(changes: [(0, 0), (100, 1)], offsets: [3600, 7200]).bytes
        for _ in 0..<5000 {
            var bytes = whole
            for _ in 0...random.next() % 3 { bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next()) }
            guard let rules = try? TimeZoneFile.rules(in: bytes) else { continue }
            for second in [-9_000_000_000, 0, 99, 100, 9_000_000_000] as [Int64] {
                #expect(abs(rules.offset(atSecond: second)) < 27 * 3600)
                if let next = rules.change(after: second) { #expect(next > second) }
            }
        }
    }

    @Test(arguments: [
        "", "/", "/etc/passwd", "..", "../zoneinfo/UTC", "Europe/../UTC", "Europe//Berlin", "Europe/Berlin/", "Europe/Berlin\0",
        "Europe/Bérlin", "Europe Berlin", "zone.tab", String(repeating: "a", count: 256),
    ])
    func noNameLeadsOutOfTheFolder(name: String) {
        #expect(throws: LogTimeZoneError.invalidName(name)) { try LogTimeZone.named(name) }
    }

    @Test func whatIsMissingIsNamedWithItsRemedy() throws {
        let error = #expect(throws: LogTimeZoneError.self) { try TimeZoneRegion("Europe/Berln", in: [Self.zones, "/nowhere"]) }
        #expect(error == .unknown(name: "Europe/Berln", folders: [Self.zones, "/nowhere"]))
        #expect(try #require(error).description.contains("Europe/Berln in /usr/share/zoneinfo, /nowhere; check its spelling"))
        #expect(throws: LogTimeZoneError.cannotRead(name: "Europe", path: "\(Self.zones)/Europe", errno: EISDIR)) {
            try TimeZoneRegion("Europe", in: [Self.zones])
        }
        let other = #expect(throws: LogTimeZoneError.self) { try TimeZoneRegion("hostname", in: ["/etc"]) }
        #expect(try #require(other).description.contains("/etc/hostname does not hold the rules of the time zone hostname"))
    }

    @Test func theFolderIsChosenByTheEnvironment() async throws {
        await #expect(processExitsWith: .success) {
            alarm(60)
            setenv("TZDIR", "/nowhere", 1)
            #expect(throws: LogTimeZoneError.unknown(name: "Europe/Berlin", folders: ["/nowhere"])) {
                try LogTimeZone.named("Europe/Berlin")
            }
            setenv("TZDIR", "/usr/share/zoneinfo/Europe", 1)
            let berlin = try LogTimeZone.named("Berlin")
            #expect(berlin.offset(atSecond: 1_783_000_000) == 7200)
        }
    }

    @Test func oneNameIsOneZone() throws {
        let zone = try TimeZoneRegion("Europe/Berlin")
        #expect(try TimeZoneRegion("Europe/Berlin") == zone)
        #expect(try TimeZoneRegion("Europe/Paris") != zone)
        #expect(zone.name == "Europe/Berlin")
    }
}
