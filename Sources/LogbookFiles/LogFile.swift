internal import LogbookCore

/// What a provider asks of its file, whatever the file system beneath.
protocol LogFile: Sendable {
    var path: String { get }
    /// Appends whole lines; when this returns they are as safe as the file's ``FileDurability`` promises.
    /// - Parameters:
    ///   - lineEnds: Offsets behind each line's newline, in order; the last is the length of `bytes`.
    ///   - times: When each line's event happened; empty for now.
    func append(
        _ bytes: [UInt8], lineEnds: [Int], times: [LogTime]
    ) -> (lines: Int, failure: FileLogProviderError?)
    func synchronize(by deadline: LogDeadline) throws(FileLogProviderError)
    func roll() throws(FileLogProviderError) -> LogArchive?
    var policy: RollingPolicy { get }
    func follow(_ policy: RollingPolicy)
    func close(by deadline: LogDeadline)
}
