import LogbookCore
import LogbookFormat
import LogbookTestKit
import Testing

@testable import LogbookSystemLog

@Suite struct SyslogFormTests {
    private let zone = LogTimeZone.fixed(seconds: 3600)

    private func line(
        _ event: LogEvent, host: String = "till7", application: String = "checkout", process: String = "4711", maximumBytes: Int = 8192
    ) throws -> String {
        let message = try SyslogMessage(
            .traditional, facility: .local0, host: host, application: application, process: process, enterprise: 32473,
            maximumBytes: maximumBytes, zone: zone)
        let bytes = message.encode(event)
        #expect(bytes.count <= maximumBytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func event(_ message: String, _ metadata: LogMetadata = [:]) -> LogEvent {
        LogEvent(
            sequence: 7, time: LogTime(nanoseconds: 1_763_720_960_123_456_789), level: .warning, message: message,
            metadata: metadata, thread: 12, source: LogSource(file: "Shop/Till.swift", function: "pay()", line: 34))
    }

    /// What stands behind the text and the metadata of such an event.
    private let rest = #" level=warning seq=7 thread=12 file="Shop/Till.swift" line=34 func="pay()""#

    @Test func anEventIsALineOfSyslog() throws {
        let event = event("took 12 ms", ["category": "net", "order": 42, "name": "a \"b\" ]\\", "tags": ["x"], "seq": 1])
        #expect(try line(event) == """
            <132>Nov 21 11:29:20 checkout[4711]: took 12 ms category=net order=42 name="a \\"b\\" ]\\\\" tags="[\\"x\\"]" \
            fields.seq=1\(rest)
            """)
        #expect(try line(self.event("took 12 ms")) == "<132>Nov 21 11:29:20 checkout[4711]: took 12 ms\(rest)")
    }

    @Test func errorsAndTransactionsAreSaid() throws {
        let entry = TransactionEntry(transactionID: "TXN1-A", usecase: 1, kind: .happened(7), errorCode: -1, device: .current)
        let event = LogEvent(
            sequence: 8, time: LogTime(nanoseconds: 0), level: .critical, message: "no payment", transaction: entry,
            error: LogErrorDetails(type: "PaymentError", description: "declined"))
        #expect(try line(event) == """
            <130>Jan  1 01:00:00 checkout[4711]: no payment: declined level=critical seq=8 error.type="PaymentError" \
            transaction.id="TXN1-A" transaction.usecase=1 transaction.event=7 transaction.error_code=-1
            """)
    }

    @Test(arguments: [(1_772_323_199, "Mar  1 00:59:59"), (1_772_319_599, "Feb 28 23:59:59"), (1_798_761_599, "Jan  1 00:59:59")])
    func theTimeIsThatOfTheZone(second: Int, expected: String) throws {
        let event = LogEvent(sequence: 1, time: LogTime(nanoseconds: Int64(second) * 1_000_000_000), level: .info, message: "m")
        #expect(try line(event) == "<134>\(expected) checkout[4711]: m level=info seq=1")
    }

    @Test("one event is one line, whatever it holds, and its head cannot be forged")
    func oneEventIsOneLine() throws {
        let event = event("a\nb\u{1B}[31m\r\u{0}", ["k= \n": "v\n\"]", "category": "c d\n"])
        let line = try line(event, application: "a b\n<0>[1]: x")
        #expect(line == #"""
            <132>Nov 21 11:29:20 a_b_<0>_1___x[4711]: a\nb\u{1b}[31m\r\u{00} k\u{3d}\u{20}\n="v\n\"]" category="c d\n"\#(rest)
            """#)
        #expect(line.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F })
    }

    @Test func whatIsTooLargeIsCutAndSaysSo() throws {
        let long = try line(event(String(repeating: "ü", count: 1000), ["order": 42]), maximumBytes: 480)
        #expect(long.hasPrefix("<132>Nov 21 11:29:20 checkout[4711]: üü") && long.hasSuffix("ü… order=42\(rest)"))
        #expect(long.utf8.count > 476)
        let short = try line(event("short", ["much": .string(String(repeating: "x", count: 1000))]), maximumBytes: 480)
        #expect(short == "<132>Nov 21 11:29:20 checkout[4711]: short\(rest)")   // the text is worth more than what does not fit
    }

    @Test func theTextHasRoom() throws {
        let long = String(repeating: "x\u{1B}", count: 200), text = String(repeating: "text ", count: 100)
        let entry = TransactionEntry(transactionID: long, usecase: .min, kind: .happened(.min), errorCode: .min, device: .current)
        let event = LogEvent(
            sequence: .max, time: LogTime(nanoseconds: 0), level: .critical, message: text,
            metadata: ["category": .string(long), "order": 42], thread: .max,
            source: LogSource(fileNamed: long, functionNamed: long, line: .max), transaction: entry,
            error: LogErrorDetails(type: long, description: long))
        let line = try line(
            event, host: String(repeating: "h", count: 255), application: String(repeating: "a", count: 100),
            process: String(repeating: "9", count: 128), maximumBytes: 480)
        #expect(line.contains("]: \(text.prefix(60))") && line.contains(" level=critical seq=18446744073709551615 "))
    }

    @Test func theServersOwnSocketHasThisForm() throws {
        let folder = TemporaryFolder(), server = FakeSystemLog(at: folder("log"))
        let provider = try SyslogLogProvider(
            to: .local(path: folder("log")), facility: .local0, host: "till7", application: "checkout", process: "4711",
            enterprise: 32473, maximumBytes: 8192, patience: .seconds(30), clock: .system, zone: zone)
        provider.log(event("took 12 ms"))
        #expect(server.messages(1).first?.bytes == Array("<132>Nov 21 11:29:20 checkout[4711]: took 12 ms\(rest)".utf8))
    }
}
