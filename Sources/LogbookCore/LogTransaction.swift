/// One run of a use case: say what happens in it, and every provider that listens hears it.
///
/// ```swift
/// let login = service.transaction(usecase: 1)
/// login.log(2)                                       // the request goes out
/// login.log(7, error: -1001, "the server is silent")  // and no answer came
/// ```
/// A provider that stores transactions and is registered for immediate delivery has stored the entry when `log` returns.
public struct LogTransaction: Sendable {
    /// `TXN<usecase>-<UUID>`, to be sent along with the requests the use case makes. The UUID is of version 7 (RFC 9562): ids of transactions
    /// that begin one after the other are in that order, so that whoever stores them finds room for them side by side.
    public let id: String
    /// The number of the use case, from the application's own list.
    public let usecase: Int
    /// The service's, or the one on which a continued transaction began.
    public var device: DeviceFacts { continuedDevice ?? service.device }
    private let service: LogService
    /// Of a transaction that began elsewhere.
    private let continuedDevice: DeviceFacts?
    /// By the service's monotonic clock: what was made before a logout is over with it.
    private let madeAt: UInt64

    init(id: String, usecase: Int, service: LogService, continuedDevice: DeviceFacts? = nil) {
        self.id = id
        self.usecase = usecase
        self.service = service
        self.continuedDevice = continuedDevice
        madeAt = service.clock.monotonicNanoseconds()
    }

    /// Says that an event of the use case happened.
    /// - Parameters:
    ///   - event: The event's number, from the use case's own list.
    ///   - code: Code of an error that occurred in this context; nil for none.
    ///   - description: The error in words. Code and description are independent of each other.
    public func log(
        _ event: Int, error code: Int? = nil, _ description: String? = nil,
        file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
        if description == nil, continuedDevice == nil,
            saysAtOnce(.happened(event), error: code, file, function, line) { return }
        service.log(
            entry(.happened(event), code, description),
            source: LogSource(file: file, function: function, line: line))
    }

    /// The same with an error in words of which not every reader may see every part:
    /// `login.log(7, error: 401, "no account for \(name, privacy: .private)")`.
    @_disfavoredOverload
    public func log(
        _ event: Int, error code: Int? = nil, _ description: LogMessage,
        file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
        service.log(
            entry(.happened(event), code, description.plainText),
            errorText: description, source: LogSource(file: file, function: function, line: line))
    }

    /// Says it in the fast way, where that is open.
    /// - Returns: False when there is more to it; nothing was said.
    @inline(__always)
    fileprivate func saysAtOnce(
        _ kind: TransactionEntry.Kind, error code: Int?, _ file: StaticString, _ function: StaticString, _ line: UInt32
    ) -> Bool {
        service.sayAtOnce(kind, error: code, id: id, usecase: usecase, madeAt: madeAt, file, function, line)
    }

    /// What it would say.
    package func entry(_ kind: TransactionEntry.Kind, _ code: Int? = nil, _ description: String? = nil) -> TransactionEntry {
        var entry = TransactionEntry(
            transactionID: id, usecase: usecase, kind: kind, errorCode: code, errorDescription: description, device: device)
        entry.madeAt = madeAt
        entry.isContinued = continuedDevice != nil
        return entry
    }

    /// The same, for events that the application has named: `enum LoginEvent: Int { case initiated, canceled }`.
    public func log<Event: RawRepresentable>(
        _ event: Event, error code: Int? = nil, _ description: String? = nil,
        file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) where Event.RawValue == Int {
        log(event.rawValue, error: code, description, file: file, function: function, line: line)
    }

    @_disfavoredOverload
    public func log<Event: RawRepresentable>(
        _ event: Event, error code: Int? = nil, _ description: LogMessage,
        file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) where Event.RawValue == Int {
        log(event.rawValue, error: code, description, file: file, function: function, line: line)
    }
}

extension LogService {
    /// Begins a transaction: one run of the use case. Its beginning is an entry of its own.
    public func transaction(
        usecase: Int,
        file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) -> LogTransaction {
        let transaction = newTransaction(usecase: usecase)
        if !transaction.saysAtOnce(.began, error: nil, file, function, line) {
            log(transaction.entry(.began), source: LogSource(file: file, function: function, line: line))
        }
        return transaction
    }

    /// The same for a place that is no literal, and for the providers of these names alone; nil for everybody.
    package func transaction(usecase: Int, from source: LogSource, onlyTo names: Set<String>?) -> LogTransaction {
        let transaction = newTransaction(usecase: usecase)
        log(transaction.entry(.began), source: source, onlyTo: names)
        return transaction
    }

    private func newTransaction(usecase: Int) -> LogTransaction {
        LogTransaction(
            id: "TXN\(usecase)-\(UniqueID.make(at: clock.now(), randomness))", usecase: usecase, service: self)
    }

    /// Goes on with a transaction that began elsewhere: on a server, the one that the request's headers name.
    /// - Parameters:
    ///   - id: The transaction's id as it was received.
    ///   - device: The device that the request named, not this machine.
    public func transaction(continuing id: String, usecase: Int, device: DeviceFacts) -> LogTransaction {
        LogTransaction(id: id, usecase: usecase, service: self, continuedDevice: device)
    }

    public func transaction<Usecase: RawRepresentable>(
        usecase: Usecase,
        file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) -> LogTransaction where Usecase.RawValue == Int {
        transaction(usecase: usecase.rawValue, file: file, function: function, line: line)
    }
}
