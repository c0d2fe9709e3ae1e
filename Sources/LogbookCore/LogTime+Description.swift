#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

extension LogTime: CustomStringConvertible {
    /// `2026-11-21T10:29:20.5Z`: by ISO 8601, in UTC, with as many digits of the fraction as say something. For people: formats have their own.
    public var description: String {
        var seconds = time_t(wholeSeconds), civil = tm()
        gmtime_r(&seconds, &civil)
        func digits(_ number: Int32, _ count: Int = 2) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
        }
        let date = [digits(civil.tm_year + 1900, 4), digits(civil.tm_mon + 1), digits(civil.tm_mday)].joined(separator: "-")
        let time = [civil.tm_hour, civil.tm_min, civil.tm_sec].map { digits($0) }.joined(separator: ":")
        guard nanosecondOfSecond > 0 else { return "\(date)T\(time)Z" }
        var fraction = digits(Int32(nanosecondOfSecond), 9)
        while fraction.last == "0" { fraction.removeLast() }
        return "\(date)T\(time).\(fraction)Z"
    }
}
