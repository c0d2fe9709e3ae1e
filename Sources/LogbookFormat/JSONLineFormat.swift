public import LogbookCore

/// One event as one line of JSON, for programs; it can be read back without loss.
///
/// ```json
/// {"time":"2026-11-21T09:29:20.123456789Z","level":"warning","message":"payment took 812 ms","sequence":7,"thread":4711,
///  "file":"Checkout/Cart.swift","function":"pay()","line":12,"metadata":{"gateway":"north","attempt":2}}
/// ```
/// (Wrapped here; a line has no line breaks.) `error`, `transaction`, `installation` and `epoch` come when they are known.
/// ``LogValue/unsigned(_:)`` numbers that fit `Int64` come back as integers, and numbers that are none as text.
public struct JSONLineFormat: ReadableLogFormat, LineFormat, Hashable {
    /// Written into every line when it is given, so that a receiver can store each event once.
    public let origin: LogOrigin?

    /// How much of one event is written.
    public let limits: LogLimits

    public init(origin: LogOrigin? = nil, limits: LogLimits = .standard) {
        self.origin = origin
        self.limits = limits
    }

    // HOT PATH — bytes only; no string is made and nothing is allocated.
    public func append(_ event: LogEvent, to bytes: inout [UInt8]) { appendWithinLimits(event, to: &bytes) }
    package func append(_ event: PlainEvent, to memory: LineMemory) { appendWithinLimits(event, to: memory) }

    func write(_ event: some WritableEvent, to writer: inout LineWriter) {
        writer.literal(#"{"time":""#)
        ISO8601.write(event.time, digits: 9, in: .utc, to: &writer)
        writer.literal(#"","level":""#)
        writer.literal(event.level.literalName)
        writer.literal(#"","message":"#)
        event.withMessage { writer.jsonString($0, isClean: event.isMessageClean) }
        writer.literal(#","sequence":"#)
        writer.decimal(event.sequence)
        if event.thread != 0 {
            writer.literal(#","thread":"#)
            writer.decimal(event.thread)
        }
        if event.hasPlace {
            writer.literal(#","file":"#)
            event.withFile { writer.jsonString($0, isClean: event.isFileClean) }
            writer.literal(#","function":"#)
            event.withFunction { writer.jsonString($0, isClean: event.isFunctionClean) }
            writer.literal(#","line":"#)
            writer.decimal(UInt64(event.line))
        }
        if event.hasFacts { writeFacts(event, to: &writer) }
        if let origin {
            writer.literal(#","installation":"#)
            writer.jsonString(origin.installation)
            writer.literal(#","epoch":"#)
            writer.decimal(origin.epoch)
        }
        writer.literal("}\n")
    }

    private func writeFacts(_ event: some WritableEvent, to writer: inout LineWriter) {
        if event.hasMetadata {
            writer.literal(#","metadata":"#)
            writer.jsonMetadata(event)
        }
        if !event.hasAttachment { return }
        if let error = event.error {
            writer.literal(#","error":{"type":"#)
            writer.jsonString(error.type)
            writer.literal(#","message":"#)
            writer.jsonString(error.description)
            writer.byte(0x7D)
        }
        if let entry = event.transaction {
            writer.literal(#","transaction":"#)
            writer.json(entry)
        }
    }
}

extension LineWriter {
    mutating func json(_ entry: TransactionEntry) {
        literal(#"{"id":"#)
        jsonString(entry.transactionID)
        literal(#","usecase":"#)
        decimal(Int64(entry.usecase))
        if let number = entry.event {
            literal(#","event":"#)
            decimal(Int64(number))
        }
        if let code = entry.errorCode {
            literal(#","error_code":"#)
            decimal(Int64(code))
        }
        if let text = entry.errorDescription {
            literal(#","error_description":"#)
            jsonString(text)
        }
        literal(#","device":{"make":"#)
        jsonString(entry.device.make)
        literal(#","os":"#)
        jsonString(entry.device.os)
        literal(#","os_version":"#)
        jsonString(entry.device.osVersion)
        literal("}}")
    }
}

extension LogFormat where Self == JSONLineFormat {
    /// ``JSONLineFormat`` without an origin.
    public static var jsonLines: JSONLineFormat { JSONLineFormat() }
}
