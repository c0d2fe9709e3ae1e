internal import LogbookCore

/// What a provider asks of its file, whatever the file system beneath.
protocol LogFile: Sendable {
    var path: String { get }
    /// Appends whole lines; when this returns they are as safe as the file's ``FileDurability`` promises.
    /// - Parameter lines: Without times where it is now that they are said.
    /// - Returns: How many lines are in the kernel's hands, and why it is not all of them.
    func append(_ lines: LineBatch) -> (lines: Int, failure: FileLogProviderError?)
    func synchronize(by deadline: LogDeadline) throws(FileLogProviderError)
    func roll() throws(FileLogProviderError) -> LogArchive?
    var policy: RollingPolicy { get }
    /// Events of archives that were given up undelivered, as far as they could be counted; nil where none wait for delivery.
    var givenUpEvents: UInt64? { get }
    func follow(_ policy: RollingPolicy)
    func close(by deadline: LogDeadline)
}
