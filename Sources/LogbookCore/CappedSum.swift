extension UInt64 {
    /// The sum, or the largest number there is where it would be larger.
    func cappedSum(_ other: UInt64) -> UInt64 {
        let (sum, isTooMuch) = addingReportingOverflow(other)
        return isTooMuch ? .max : sum
    }
}
