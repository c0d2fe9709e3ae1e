public import LogbookCore

/// One event as one line of `key=value`, as Heroku, Go's tools and Loki read it.
///
/// ```
/// time=2026-11-21T09:29:20.123456789Z level=warning msg="payment took 812 ms" seq=7 thread=4711 file=Checkout/Cart.swift line=12 func="pay()" gateway=north attempt=2
/// ```
/// It can be read back without loss. Text stands bare when it is a word, and between quotes when it could be mistaken for a
/// number, `true`, `false` or `null`. Arrays and objects are JSON between quotes. Metadata whose key is one of the format's own
/// (`time` to `func`, `error.type`, `error.message`, `transaction.…`, `device.…`) is written as `fields.<key>`; in a key, a
/// space, `=`, a quote and control characters read `\u{20}`. Unsigned numbers that fit `Int64` come back as integers, and
/// numbers that are none as text.
public struct LogfmtFormat: ReadableLogFormat, LineFormat, Hashable {
    /// How much of one event is written.
    public let limits: LogLimits

    public init(limits: LogLimits = .standard) { self.limits = limits }

    // HOT PATH — bytes only; no string is made and nothing is allocated.
    public func append(_ event: LogEvent, to bytes: inout [UInt8]) { appendWithinLimits(event, to: &bytes) }
    package func append(_ event: PlainEvent, to memory: LineMemory) { appendWithinLimits(event, to: memory) }

    func write(_ event: some WritableEvent, to writer: inout LineWriter) {
        writer.literal("time=")
        ISO8601.write(event.time, digits: 9, in: .utc, to: &writer)
        writer.literal(" level=")
        writer.literal(event.level.literalName)
        writer.literal(" msg=")
        event.withMessage { writer.fact($0, .logfmt) }
        writer.literal(" seq=")
        writer.decimal(event.sequence)
        if event.thread != 0 {
            writer.literal(" thread=")
            writer.decimal(event.thread)
        }
        if event.hasPlace {
            writer.literal(" file=")
            event.withFile { writer.fact($0, .logfmt) }
            writer.literal(" line=")
            writer.decimal(UInt64(event.line))
            writer.literal(" func=")
            event.withFunction { writer.fact($0, .logfmt) }
        }
        if event.hasFacts { writeFacts(event, to: &writer) }
        writer.byte(0x0A)
    }

    private func writeFacts(_ event: some WritableEvent, to writer: inout LineWriter) {
        if event.hasAttachment { writeAttachment(event, to: &writer) }
        event.forEachMember { key, value in
            writer.byte(0x20)
            writer.logfmt(key: key)
            writer.byte(0x3D)
            writer.logfmt(value)
        }
    }

    private func writeAttachment(_ event: some WritableEvent, to writer: inout LineWriter) {
        if let error = event.error {
            writer.byte(0x20)
            writer.facts(error, .logfmt)
        }
        if let entry = event.transaction {
            writer.byte(0x20)
            writer.facts(entry, .logfmt)
            writer.literal(" device.make=")
            writer.fact(entry.device.make, .logfmt)
            writer.literal(" device.os=")
            writer.fact(entry.device.os, .logfmt)
            writer.literal(" device.os_version=")
            writer.fact(entry.device.osVersion, .logfmt)
        }
    }
}

extension LogFormat where Self == LogfmtFormat {
    /// ``LogfmtFormat``: `time=… level=… msg=…`.
    public static var logfmt: LogfmtFormat { LogfmtFormat() }
}

extension LogfmtFormat {
    /// Before a key that would otherwise be taken for one of the format's own.
    static let fieldsPrefix: StaticString = "fields."
    static var fieldsPrefixBytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: fieldsPrefix.utf8Start, count: fieldsPrefix.utf8CodeUnitCount)
    }
}
