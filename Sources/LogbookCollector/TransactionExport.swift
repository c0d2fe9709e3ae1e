internal import LogbookCore
internal import LogbookFormat
internal import LogbookTransactions

/// How transactions are written for other programs.
enum TransactionExport: String, Sendable {
    /// One transaction per line, as in a set of version 0.0.2, with its place as `cursor`: behind it another export goes on.
    case jsonl
    /// One entry per line, with its transaction's facts, but for the device where it has one of its own; a transaction without entries has
    /// none.
    case csv

    var mediaType: String {
        switch self {
        case .jsonl: "application/x-ndjson"
        case .csv: "text/csv"
        }
    }

    var contentType: String { self == .csv ? "text/csv; charset=utf-8; header=present" : mediaType }

    /// What comes before everything else.
    var head: [UInt8] { self == .csv ? Array((Self.columns.joined(separator: ",") + "\r\n").utf8) : [] }

    private static let columns = [
        "transaction", "usecase", "user", "variant", "app_version", "session", "installation", "device_make", "device_os",
        "device_os_version", "event", "time", "offset_us", "error_code", "error_description",
    ]

    /// Bytes that are made before they are written: every line of a table repeats all that is known of its transaction.
    private static let pieceBytes = 64 << 10

    /// Writes all lines of the transaction, in pieces.
    /// - Parameter place: Of the transaction, where that is known.
    func write(
        _ transaction: TransactionRecord, at place: TransactionCursor? = nil, to write: ([UInt8]) async throws -> Void
    ) async throws {
        switch self {
        case .jsonl:
            // `{"apptxns":[{` … `}]}`; it may be large, and is not copied as a whole.
            var line = TransactionSet(transactions: [transaction]).encodeForReaders()[12...].dropLast(3)
            while line.count > Self.pieceBytes {
                try await write(Array(line.prefix(Self.pieceBytes)))
                line = line.dropFirst(Self.pieceBytes)
            }
            try await write(Array(line) + (place.map { #","cursor":"\#($0)""# } ?? "").utf8 + [0x7D, 0x0A])
        case .csv:
            var piece: [UInt8] = []
            for entry in transaction.entries {
                piece += Self.line(entry, of: transaction)
                if piece.count < Self.pieceBytes { continue }
                try await write(piece)
                piece = []
            }
            if !piece.isEmpty { try await write(piece) }
        }
    }

    private static func line(_ entry: EntryRecord, of transaction: TransactionRecord) -> [UInt8] {
        var time: [UInt8] = []
        ISO8601.append(entry.time, digits: 6, in: .utc, to: &time)
        let fields = [
            field(transaction.id), String(transaction.usecase), field(transaction.user), field(transaction.variant),
            field(transaction.appVersion), field(transaction.session), field(transaction.installation),
            field(entry.device?.make ?? transaction.deviceMake), field(entry.device?.os ?? transaction.deviceOS),
            field(entry.device?.osVersion ?? transaction.deviceOSVersion), String(entry.event), String(decoding: time, as: UTF8.self),
            entry.offset.map { String($0 / 1000) } ?? "", entry.errorCode.map { String($0) } ?? "", field(entry.errorDescription),
        ]
        return Array((fields.joined(separator: ",") + "\r\n").utf8)
    }

    /// In quotes, and with an apostrophe before what a spreadsheet would take for a formula. Numbers are ours, and stay numbers.
    static func field(_ text: String?) -> String {
        guard let text, !text.isEmpty else { return "" }
        // A spreadsheet may pass over what looks empty in front.
        let first = text.unicodeScalars.first { !$0.properties.isWhitespace && !$0.properties.isDefaultIgnorableCodePoint }
        let isFormula = first.map { "=+-@\u{FF1D}\u{FF0B}\u{FF0D}\u{FF20}".unicodeScalars.contains($0) } ?? true
        let isControl = text.unicodeScalars.first.map { $0.value < 0x20 } ?? false
        // By bytes: a mark that is joined to a quotation mark makes another character of it.
        let quoted = text.utf8.flatMap { $0 == UInt8(ascii: "\"") ? [$0, $0] : [$0] }
        return "\"" + (isFormula || isControl ? "'" : "") + String(decoding: quoted, as: UTF8.self) + "\""
    }
}
