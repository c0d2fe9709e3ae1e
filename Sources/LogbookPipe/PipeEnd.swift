/// Why reading ended.
public enum PipeEnd: Sendable, Equatable {
    case endOfInput
    /// ``PipeSession/stop()`` was called; what the pipe held then has been read.
    case stopped
    /// ``PipeSession/stop()`` was called, and the input held more than a pipe does: as much as that was read, up to the end of a line.
    case cutOff
    /// Nobody reads what is made of the input any more; the rest of it was not read.
    case nobodyReads
    /// The input cannot be read any further.
    case failed(errno: Int32)
}
