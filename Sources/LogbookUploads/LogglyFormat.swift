public import LogbookCore
public import LogbookFormat

/// One object of JSON per line, with the fields that Loggly's loggers for apps use.
///
/// ```json
/// {"lang":"de","appname":"shop","appversion":"1.2","devicemodel":"KVM","osversion":"12","sessionid":"…","loglevel":"info",
///  "timestamp":"2025-11-21T10:29:20.123Z","file":"Cart.swift","fileandlinenumber":"Cart.swift:12","rawlogmessage":"cart opened"}
/// ```
/// A message that is itself an object of JSON is taken apart: its members stand beside these fields, and under the same name
/// these fields win. Fields without a value are left out. An event's error stands as `"error":{"type":…,"message":…}`, an entry of a
/// transaction as `"transaction":{"id":…,"usecase":…,"event":…}`.
///
/// `urgentFrom` of the conditions of a delivery does not see the level of these lines.
public struct LogglyFormat: LogFormat {
    public var language: String
    public var appName: String
    public var appVersion: String
    public var deviceName: String
    public var device: DeviceFacts
    public var sessionID: String
    public var userID: String
    /// A message that was taken apart also stands whole in `rawlogmessage`. Default true.
    public var alwaysIncludesRawMessage: Bool

    public init(
        appName: String = "", appVersion: String = "", language: String = "", deviceName: String = "",
        device: DeviceFacts = .current, sessionID: String = "", userID: String = "", alwaysIncludesRawMessage: Bool = true
    ) {
        self.appName = appName
        self.appVersion = appVersion
        self.language = language
        self.deviceName = deviceName
        self.device = device
        self.sessionID = sessionID
        self.userID = userID
        self.alwaysIncludesRawMessage = alwaysIncludesRawMessage
    }

    public func append(_ event: LogEvent, to bytes: inout [UInt8]) {
        let event = event.within(LogLimits())
        let file = String(event.source.fileName)
        var fields: [(String, LogValue)] = [
            ("lang", .string(language)), ("appname", .string(appName)), ("appversion", .string(appVersion)),
            ("devicename", .string(deviceName)), ("devicemodel", .string(device.make)),
            ("osversion", .string(device.osVersion)), ("sessionid", .string(sessionID)), ("userid", .string(userID)),
            ("loglevel", .string(event.level.name)), ("timestamp", .string(Self.stamp(event.time))),
            ("file", .string(file)),
            ("fileandlinenumber", .string(file.isEmpty ? "" : "\(file):\(event.source.line)")),
        ].filter { $0.1 != .string("") }
        if let error = event.error {
            fields.append(("error", .object(["type": .string(error.type), "message": .string(error.description)])))
        }
        if let entry = event.transaction { fields.append(("transaction", .object(Self.members(of: entry)))) }
        let reserved = Set(fields.map(\.0) + ["rawlogmessage"])
        let parts = Self.members(of: event.message).filter { !reserved.contains($0.key) }
        fields += parts.map { ($0.key, $0.value.logValue) }
        let named = Set(fields.map(\.0))
        fields += event.metadata.filter { !named.contains($0.key) && $0.key != "rawlogmessage" }.map { ($0.key, $0.value) }
        if parts.isEmpty || alwaysIncludesRawMessage { fields.append(("rawlogmessage", .string(event.message))) }
        bytes.append(json: LogMetadata(fields))
        bytes.append(0x0A)
    }

    private static func members(of entry: TransactionEntry) -> LogMetadata {
        var members: LogMetadata = ["id": .string(entry.transactionID), "usecase": .integer(Int64(entry.usecase))]
        if let number = entry.event { members["event"] = .integer(Int64(number)) }
        if let code = entry.errorCode { members["error_code"] = .integer(Int64(code)) }
        if let text = entry.errorDescription { members["error_description"] = .string(text) }
        return members
    }

    private static func members(of message: String) -> [JSONMember] {
        guard message.utf8.first == 0x7B, case .object(let members)? = try? JSONValue.parse(Array(message.utf8)) else {
            return []
        }
        return members
    }

    /// `2025-11-21T10:29:20.123Z`, rounded to the nearest millisecond, so that 59.9996 s is the next minute's 00.000.
    private static func stamp(_ time: LogTime) -> String {
        let rounded = LogTime(nanoseconds: (time.nanoseconds &+ 500_000).flooredQuotient(by: 1_000_000) &* 1_000_000)
        var bytes: [UInt8] = []
        ISO8601.append(rounded, digits: 3, in: .utc, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension LogFormat where Self == LogglyFormat {
    /// Loggly's fields, without names for the app and its user.
    public static var loggly: LogglyFormat { LogglyFormat() }
}
