/// Why reading ended.
public enum PipeEnd: Sendable, Equatable {
    case endOfInput
    /// ``PipeSession/stop()`` was called; what the pipe held then has been read.
    case stopped
    /// The input cannot be read any further.
    case failed(errno: Int32)
}
