public import LogbookCore

/// What a request says about the transaction it belongs to, so that the server can add its own entries to the same one.
///
/// With the prefix `fp-`: `fp-apptxn-id`, `fp-useragent-device-make`, `fp-useragent-device-os`, `fp-useragent-device-os-version`.
public struct TransactionHeaders: Sendable, Hashable {
    public var transactionID: String
    /// Device facts may be missing; a server stores what it is told.
    public var deviceMake: String?
    public var deviceOS: String?
    public var deviceOSVersion: String?

    /// UTF-8 bytes of a value that are believed; a longer one counts as missing.
    private static let maximumValueBytes = 256
    private static let ownPrefix = "logbook-"

    public init(transactionID: String, deviceMake: String? = nil, deviceOS: String? = nil, deviceOSVersion: String? = nil) {
        self.transactionID = transactionID
        self.deviceMake = deviceMake
        self.deviceOS = deviceOS
        self.deviceOSVersion = deviceOSVersion
    }

    /// Reads a request's fields; names compare without regard to case.
    /// - Returns: Nil when no transaction is named: the request is to be served as ever, without entries.
    public init?(from fields: some Sequence<(String, String)>, prefix: String = "logbook-") {
        var values: [String: String] = [:]
        let prefix = prefix.lowercased()
        for (name, value) in fields where !value.isEmpty && value.utf8.count <= Self.maximumValueBytes {
            let name = name.lowercased()
            if name.hasPrefix(prefix) { values[String(name.dropFirst(prefix.count))] = value }
        }
        guard let id = values["apptxn-id"] else { return nil }
        self.init(
            transactionID: id, deviceMake: values["useragent-device-make"], deviceOS: values["useragent-device-os"],
            deviceOSVersion: values["useragent-device-os-version"])
    }

    /// The device, with empty words for what is not known.
    public var device: DeviceFacts {
        DeviceFacts(make: deviceMake ?? "", os: deviceOS ?? "", osVersion: deviceOSVersion ?? "")
    }

    /// The fields to send. Control characters become spaces, so no value can begin another field. An id of more than 256 bytes is cut as it
    /// is in a client's store, so that what the server says of it is the same transaction.
    ///
    /// A fact that is empty, since nobody knows it, is left out; not with another prefix than ours: servers of the original framework fail a
    /// request that begins a transaction there without it.
    public func fields(prefix: String = "logbook-") -> [(String, String)] {
        var fields = [(prefix + "apptxn-id", Self.oneLine(transactionID.deliverableID))]
        for (name, value) in [
            ("useragent-device-make", deviceMake), ("useragent-device-os", deviceOS),
            ("useragent-device-os-version", deviceOSVersion),
        ] {
            guard let value, !value.isEmpty || prefix != Self.ownPrefix else { continue }
            fields.append((prefix + name, Self.oneLine(value)))
        }
        return fields
    }

    private static func oneLine(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
    }
}

extension LogTransaction {
    /// Header fields for every request that this run of the use case makes.
    public func headers(prefix: String = "logbook-") -> [(String, String)] {
        TransactionHeaders(
            transactionID: id, deviceMake: device.make, deviceOS: device.os, deviceOSVersion: device.osVersion
        ).fields(prefix: prefix)
    }

    /// The same as a dictionary, for clients that take one.
    public func headerFields(prefix: String = "logbook-") -> [String: String] {
        Dictionary(headers(prefix: prefix)) { first, _ in first }
    }

    /// Hands over each field, for a request of any kind:
    /// `login.applyHeaders { request.setValue($1, forHTTPHeaderField: $0) }`.
    public func applyHeaders(prefix: String = "logbook-", _ set: (_ name: String, _ value: String) throws -> Void) rethrows {
        for (name, value) in headers(prefix: prefix) { try set(name, value) }
    }
}

extension TypedTransaction {
    /// Header fields for every request that this run of the use case makes.
    public func headers(prefix: String = "logbook-") -> [(String, String)] { untyped.headers(prefix: prefix) }

    /// The same as a dictionary.
    public func headerFields(prefix: String = "logbook-") -> [String: String] { untyped.headerFields(prefix: prefix) }

    /// Hands over each field; see ``LogTransaction/applyHeaders(prefix:_:)``.
    public func applyHeaders(prefix: String = "logbook-", _ set: (_ name: String, _ value: String) throws -> Void) rethrows {
        try untyped.applyHeaders(prefix: prefix, set)
    }
}
