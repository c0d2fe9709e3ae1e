internal import LogbookCore
internal import LogbookFormat

extension TransactionSet {
    /// The set as JSON. The same set gives the same bytes, everywhere and always.
    ///
    /// A set says a device of a transaction, and not of an entry. So entries with a ``EntryRecord/device`` of their own stand behind their
    /// transaction, for each such device in one more element with the same id, which says of the transaction what the first one does.
    /// Whoever receives that has the same entries with the same devices, and of those of the same time perhaps another order.
    public func encode(_ version: TransactionSetVersion = .v0_0_1) -> [UInt8] { withDevicesApart.inOnePieceEach(version) }

    /// The set for whoever reads an archive: as ``encode(_:)`` has it in version 0.0.2, but with each transaction in one element. An entry
    /// says itself that it has a device of its own, in `apptxnlog/user-agent-device-make`, `-os` and `-os-version`.
    package func encodeForReaders() -> [UInt8] { inOnePieceEach(.v0_0_2) }

    private func inOnePieceEach(_ version: TransactionSetVersion) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append("{\"apptxns\":[")
        for (index, transaction) in transactions.enumerated() {
            if index > 0 { bytes.append(0x2C) }
            bytes.append(transaction, version)
        }
        bytes.append("]}")
        return bytes
    }

    /// Bytes that `{"apptxns":[` and its end take.
    static let frameBytes = 14

    /// Bytes that a transaction takes without its entries, the comma before it included.
    static func encodedBytes(headOf transaction: TransactionRecord, _ version: TransactionSetVersion) -> Int {
        var bytes: [UInt8] = []
        bytes.append(headOf: transaction, version)
        return bytes.count + 3
    }

    /// Bytes that an entry takes, the comma before it included.
    static func encodedBytes(of entry: EntryRecord, _ version: TransactionSetVersion) -> Int {
        var bytes: [UInt8] = []
        bytes.append(entry, version)
        return bytes.count + 1
    }
}

extension Array where Element == UInt8 {
    /// One transaction with its entries: an object.
    mutating func append(_ transaction: TransactionRecord, _ version: TransactionSetVersion) {
        append(headOf: transaction, version)
        for (index, entry) in transaction.entries.enumerated() {
            if index > 0 { append(0x2C) }
            append(entry, version)
        }
        append("]}")
    }

    /// A transaction up to the opening bracket of its entries.
    fileprivate mutating func append(headOf transaction: TransactionRecord, _ version: TransactionSetVersion) {
        append("{\"apptxn/id\":")
        append(jsonString: transaction.id)
        append(",\"apptxn/usecase\":")
        append(decimal: transaction.usecase)
        append(",\"apptxn/user-agent-device-make\":", transaction.deviceMake, version)
        append(",\"apptxn/user-agent-device-os\":", transaction.deviceOS, version)
        append(",\"apptxn/user-agent-device-os-version\":", transaction.deviceOSVersion, version)
        if version == .v0_0_2 {
            append(",\"apptxn/user\":", transaction.user)
            append(",\"apptxn/variant\":", transaction.variant)
            append(",\"apptxn/app-version\":", transaction.appVersion)
            append(",\"apptxn/session\":", transaction.session)
            append(",\"apptxn/installation\":", transaction.installation)
        }
        append(",\"apptxn/logs\":[")
    }

    /// The original sends an error code that is absent as null, and leaves an absent description out.
    fileprivate mutating func append(_ entry: EntryRecord, _ version: TransactionSetVersion) {
        append("{\"apptxnlog/usecase-event\":")
        append(decimal: entry.event)
        append(",\"apptxnlog/in-ctx-err-code\":")
        if let code = entry.errorCode { append(decimal: code) } else { append("null") }
        append(",\"apptxnlog/in-ctx-err-desc\":", entry.errorDescription)
        append(",\"apptxnlog/timestamp\":\"")
        HTTPDate.append(entry.time, to: &self)
        append(0x22)
        if version == .v0_0_2 {
            append(",\"apptxnlog/timestamp-us\":")
            append(decimal: entry.time.nanoseconds.flooredQuotient(by: 1000))
            append(",\"apptxnlog/id\":", entry.key?.description)
            if let offset = entry.offset {
                append(",\"apptxnlog/offset\":")
                append(decimal: offset.flooredQuotient(by: 1000))
            }
            if let device = entry.device {
                append(",\"apptxnlog/user-agent-device-make\":", device.make, version)
                append(",\"apptxnlog/user-agent-device-os\":", device.os, version)
                append(",\"apptxnlog/user-agent-device-os-version\":", device.osVersion, version)
            }
        }
        append(0x7D)
    }

    /// A fact of the device, which is empty where nobody knows it: then it is absent, but for servers of version 0.0.1, which refuse a
    /// transaction that is new to them without it.
    private mutating func append(_ key: StaticString, _ fact: String?, _ version: TransactionSetVersion) {
        if fact?.isEmpty == true && version != .v0_0_1 { return }
        append(key, fact)
    }

    private mutating func append(_ key: StaticString, _ text: String?) {
        guard let text else { return }
        append(key)
        append(jsonString: text)
    }
}
