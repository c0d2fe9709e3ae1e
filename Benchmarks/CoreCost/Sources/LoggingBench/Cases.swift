import Counters
import Foundation
import Logbook

/// Something that writes lines into a file.
struct LineCase {
    let log: @Sendable (Int) -> Void
    /// Returns when every line is in the file; that it is on the medium as well, as `flush` would wait for, no peer does either.
    let finish: @Sendable () -> Void

    static let ready = "request 1234567 of user 54321 finished: GET /api/v2/orders/confirm status 200 bytes 18234 cache miss retry no"

    /// - Parameter folder: Empty, for the file.
    init(_ name: String, in folder: String) throws {
        let service = LogService()
        // As large as it gets, and callers wait: the rate is that of the slowest part.
        let queue = LogDelivery.queued(QueuePolicy(overflow: .block(upTo: .seconds(60))))
        let rolling = RollingPolicy(maximumBytes: 1 << 40)
        let logLine: @Sendable (Int) -> Void = { i in
            service.info(
                "request \(i) of user \((i &* 7) % 100_000) finished: GET /api/v2/orders/confirm status 200 bytes \(200 &+ (i & 1023) &* 37) cache miss retry no"
            )
        }
        let finishService: @Sendable () -> Void = {
            service.error("nothing waits for company behind an error")
            let deadline = LogDeadline.seconds(60)
            while let late = service.health().providers.first(where: { $0.ledger.delivered != $0.ledger.submitted }) {
                precondition(late.ledger.dropped.isEmpty && !deadline.hasPassed, "\(late.ledger)")
                usleep(100)
            }
        }
        switch name {
        case "file":
            service.register(try FileLogProvider(in: folder, rolling: rolling), from: .info, delivery: queue)
            (log, finish) = (logLine, finishService)
        case "metadata", "searched-metadata":
            if name != "metadata" { service.privacyRules = .standard }
            service.register(try FileLogProvider(in: folder, rolling: rolling), from: .info, delivery: queue)
            log = { i in service.info("request finished", metadata: ["request": .integer(Int64(i)), "user": "jane", "status": 200]) }
            finish = finishService
        case "searched":   // as the presets for staging and production have it
            service.privacyRules = .standard
            service.register(try FileLogProvider(in: folder, rolling: rolling), from: .info, delivery: queue)
            (log, finish) = (logLine, finishService)
        case "json":
            service.register(
                try FileLogProvider(in: folder, format: .jsonLines, rolling: rolling), from: .info, delivery: queue)
            (log, finish) = (logLine, finishService)
        case "two":
            service.register(try FileLogProvider(in: folder, name: "a", rolling: rolling), from: .info, delivery: queue)
            service.register(try FileLogProvider(in: folder, name: "b", rolling: rolling), from: .info, delivery: queue)
            (log, finish) = (logLine, finishService)
        case "sink":
            service.register(sink: NoSink(), from: .info, queue: QueuePolicy(overflow: .block(upTo: .seconds(60))))
            (log, finish) = (logLine, finishService)
        case "entry":
            service.register(sink: NoSink(), from: .info, queue: QueuePolicy(overflow: .block(upTo: .seconds(60))))
            let transaction = service.transaction(usecase: 1)
            log = { i in transaction.log(i) }
            finish = finishService
        case "immediate":
            service.register(try FileLogProvider(in: folder, rolling: rolling), from: .info)
            (log, finish) = (logLine, finishService)
        case "string":
            service.register(try FileLogProvider(in: folder, rolling: rolling), from: .info, delivery: queue)
            log = { _ in service.info(Self.ready) }
            finish = finishService
        case "console":
            counters_redirect_output(folder + "/console")
            service.register(ConsoleLogProvider(format: .text), from: .info, delivery: queue)
            (log, finish) = (logLine, finishService)
        case "print":
            counters_redirect_output(folder + "/console")
            log = { i in
                print(
                    "request \(i) of user \((i &* 7) % 100_000) finished: GET /api/v2/orders/confirm status 200 bytes \(200 &+ (i & 1023) &* 37) cache miss retry no"
                )
            }
            finish = { counters_flush_output() }
        case "swift-log":
            counters_redirect_output(folder + "/console")
            log = SwiftLogPeer.line()
            finish = { counters_flush_output() }
        case "naive":
            let logger = NaiveFileLogger(path: folder + "/naive.log")
            log = { i in
                logger.log(
                    "request \(i) of user \((i &* 7) % 100_000) finished: GET /api/v2/orders/confirm status 200 bytes \(200 &+ (i & 1023) &* 37) cache miss retry no"
                )
            }
            finish = {}
        default: throw BenchError("no case \(name)")
        }
    }
}

struct BenchError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// What many programs have: one serial queue, a DateFormatter, seek to the end and write, line by line.
final class NaiveFileLogger: Sendable {
    private let queue = DispatchQueue(label: "naive")
    private let handle: FileHandle
    private let formatter = DateFormatter()

    init(path: String) {
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        handle = FileHandle(forWritingAtPath: path)!
        formatter.dateFormat = "yyyy-MM-dd'T'HH:mm:ss.SSSZZZZZ"
        formatter.locale = Locale(identifier: "en_US_POSIX")
    }

    func log(_ message: String, file: String = #file, function: String = #function, line: Int = #line) {
        queue.sync {
            let name = (file as NSString).lastPathComponent
            let text = "\(formatter.string(from: Date())) [info] [\(name):\(line)] \(function) \(message)\n"
            _ = try? handle.seekToEnd()
            try? handle.write(contentsOf: Data(text.utf8))
        }
    }
}

struct NoSink: BatchSink {
    func write(_ batch: [LogEvent]) {}
}

/// Calls that nobody listens to.
enum DisabledCase: String, CaseIterable {
    case nothing, logbook
    case swiftLog = "swift-log"

    func run(_ calls: Int) {
        switch self {
        case .nothing: for i in 0..<calls { counters_use(UInt64(truncatingIfNeeded: i)) }
        case .logbook:
            let service = LogService()
            service.register(NoProvider(), from: .critical)
            Self.call(service, calls)
        case .swiftLog: SwiftLogPeer.disabled(calls)
        }
    }
}

extension DisabledCase {
    /// Apart, as the function of a program that was handed the service.
    @inline(never)
    private static func call(_ service: LogService, _ calls: Int) {
        for i in 0..<calls {
            counters_use(UInt64(truncatingIfNeeded: i))
            service.debug("request \(calls)")
        }
    }
}

struct NoProvider: LogProvider {
    func log(_ event: LogEvent) {}
    func flush(by deadline: LogDeadline) {}
}

