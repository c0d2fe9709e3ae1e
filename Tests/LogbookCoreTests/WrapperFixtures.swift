import LogbookCore

func event(
    _ sequence: UInt64, _ message: String = "m", _ level: LogLevel = .info, _ metadata: LogMetadata = [:], line: UInt32 = 1,
    transaction: TransactionEntry? = nil
) -> LogEvent {
    LogEvent(
        sequence: sequence, time: LogTime(nanoseconds: Int64(sequence)), level: level, message: message, metadata: metadata,
        source: LogSource(fileNamed: "Module/File.swift", line: line), transaction: transaction)
}

/// A text of which it takes Unicode minutes to say whether it is equal to one that ends otherwise.
func manyMarks(_ end: String) -> String {
    "a" + String(repeating: "\u{301}", count: 200_000) + String(repeating: "\u{316}", count: 200_000) + end
}

func entry(_ sequence: UInt64, of transaction: String, error code: Int? = nil) -> LogEvent {
    let device = DeviceFacts(make: "", os: "", osVersion: "")
    return event(
        sequence, "entry", .info,
        transaction: TransactionEntry(
            transactionID: transaction, usecase: 1, kind: .happened(1), errorCode: code, device: device))
}
