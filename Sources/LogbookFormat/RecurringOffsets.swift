/// Offsets that change on the same days of every year, as the variable `TZ` says them: `CET-1CEST,M3.5.0,M10.5.0/3`.
///
/// - Note: Source: POSIX, "Environment Variables", on `TZ`; RFC 8536, 3.3, on hours beyond a day.
struct RecurringOffsets: Sendable, Equatable {
    private enum Day: Sendable, Equatable {
        /// `1...365`; the 29th of February has no number.
        case julian(Int)
        /// `0...365`
        case ofYear(Int)
        /// Weekday 0 is Sunday; week 5 is the last one of the month.
        case weekday(Int, week: Int, month: Int)

        /// Days since 1970.
        func days(of year: Int) -> Int {
            switch self {
            case .ofYear(let number): return CivilTime.days(year: year, month: 1, day: 1) + number
            case .julian(let number):
                let isLeap = CivilTime.daysInMonth(2, of: year) == 29
                return CivilTime.days(year: year, month: 1, day: 1) + number - (isLeap && number >= 60 ? 0 : 1)
            case .weekday(let weekday, let week, let month):
                let first = CivilTime.days(year: year, month: month, day: 1)
                let firstWeekday = ((first + 4) % 7 + 7) % 7
                let day = (weekday - firstWeekday + 7) % 7 + (week - 1) * 7
                return first + (day < CivilTime.daysInMonth(month, of: year) ? day : day - 7)
            }
        }
    }
    private struct Moment: Sendable, Equatable {
        let day: Day
        /// By the clock that hangs until then; may lie before or after the day.
        let secondOfDay: Int

        func second(of year: Int, offset: Int) -> Int64 { Int64(day.days(of: year) * 86_400 + secondOfDay - offset) }
    }
    private struct Summer: Sendable, Equatable {
        let offset: Int
        let begin: Moment
        let end: Moment
    }
    private let standard: Int
    private let summer: Summer?

    /// - Returns: Nil for what is no such text.
    init?(_ text: some Sequence<UInt8>) {
        var scanner = Scanner(bytes: Array(text))
        guard scanner.skipName(), let standard = scanner.offset() else { return nil }
        self.standard = -standard
        guard !scanner.isAtEnd else {
            summer = nil
            return
        }
        guard scanner.skipName() else { return nil }
        var offset = self.standard + 3600
        if scanner.next != 0x2C {
            guard let given = scanner.offset() else { return nil }
            offset = -given
        }
        guard scanner.skip(0x2C), let begin = scanner.moment(), scanner.skip(0x2C), let end = scanner.moment(), scanner.isAtEnd
        else { return nil }
        summer = Summer(offset: offset, begin: begin, end: end)
    }

    func offset(atSecond second: Int64) -> Int {
        guard let summer else { return standard }
        let last = changes(around: second, summer).last { $0.second <= second }
        return last?.isBegin ?? false ? summer.offset : standard
    }

    func change(after second: Int64) -> Int64? {
        guard let summer else { return nil }
        return changes(around: second, summer).first { $0.second > second }?.second
    }

    /// Those of the year and of its neighbours, in order.
    private func changes(around second: Int64, _ summer: Summer) -> [(second: Int64, isBegin: Bool)] {
        // Far enough from the year's ends for the neighbours to cover what is missing.
        let year = CivilTime.year(ofDay: Int((second + Int64(standard)) / 86_400))
        return (year - 1...year + 1).flatMap { year in
            [
                (second: summer.begin.second(of: year, offset: standard), isBegin: true),
                (second: summer.end.second(of: year, offset: summer.offset), isBegin: false),
            ]
        }
        // Where summer ends in the moment in which it begins, it never ends.
        .sorted { $0.second != $1.second ? $0.second < $1.second : !$0.isBegin && $1.isBegin }
    }

    private struct Scanner {
        let bytes: [UInt8]
        var place = 0

        var isAtEnd: Bool { place == bytes.count }
        var next: UInt8? { place < bytes.count ? bytes[place] : nil }

        mutating func skip(_ byte: UInt8) -> Bool {
            guard next == byte else { return false }
            place += 1
            return true
        }

        /// `CEST`, `<+0330>`
        mutating func skipName() -> Bool {
            let start = place
            if skip(0x3C) {
                while let byte = next, byte != 0x3E { place += byte.isASCIIName ? 1 : bytes.count }
                return skip(0x3E) && place - start >= 5
            }
            while let byte = next, byte.isASCIILetter { place += 1 }
            return place - start >= 3
        }

        /// Decimal digits.
        mutating func number(_ range: ClosedRange<Int>) -> Int? {
            var value = 0
            let start = place
            while let byte = next, byte >= 0x30, byte <= 0x39, place - start < 3 {
                value = value * 10 + Int(byte - 0x30)
                place += 1
            }
            return place > start && range.contains(value) ? value : nil
        }

        /// `-3:30`, west of UTC when positive.
        mutating func offset() -> Int? { duration(hours: 24) }

        /// `[+-]hh[:mm[:ss]]`
        private mutating func duration(hours: Int) -> Int? {
            let isNegative = next == 0x2D
            if isNegative || next == 0x2B { place += 1 }
            guard let hours = number(0...hours) else { return nil }
            var seconds = hours * 3600
            if skip(0x3A) {
                guard let minutes = number(0...59) else { return nil }
                seconds += minutes * 60
                if skip(0x3A) {
                    guard let rest = number(0...59) else { return nil }
                    seconds += rest
                }
            }
            return isNegative ? -seconds : seconds
        }

        /// `M10.5.0/3`, `J60`, `59/2`
        mutating func moment() -> Moment? {
            let day: Day
            if skip(0x4D) {
                guard let month = number(1...12), skip(0x2E), let week = number(1...5), skip(0x2E), let weekday = number(0...6)
                else { return nil }
                day = .weekday(weekday, week: week, month: month)
            } else if skip(0x4A) {
                guard let number = number(1...365) else { return nil }
                day = .julian(number)
            } else {
                guard let number = number(0...365) else { return nil }
                day = .ofYear(number)
            }
            guard skip(0x2F) else { return Moment(day: day, secondOfDay: 7200) }
            return duration(hours: 167).map { Moment(day: day, secondOfDay: $0) }
        }
    }
}

extension UInt8 {
    fileprivate var isASCIILetter: Bool { (0x41...0x5A).contains(self & 0xDF) }
    /// What a name in angle brackets holds.
    fileprivate var isASCIIName: Bool { isASCIILetter || (0x30...0x39).contains(self) || self == 0x2B || self == 0x2D }
}
