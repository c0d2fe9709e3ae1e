public import LogbookCore
public import LogbookFormat

/// Hands every event, as a line of text, to a writer.
///
/// ```swift
/// struct Mailbox: FileWriter { func write(_ line: String) { post(line) } }
/// LogService.shared.register(WriterLogProvider(Mailbox(), format: .article))
/// ```
/// The event is as safe as the writer makes it; `flush` does nothing.
public struct WriterLogProvider: LogProvider {
    private let writer: any FileWriter
    private let format: any LogFormat

    public init(_ writer: any FileWriter, format: some LogFormat = .text) {
        self.writer = writer
        self.format = format
    }

    public func log(_ event: LogEvent) {
        var bytes: [UInt8] = []
        format.append(event, to: &bytes)
        if bytes.last == 0x0A { bytes.removeLast() }
        writer.write(String(decoding: bytes, as: UTF8.self))
    }

    public func flush(by deadline: LogDeadline) throws {}
}
