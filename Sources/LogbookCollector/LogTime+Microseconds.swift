internal import LogbookCore

extension LogTime {
    static let distantPast = LogTime(nanoseconds: .min)
    static let distantFuture = LogTime(nanoseconds: .max)

    /// Whole microseconds since 1970, rounded towards the past.
    var microseconds: Int64 { nanoseconds.flooredQuotient(by: 1000) }

    /// - Parameter microseconds: Since 1970, as ``microseconds`` gives them.
    init(microseconds: Int64) {
        let (product, isTooMuch) = microseconds.multipliedReportingOverflow(by: 1000)
        self.init(nanoseconds: isTooMuch ? (microseconds < 0 ? .min : .max) : product)
    }
}
