public import LogbookCore

/// One event as one line of JSON, for programs; it can be read back without loss.
///
/// ```json
/// {"time":"2026-11-21T09:29:20.123456789Z","level":"warning","message":"payment took 812 ms","sequence":7,"thread":4711,
///  "file":"Checkout/Cart.swift","function":"pay()","line":12,"metadata":{"gateway":"north","attempt":2}}
/// ```
/// (Wrapped here; a line has no line breaks.) `error`, `transaction`, `installation` and `epoch` come when they are known.
public struct JSONLineFormat: LogFormat, Hashable {
    /// Written into every line when it is given, so that a receiver can store each event once.
    public let origin: LogOrigin?

    public init(origin: LogOrigin? = nil) { self.origin = origin }

    public func append(_ event: LogEvent, to bytes: inout [UInt8]) {
        bytes.append(#"{"time":""#)
        ISO8601.append(event.time, digits: 9, in: .utc, to: &bytes)
        bytes.append(#"","level":""#)
        bytes.append(utf8Of: event.level.name)
        bytes.append(#"","message":"#)
        bytes.append(jsonString: event.message)
        bytes.append(#","sequence":"#)
        bytes.append(decimal: event.sequence)
        if event.thread != 0 {
            bytes.append(#","thread":"#)
            bytes.append(decimal: event.thread)
        }
        if event.source != .unknown {
            bytes.append(#","file":"#)
            bytes.append(jsonString: event.source.file)
            bytes.append(#","function":"#)
            bytes.append(jsonString: event.source.function)
            bytes.append(#","line":"#)
            bytes.append(decimal: event.source.line)
        }
        if !event.metadata.isEmpty {
            bytes.append(#","metadata":"#)
            bytes.append(json: event.metadata)
        }
        if let error = event.error {
            bytes.append(#","error":{"type":"#)
            bytes.append(jsonString: error.type)
            bytes.append(#","message":"#)
            bytes.append(jsonString: error.description)
            bytes.append(0x7D)
        }
        if let entry = event.transaction {
            bytes.append(#","transaction":"#)
            append(entry, to: &bytes)
        }
        if let origin {
            bytes.append(#","installation":"#)
            bytes.append(jsonString: origin.installation)
            bytes.append(#","epoch":"#)
            bytes.append(decimal: origin.epoch)
        }
        bytes.append("}\n")
    }

    private func append(_ entry: TransactionEntry, to bytes: inout [UInt8]) {
        bytes.append(#"{"id":"#)
        bytes.append(jsonString: entry.transactionID)
        bytes.append(#","usecase":"#)
        bytes.append(decimal: entry.usecase)
        if let number = entry.event {
            bytes.append(#","event":"#)
            bytes.append(decimal: number)
        }
        if let code = entry.errorCode {
            bytes.append(#","error_code":"#)
            bytes.append(decimal: code)
        }
        if let text = entry.errorDescription {
            bytes.append(#","error_description":"#)
            bytes.append(jsonString: text)
        }
        bytes.append(#","device":{"make":"#)
        bytes.append(jsonString: entry.device.make)
        bytes.append(#","os":"#)
        bytes.append(jsonString: entry.device.os)
        bytes.append(#","os_version":"#)
        bytes.append(jsonString: entry.device.osVersion)
        bytes.append("}}")
    }
}

extension LogFormat where Self == JSONLineFormat {
    /// ``JSONLineFormat`` without an origin.
    public static var jsonLines: JSONLineFormat { JSONLineFormat() }
}
