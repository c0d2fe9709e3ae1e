#if Transactions
import LogbookCore
import LogbookFormat
import LogbookHTTP
import LogbookTestKit
import LogbookTransactions
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// 2015-02-06T05:59:27Z, the moment of the goldens.
let t0 = LogTime(seconds: 1_423_202_367)
let phone = DeviceFacts(make: "iPhone7,2", os: "iPhone OS", osVersion: "8.1.2")
let goldenID = "TXN17-586AB00B-F16E-4AE6-8A91-0210264925C7"

extension TemporaryFolder {
    var store: String { self("store.sqlite") }
}

/// The standard output of a command, without the last line's end.
func shell(_ command: String) -> String {
    guard let pipe = popen(command, "r") else { return "" }
    defer { pclose(pipe) }
    var bytes: [UInt8] = []
    while true {
        let byte = fgetc(pipe)
        if byte == EOF { break }
        bytes.append(UInt8(truncatingIfNeeded: byte))
    }
    if bytes.last == 0x0A { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
}

/// What another process finds in the store, or does to it.
func sqlite3(_ path: String, _ sql: String, readOnly: Bool = true) -> String {
    shell("sqlite3 \(readOnly ? "-readonly" : "") '\(path)' \"\(sql)\" 2>&1")
}

func bytes(of path: String) -> [UInt8] {
    guard let file = fopen(path, "re") else { return [] }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    while true {
        let byte = fgetc(file)
        if byte == EOF { return bytes }
        bytes.append(UInt8(truncatingIfNeeded: byte))
    }
}

/// What callbacks said, in their order.
final class Heard<Value: Sendable>: Sendable {
    private let values = Monitor<[Value]>([])
    func append(_ value: Value) {
        values.withLock { access in
            access.value.append(value)
            access.broadcast()
        }
    }
    var all: [Value] { values.withLock { $0.value } }

    /// Returns once there are `count` of them, or after half a minute.
    func wait(for count: Int) -> [Value] { wait { $0.count >= count } }

    /// Returns once they are enough, or after half a minute.
    func wait(until areEnough: ([Value]) -> Bool) -> [Value] {
        let deadline = LogDeadline.seconds(30)
        return values.withLock { access in
            while !areEnough(access.value) {
                if !access.wait(until: deadline) { break }
            }
            return access.value
        }
    }
}

/// A provider on a store of its own, with a service in front of it and a clock that stands at T0. It speaks to servers of the original,
/// which say no more than a status, unless a test says otherwise.
struct Bench {
    let folder: TemporaryFolder
    let clock: ManualClock
    let events = Heard<TransactionDeliveryEvent>()
    let errors = Heard<TransactionStoreError>()
    let provider: TransactionLogProvider
    let service: LogService
    let registration: LogRegistration

    /// - Parameter version: How sets are written; nil leaves that to the configuration.
    init(
        in folder: TemporaryFolder = TemporaryFolder(), clock: ManualClock = ManualClock(now: t0), url: String? = nil,
        token: Secret? = nil, interval: Duration? = nil, delivery: LogDelivery = .immediate, version: TransactionSetVersion? = .v0_0_1,
        _ configure: (inout TransactionLogConfiguration) -> Void = { _ in }
    ) throws {
        self.folder = folder
        self.clock = clock
        var configuration = TransactionLogConfiguration(storePath: folder.store, storeURL: url, token: token)
        configuration.delivery.interval = interval
        if let version { configuration.wireVersion = version }
        configuration.authScheme = "fp-auth"
        configuration.authTokenParameter = "fp-token"
        configuration.mediaSubtypePrefix = "vnd.fp."
        configuration.clock = .manual(clock)
        configuration.onError = { [errors] in errors.append($0) }
        configuration.onDelivery = { [events] in events.append($0) }
        configure(&configuration)
        provider = try TransactionLogProvider(configuration: configuration)
        service = LogService(device: phone, clock: .manual(clock))
        registration = service.register(provider, delivery: delivery)
    }

    /// Closes the store, as the end of the program would.
    func close() { #expect(throws: Never.self) { try provider.shutdown(by: .seconds(30)) } }

    func deliver() throws { try provider.deliver(by: .seconds(30)) }

    func sqlite3(_ sql: String) -> String { LogbookTransactionsTests.sqlite3(folder.store, sql) }
}

/// The use case events that a request's body carries, by transaction.
func usecaseEvents(_ request: LoopbackServer.Request) throws -> [String: [Int]] {
    let set = try TransactionSet.decode(request.body)
    return Dictionary(uniqueKeysWithValues: set.transactions.map { ($0.id, $0.entries.map(\.event)) })
}

/// JSON by meaning: members in the order of their keys.
func meaning(_ json: some Collection<UInt8>) throws -> JSONValue { sorted(try JSONValue.parse(Array(json))) }
func meaning(_ json: String) throws -> JSONValue { try meaning(Array(json.utf8)) }

private func sorted(_ value: JSONValue) -> JSONValue {
    switch value {
    case .array(let elements): .array(elements.map(sorted))
    case .object(let members):
        .object(members.map { JSONMember(key: $0.key, value: sorted($0.value)) }.sorted { $0.key < $1.key })
    default: value
    }
}
#endif
