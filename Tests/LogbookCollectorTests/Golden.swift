#if Collector
import LogbookCollector
import LogbookCore
import LogbookTransactions

/// Sets and events that several tests send.
enum Golden {
    /// G2 of the specification: two entries, the second with an error.
    static let g2 = """
        {"apptxns":[{"apptxn/id":"TXN1-3BB05024-B7F6-4B66-838B-F6982FCB08DF","apptxn/usecase":1,
         "apptxn/user-agent-device-make":"x86_64","apptxn/user-agent-device-os":"iPhone OS","apptxn/user-agent-device-os-version":"8.1",
         "apptxn/logs":[
          {"apptxnlog/usecase-event":1,"apptxnlog/in-ctx-err-code":null,"apptxnlog/timestamp":"Thu, 15 Jan 2015 18:11:42 GMT"},
          {"apptxnlog/usecase-event":2,"apptxnlog/in-ctx-err-code":42,"apptxnlog/in-ctx-err-desc":"Baad!","apptxnlog/timestamp":"Fri, 16 Jan 2015 18:11:42 GMT"}]}]}
        """
    static let g2ID = "TXN1-3BB05024-B7F6-4B66-838B-F6982FCB08DF"
    static let setType = "application/vnd.fp.apptxnset-v0.0.1+json;charset=UTF-8"

    static var g2Set: TransactionSet { get throws { try TransactionSet.decode(Array(g2.utf8)) } }

    static func entry(_ event: Int, at seconds: Double, key: EntryKey? = nil) -> EntryRecord {
        EntryRecord(event: event, time: LogTime(seconds: seconds), key: key)
    }

    static func parcel(_ transactions: TransactionRecord..., name: String? = nil) -> TransactionParcel {
        TransactionParcel(
            parcel: name, set: TransactionSet(transactions: transactions), received: LogTime(seconds: 1_423_202_400))
    }

    /// A line of JSON as `/v1/logs` takes it.
    static func line(_ sequence: Int, installation: String? = "INST") -> String {
        let origin = installation.map { #","installation":"\#($0)","epoch":1"# } ?? ""
        return #"{"time":"2026-11-21T09:29:20.5Z","level":"warning","message":"event \#(sequence)","sequence":\#(sequence)\#(origin)}"#
    }

    static func item(_ sequence: UInt64, origin: LogOrigin? = LogOrigin(installation: "INST", epoch: 1)) -> LogBatch.Item {
        LogBatch.Item(
            event: LogEvent(sequence: sequence, time: LogTime(seconds: 1000), level: .info, message: "event \(sequence)"),
            origin: origin)
    }
}
#endif
