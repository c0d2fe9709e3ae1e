import LogbookCore
import LogbookFormat

/// The message and nothing else: lines of a length that a test chooses.
struct MessageFormat: LogFormat {
    func append(_ event: LogEvent, to bytes: inout [UInt8]) {
        bytes.append(utf8Of: event.message)
        bytes.append(0x0A)
    }
}

func event(_ message: String, _ sequence: UInt64 = 1, at time: LogTime = LogTime(nanoseconds: 0)) -> LogEvent {
    LogEvent(sequence: sequence, time: time, level: .info, message: message)
}
