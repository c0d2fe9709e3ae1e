import LogbookCompression
import LogbookCore
import LogbookDelivery
import LogbookFiles
import LogbookFormat
import LogbookHTTP
import LogbookTestKit
import Testing

@testable import LogbookUploads

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The message and nothing else.
struct MessageFormat: LogFormat {
    func append(_ event: LogEvent, to bytes: inout [UInt8]) {
        bytes += Array(event.message.utf8)
        bytes.append(0x0A)
    }
}

func event(_ message: String, at time: LogTime = LogTime(seconds: 1_763_720_960)) -> LogEvent {
    LogEvent(sequence: 1, time: time, level: .info, message: message)
}

/// A folder with a log whose files await delivery, an uploader, and what the uploader said.
final class UploadBench: Sendable {
    // In memory where there is such a place: hundreds of rolls wait for no disk.
    private let folder = TemporaryFolder(inMemory: true)
    var path: String { folder.path }
    let clock = ManualClock(now: LogTime(seconds: 1_763_720_960))
    private let said = Monitor<[UploadEvent]>([])

    /// Everything in the folder, hidden files included.
    var names: [String] { folder.allNames }
    var archives: [String] { names.filter { $0.hasPrefix("app-") } }

    func file(
        _ policy: RollingPolicy = RollingPolicy(awaitsDelivery: true),
        onArchive: (@Sendable (LogArchiveEvent) -> Void)? = nil
    ) throws -> FileLogProvider {
        try FileLogProvider(
            in: path, format: MessageFormat(), rolling: policy, files: SystemFileSystem(), clock: .manual(clock),
            onArchive: onArchive)
    }

    /// Rolls one file per text.
    @discardableResult
    func roll(_ texts: [String], compressed: Bool = false) throws -> [LogArchive] {
        let done = Monitor(0)
        let provider = try file(RollingPolicy(awaitsDelivery: true, compression: compressed ? .gzip : nil)) { event in
            guard case .compressed = event else { return }
            done.withLock { access in
                access.value += 1
                access.broadcast()
            }
        }
        let archives = try texts.map { text in
            try provider.write([event(text, at: clock.now)])
            return try #require(try provider.roll())
        }
        if compressed {
            done.withLock { access in
                while access.value < texts.count { if !access.wait(until: .seconds(60)) { break } }
            }
        }
        try provider.shutdown(by: .seconds(30))
        return archives
    }

    func uploader(
        to request: UploadRequest = UploadRequest(url: "http://127.0.0.1/"), _ transport: any HTTPTransport,
        conditions: UploadConditions = .none, concurrency: Int = 1, policy: DeliveryPolicy = DeliveryPolicy(),
        files: some FileSystem = SystemFileSystem()
    ) throws -> LogUploader {
        try LogUploader(
            of: path, name: "app", to: request, conditions: conditions, concurrency: concurrency, policy: policy,
            transport: transport, files: files, clock: .manual(clock), randomness: .seeded(1)
        ) { [said] event in
            said.withLock { access in
                access.value.append(event)
                access.broadcast()
            }
        }
    }

    var events: [UploadEvent] { said.withLock { $0.value } }
    var delivered: [String] { events.compactMap { if case .delivered(let id) = $0 { id } else { nil } } }

    /// Off the pool of threads that runs the tests.
    func wait(until condition: @escaping @Sendable ([UploadEvent]) -> Bool) async -> Bool {
        let said = said
        return await onThread {
            said.withLock { access in
                while !condition(access.value) { if !access.wait(until: .seconds(60)) { return condition(access.value) } }
                return true
            }
        }
    }
    func waitForDelivered(_ count: Int) async -> Bool {
        await wait { events in events.filter { if case .delivered = $0 { true } else { false } }.count >= count }
    }
    func waitForRetries(_ count: Int) async -> Bool {
        await wait { events in events.filter { if case .willRetry = $0 { true } else { false } }.count >= count }
    }
}

extension HTTPRequest {
    /// The whole body, read as a transport would.
    var content: [UInt8] {
        guard let stream else { return body }
        guard let reader = try? stream.open() else { return [] }
        var bytes = [UInt8](repeating: 0, count: stream.bytes ?? 0)
        var offset = 0
        while offset < bytes.count {
            let end = min(bytes.count, offset + 1000)
            let count = bytes.withUnsafeMutableBytes {
                (try? reader.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[offset..<end]))) ?? 0
            }
            if count == 0 { return [] }
            offset += count
        }
        return bytes
    }
    var text: String { String(decoding: content, as: UTF8.self) }
    func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }
    var parcel: String { header("Logbook-Parcel") ?? "" }
}
