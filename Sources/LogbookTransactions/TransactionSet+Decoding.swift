extension TransactionSet {
    /// Reads a set as a receiver should: strict about what it stores, patient about what it ignores. Keys that it does not know
    /// are skipped, a transaction without entries is taken as it is, and an error code may be a number in quotes.
    /// - Throws: The first fault, named by its path.
    public static func decode(
        _ bytes: [UInt8], _ version: TransactionSetVersion = .v0_0_1, limits: TransactionSetLimits = TransactionSetLimits()
    ) throws(TransactionSetError) -> TransactionSet {
        try bytes.withUnsafeBufferPointer { bytes throws(TransactionSetError) in
            var reader = TransactionSetReader(bytes, version, limits)
            return try reader.set()
        }
    }
}
