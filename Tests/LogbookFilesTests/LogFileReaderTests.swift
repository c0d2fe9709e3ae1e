import LogbookCompression
import LogbookCore
import LogbookFormat
import LogbookTestKit
import Testing

@testable import LogbookFiles

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite struct LogFileReaderTests {
    private let folder = TemporaryFolder()

    private func write(_ format: some LogFormat, _ policy: RollingPolicy, _ numbers: ClosedRange<Int>) throws {
        let provider = try FileLogProvider(in: folder.path, format: format, rolling: policy)
        let service = LogService()
        service.register(provider)
        for number in numbers { service.info("event \(number)\nof many", metadata: ["number": .integer(Int64(number))]) }
        service.shutdown(by: .seconds(30))
    }
    private func messages(_ compression: ArchiveCompression? = nil) throws -> [String] {
        var messages: [String] = []
        try LogFileReader(in: folder.path, compression: compression).forEachEvent(
            unreadable: { Issue.record("unreadable: \(String(decoding: $0, as: UTF8.self))") }
        ) { messages.append($0.message) }
        return messages
    }

    @Test func readsTextAndJSONLinesFromRolledFilesInOrder() throws {
        let policy = RollingPolicy(maximumBytes: 500, maximumArchives: 0)
        try write(TextFormat.text, policy, 1...20)
        try write(JSONLineFormat(), policy, 21...40)
        #expect(folder.archives().count > 4)
        #expect(try messages() == (1...40).map { "event \($0)\nof many" })
    }

    @Test("F2: what was written in another language's settings, in a zone of its own, is ISO 8601 and reads back in order")
    func otherLocale() async throws {
        let path = folder.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            setenv("LC_ALL", "ar_EG.UTF-8", 1)
            setenv("LANG", "ar_EG.UTF-8", 1)
            setenv("TZ", "Europe/Berlin", 1)
            tzset()
            setlocale(LC_ALL, "")
            let provider = try FileLogProvider(in: path)
            // Every ten minutes through the night in which 02:00 to 03:00 comes twice.
            for step in 0..<24 {
                provider.log(
                    LogEvent(
                        sequence: UInt64(step + 1), time: LogTime(seconds: 1_761_433_200 + Double(step) * 600),
                        level: .info, message: "\(step)"))
            }
        }
        let lines = folder.lines("app.log")
        #expect(lines.count == 24)
        let stamp = /[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]+(Z|[+-][0-9]{2}:[0-9]{2}) .*/
        #expect(lines.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } && $0.wholeMatch(of: stamp) != nil })
        var times: [LogTime] = []
        try LogFileReader(in: path).forEachEvent { times.append($0.time) }
        #expect(times.count == 24)
        #expect(times == times.sorted())
        #expect(times.first == LogTime(seconds: 1_761_433_200))
    }

    @Test("C1: reads compressed archives; without a compression that is an error")
    func compressed() async throws {
        let policy = RollingPolicy(maximumArchives: 0, compression: .gzip)
        let compressed = Flag()
        let provider = try FileLogProvider(
            in: folder.path, rolling: policy,
            onArchive: { event in if case .compressed = event { compressed.open() } })
        let service = LogService()
        service.register(provider)
        for number in 1...500 { service.info("\(number)") }
        try provider.roll()
        for number in 501...510 { service.info("\(number)") }
        #expect(await onThread { compressed.wait() })
        #expect(try messages(.gzip) == (1...510).map { "\($0)" })
        #expect(throws: FileLogProviderError.unknownCompression(path: folder.path + "/" + folder.archives()[0])) {
            try messages()
        }
    }

    @Test("C1: an archive that is damaged is named, after the lines that stand before the damage")
    func damaged() throws {
        let provider = try FileLogProvider(in: folder.path, format: MessageFormat())
        provider.log(event("one"))
        try provider.roll()
        provider.log(event("two"))
        let archive = folder.archives()[0]
        let path = folder("\(archive).gz")
        output(of: "gzip '\(folder(archive))'")
        let reader = try LogFileReader(in: folder.path, compression: .gzip)
        // What the reader's caller throws is no damage.
        #expect(throws: ScriptedFailure()) { try reader.forEachLine { _ in throw ScriptedFailure() } }

        truncate(path, off_t(folder.bytes("\(archive).gz").count - 4))
        var lines: [String] = []
        #expect {
            try reader.forEachLine { lines.append(String(decoding: $0, as: UTF8.self)) }
        } throws: { error in
            guard case .damaged(let named, _)? = error as? FileLogProviderError else { return false }
            return named == path
        }
        #expect(lines == ["one"])
    }

    @Test func aFileThatRollsWhileItIsReadIsReadOnceAlsoWhereEarlierArchivesAreGone() throws {
        let provider = try FileLogProvider(in: folder.path, format: MessageFormat(), rolling: RollingPolicy(maximumArchives: 0))
        for message in ["one", "two"] {
            provider.log(event(message))
            try provider.roll()
        }
        output(of: "rm '\(folder.path)'/app-*")
        provider.log(event("three"))
        var lines: [String] = []
        try LogFileReader(in: folder.path).forEachLine { line in
            lines.append(String(decoding: line, as: UTF8.self))
            guard lines == ["three"] else { return }
            try provider.roll()
            provider.log(event("four"))
        }
        #expect(lines == ["three", "four"])
    }

    @Test("F13: a message with lines, zeros and control characters comes back as it was")
    func hostile() throws {
        let hostile = "a\nb\r\nc\0d\u{1B}[31me\u{2028}f\u{85}g\u{7F}h"
        let service = LogService()
        service.register(try FileLogProvider(in: folder.path))
        service.info("\(hostile)")
        #expect(try messages() == [hostile])
    }

    @Test func aTornLineIsHandedOverAsUnreadable() throws {
        folder.write("2025-11-21T10:2", to: "app.log")
        var torn: [String] = []
        try LogFileReader(in: folder.path).forEachEvent(
            unreadable: { torn.append(String(decoding: $0, as: UTF8.self)) }
        ) { Issue.record("\($0)") }
        #expect(torn == ["2025-11-21T10:2"])
    }

    @Test("F12: a format that is no text, with lengths before its events, is in the files byte for byte, each with its header once")
    func binary() throws {
        struct Prefixed: LogFormat {
            func append(_ event: LogEvent, to bytes: inout [UInt8]) {
                let text = Array(event.message.utf8)
                bytes.append(UInt8(text.count))
                bytes += text
                bytes.append(0x0A)
            }
        }
        let provider = try FileLogProvider(
            in: folder.path, format: Prefixed(), header: "lengths 1", rolling: RollingPolicy(maximumBytes: 100, maximumArchives: 0))
        let messages = (1...50).map { String(repeating: "m", count: $0) }
        for message in messages.prefix(25) { provider.log(event(message)) }
        try provider.write(messages.dropFirst(25).map { event($0) })
        var bytes: [UInt8] = []
        let names = folder.archives() + ["app.log"]
        #expect(names.count > 10)
        for name in names {
            let text = folder.text(name)
            #expect(text.hasPrefix("lengths 1\n"))
            #expect(text.utf8.count <= 100)
            bytes += Array(text.utf8.dropFirst(10))
        }
        var decoded: [String] = []
        while let count = bytes.first.map(Int.init) {
            decoded.append(String(decoding: bytes[1...count], as: UTF8.self))
            bytes.removeFirst(count + 2)
        }
        #expect(decoded == messages)
    }
}
