import LogbookCore
import LogbookDelivery
import LogbookHTTP
import LogbookRemote
import Testing

@Suite struct ClickHouseDestinationTests {
    let destination = ClickHouseDestination(
        url: "https://h:8443", table: "app.logs", user: "u", password: "p", settings: ["insert_deduplicate": "1"])

    @Test func anEventIsARow() {
        #expect(Sample.text(destination, [Sample.events[0]]) == #"""
            {"time":1792837760,"nanos":123456789,"level":"info","message":"cart \"opened\"\n","installation":"I","epoch":7,"sequence":42,"category":"","transaction_id":"","event":"{\"time\":\"2026-10-24T10:29:20.123456789Z\",\"level\":\"info\",\"message\":\"cart \\\"opened\\\"\\n\",\"sequence\":42,\"installation\":\"I\",\"epoch\":7}"}

            """#)
        #expect(Sample.text(destination).split(separator: "\n").count == 2)
    }

    @Test func theRequestHoldsTheStatement() {
        let request = destination.request(for: Sample.parcel(of: destination))
        #expect(
            request.url
                == "https://h:8443/?input_format_skip_unknown_fields=1&insert_deduplicate=1&insert_distributed_sync=1&query=INSERT%20INTO%20app.logs%20FORMAT%20JSONEachRow"
        )
        #expect(request.headers.suffix(2) == [HTTPHeader("X-ClickHouse-User", "u"), HTTPHeader("X-ClickHouse-Key", "p")])
    }

    @Test("44: ClickHouse's codes say more than its status", arguments: [
        (400, 26, "rejected"), (500, 27, "rejected"), (500, 117, "rejected"), (404, 60, "misconfigured"), (401, 193, "misconfigured"),
        (400, 62, "misconfigured"), (500, 252, "retry"), (500, 319, "retry"), (500, 159, "retry"), (500, 241, "retry"), (200, 26, "rejected"),
        (500, 691, "rejected"), (500, 469, "rejected"), (400, 376, "rejected"), (400, 36, "retry"), (500, 49, "retry"),
    ])
    func codes(status: Int, code: Int, verdict: String) {
        let old = destination.verdict(status, "Code: \(code), e.displayText() = DB::Exception: said, e.what() = DB::Exception")
        let new = destination.verdict(status, "Code: \(code). DB::Exception: said. (NAME) (version 26.9.2)")
        let header = destination.verdict(status, "said", headers: [HTTPHeader("X-ClickHouse-Exception-Code", "\(code)")])
        for answer in [old, new, header] { #expect("\(answer)".hasPrefix(verdict), "\(answer)") }
    }

    @Test("44: one code may mean a row, a parcel or the server; the words tell", arguments: [
        (36, "Unknown element 'notice' for enum: while executing 'FUNCTION CAST'", "rejected"),
        (49, "Unknown element 'notice' for type Enum8('info' = 1)", "rejected"),
        (36, "Bad arguments", "retry"), (49, "Unexpected state", "retry"),
        (252, "Too many partitions for single INSERT block (more than 100)", "tooLarge"),
        (252, "Too many parts (600). Merges are processing significantly slower than inserts", "retry"),
    ])
    func wordsOfACode(code: Int, words: String, verdict: String) {
        let old = destination.verdict(500, "Code: \(code), e.displayText() = DB::Exception: \(words), e.what() = DB::Exception")
        let new = destination.verdict(500, "Code: \(code). DB::Exception: \(words). (NAME) (version 26.9.2)")
        for answer in [old, new] { #expect("\(answer)".hasPrefix(verdict), "\(answer)") }
    }

    @Test func anEmpty200IsSuccess() { #expect(destination.verdict(200) == .delivered) }
}
