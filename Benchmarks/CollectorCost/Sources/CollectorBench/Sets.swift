/// What is stored: transactions of twenty entries, the last of them with an error.
enum Sets {
    static let entries = 20
    /// Microseconds since 1970, of every set's first entry: `Fri, 21 Nov 2025 10:29:20 GMT`.
    static let start = 1_763_720_960_000_000
    static let installation = "586AB00B-F16E-4AE6-8A91-0210264925C7"

    static func id(_ number: Int) -> String {
        let digits = String(number)
        return "TXN1-586AB00B-F16E-4AE6-8A91-" + String(repeating: "0", count: 12 - digits.count) + digits
    }

    static func key(_ number: Int, _ entry: Int) -> String { "\(installation):1:\(number * entries + entry + 1)" }

    static func error(_ entry: Int) -> (code: Int, text: String)? { entry == entries - 1 ? (422, "the tank holds 40 liters") : nil }

    /// As a client sends it, in version 0.0.2.
    static func body(_ number: Int) -> [UInt8] {
        let text = (0..<entries).map { entry in
            let error = error(entry).map { #"\#($0.code),"apptxnlog/in-ctx-err-desc":"\#($0.text)""# } ?? "null"
            return #"{"apptxnlog/usecase-event":\#(entry),"apptxnlog/in-ctx-err-code":\#(error),"#
                + #""apptxnlog/timestamp":"Fri, 21 Nov 2025 10:29:20 GMT","apptxnlog/timestamp-us":\#(start + entry),"#
                + #""apptxnlog/id":"\#(key(number, entry))"}"#
        }.joined(separator: ",")
        return Array(
            (#"{"apptxns":[{"apptxn/id":"\#(id(number))","apptxn/usecase":1,"apptxn/user-agent-device-make":"x86_64","#
                + #""apptxn/user-agent-device-os":"Debian","apptxn/user-agent-device-os-version":"12","apptxn/logs":[\#(text)]}]}"#).utf8)
    }
}
