#if Collector && canImport(Glibc)
    import Foundation
    import Glibc
    import LogbookHTTP
    import LogbookTestKit
    import Testing

    extension ToolTests {
        /// Small requests that want to become large, sent to a collector that runs as its users run it.
        @Suite struct CollectorBombTests {
            private let folder: TemporaryFolder
            private let collector: CollectorProcess

            init() throws {
                folder = TemporaryFolder()
                collector = try CollectorProcess(in: folder)
                for _ in 0..<20 { #expect(try send(Array(Self.set.utf8)) == 202) }   // it has what it needs at any time
            }

            private static let set =
                #"{"apptxns":[{"apptxn/id":"T","apptxn/usecase":1,"apptxn/logs":["#
                + #"{"apptxnlog/usecase-event":1,"apptxnlog/timestamp":"Thu, 15 Jan 2015 18:11:42 GMT"}]}]}"#

            private func send(_ body: [UInt8], to path: String = "/v1/transactions", encoding: String? = nil) throws -> Int {
                var headers = [
                    HTTPHeader("Authorization", "Bearer \(CollectorProcess.token)"),
                    HTTPHeader(
                        "Content-Type", path == "/v1/logs" ? "application/x-ndjson" : "application/vnd.fp.apptxnset-v0.0.2+json"),
                ]
                if let encoding { headers.append(HTTPHeader("Content-Encoding", encoding)) }
                return try CurlTransport.shared.sendAndWait(
                    HTTPRequest(url: collector.url + path, headers: headers, body: body), by: .seconds(60)
                ).status
            }

            /// Mebibytes that the collector had at most since the last call of ``forgetMost()``.
            private func most(_ field: String = "VmHWM:") throws -> Double {
                let status = try String(contentsOfFile: "/proc/\(collector.tool.process.identifier)/status", encoding: .utf8)
                let line = try #require(status.split(separator: "\n").first { $0.hasPrefix(field) })
                return Double(try #require(line.split { $0 == " " || $0 == "\t" }.dropFirst().first.flatMap { Int($0) })) / 1024
            }

            private func forgetMost() throws {
                try "5".write(toFile: "/proc/\(collector.tool.process.identifier)/clear_refs", atomically: false, encoding: .utf8)
            }

            private func stop() {
                collector.tool.signal(SIGTERM)
                #expect(collector.tool.wait().status == 0)
            }

            @Test("S17: 100 MB in 97 KB are refused with 413, and cost the collector 16 MiB at most")
            func aBombOfGzip() throws {
                let bomb = folder("bomb.gz")
                #expect(
                    try ChildProcess.run(["sh", "-c", "head -c 100000000 /dev/zero | gzip -9"], output: bomb) == .exited(0))
                let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: bomb)))
                #expect((90_000...100_000).contains(bytes.count))
                // 8 MiB that are allowed, so that what a large set takes is no surprise later.
                let before = try most("VmRSS:")
                try forgetMost()
                for path in ["/v1/transactions", "/v1/logs"] {
                    for _ in 0..<3 { #expect(try send(bytes, to: path, encoding: "gzip") == 413) }
                }
                // The same wrapped once more, and the one after the other, is no other.
                let twice = folder("twice.gz")
                #expect(try ChildProcess.run(["gzip", "-9", "-c", bomb], output: twice) == .exited(0))
                let wrapped = [UInt8](try Data(contentsOf: URL(fileURLWithPath: twice)))
                #expect(try send(wrapped, encoding: "gzip, gzip") == 415)
                #expect([400, 413].contains(try send(wrapped, encoding: "gzip")))
                #expect(try send(bytes + bytes, encoding: "gzip") == 413)
                let grown = try most() - before
                print("S17: the bomb has cost \(grown.rounded()) MiB")
                if !Sanitizer.keepsWhatProgramsFree { #expect(grown <= 16) }
                #expect(try send(Array(Self.set.utf8)) == 202)
                stop()
            }

            /// Documents that are small to send and large to hold, or that say something else to each who reads them.
            private static var bombs: [(name: String, body: [UInt8])] {
                func text(_ text: String) -> [UInt8] { Array(text.utf8) }
                func times(_ piece: String, _ count: Int) -> String { String(repeating: piece, count: count) }
                func entry(_ members: String) -> String {
                    #"{"apptxns":[{"apptxn/id":"B","apptxn/usecase":1,"apptxn/logs":[{\#(members)}]}]}"#
                }
                func transaction(_ members: String) -> String { #"{"apptxns":[{\#(members)}]}"# }
                let stamp = #""apptxnlog/timestamp":"Thu, 15 Jan 2015 18:11:42 GMT""#
                let event = #""apptxnlog/usecase-event":1"#, logs = #""apptxn/logs":[]"#, usecase = #""apptxn/usecase":1"#
                let million = 1 << 20
                // In lists of as many elements as one may have.
                let lists = "[" + times("[" + times("[],", 99_999) + "[]],", 25) + "[]]"
                var bombs: [(String, [UInt8])] = [
                    ("nested arrays, whole", text(times("[", 33) + times("]", 33))),
                    ("nested arrays, a million", text(times("[", million))),
                    ("nested arrays, eight million", text(times("[", 8 * million - 1))),
                    ("nested objects", text(times(#"{"a":"#, 200_000))),
                    ("nested in a set", text(#"{"apptxns":[{"apptxn/id":"# + times("[", 500_000))),
                    ("arrays and objects in turns", text(times(#"[{"a":"#, 200_000))),
                    ("numbers without end", text("[" + times("0,", 4 * million - 2) + "0]")),
                    ("empty objects", text("[" + times("{},", 2 * million) + "{}]")),
                    ("empty texts", text("[" + times(#""","#, 2 * million) + #"""]"#)),
                    ("257 keys", text("{" + (0..<257).map { #""k\#($0)":0"# }.joined(separator: ",") + "}")),
                    ("a hundred thousand keys", text("{" + (0..<100_000).map { #""k\#($0)":0"# }.joined(separator: ",") + "}")),
                    ("a key of eight MiB", text(#"{""# + times("k", 8 * million - 20) + #"":0}"#)),
                    ("a text of eight MiB", text(#"{"apptxns":""# + times("x", 8 * million - 20) + #""}"#)),
                    ("escapes without end", text(#"{"apptxns":""# + times(#"\u0041"#, million) + #""}"#)),
                    ("lists for a use case", text(transaction(#""apptxn/id":"B","apptxn/usecase":\#(lists),\#(logs)"#))),
                    ("lists for an event", text(entry(#""apptxnlog/usecase-event":\#(lists),\#(stamp)"#))),
                    ("lists for an error code", text(entry(#"\#(event),"apptxnlog/in-ctx-err-code":\#(lists),\#(stamp)"#))),
                    ("65 digits", text(#"{"apptxns":\#(times("1", 65))}"#)),
                    ("a million digits", text(#"{"apptxns":\#(times("1", million))}"#)),
                    ("a million digits behind the point", text(#"{"apptxns":0.\#(times("1", million))}"#)),
                    ("an exponent", text(entry(#""apptxnlog/usecase-event":1e999999999,\#(stamp)"#))),
                    ("an exponent of many digits", text(entry(#""apptxnlog/usecase-event":1e\#(times("9", 1000)),\#(stamp)"#))),
                    ("a number beyond 64 bits", text(entry(#""apptxnlog/usecase-event":9223372036854775808,\#(stamp)"#))),
                    ("a fraction", text(entry(#""apptxnlog/usecase-event":1.5,\#(stamp)"#))),
                    ("a key twice", text(#"{"apptxns":[],"apptxns":[]}"#)),
                    ("a key twice, once escaped", text(#"{"apptxns":[],"\u0061pptxns":[]}"#)),
                    ("an id twice", text(transaction(#""apptxn/id":"B","apptxn/id":"C",\#(usecase),\#(logs)"#))),
                    ("something behind the end", text(#"{"apptxns":[]}{}"#)),
                    ("two ends", text(#"{"apptxns":[]}}"#)),
                    ("a comma too many", text(#"{"apptxns":[],}"#)),
                    ("a comment", text(#"{"apptxns":[]/**/}"#)),
                    ("no quotes", text("{apptxns:[]}")),
                    ("single quotes", text("{'apptxns':[]}")),
                    ("not a number", text(#"{"apptxns":NaN}"#)),
                    ("a leading zero", text(#"{"apptxns":01}"#)),
                    ("a hexadecimal number", text(#"{"apptxns":0x1}"#)),
                    ("a byte order mark", [0xEF, 0xBB, 0xBF] + text(#"{"apptxns":[]}"#)),
                    ("UTF-16", text(#"{"apptxns":[]}"#).flatMap { [$0, 0] }),
                    ("bytes that are no UTF-8", text(#"{"apptxns":""#) + [0xFF, 0xFE] + text(#""}"#)),
                    ("an overlong slash", text(#"{"apptxns":""#) + [0xC0, 0xAF] + text(#""}"#)),
                    ("a surrogate in UTF-8", text(#"{"apptxns":""#) + [0xED, 0xA0, 0x80] + text(#""}"#)),
                    ("half a character", text(#"{"apptxns":""#) + [0xE2, 0x82] + text(#""}"#)),
                    ("half a pair", text(entry(#""apptxnlog/in-ctx-err-desc":"\ud800",\#(event),\#(stamp)"#))),
                    ("a control character", text("{\"apptxns\":\"a\u{1}b\"}")),
                    ("a NUL", text("{\"apptxns\":[]}\0")),
                    ("broken off", text(#"{"apptxns":[{"apptxn/id":"B""#)),
                    ("100,001 entries", text(#"{"apptxns":[{"apptxn/id":"B",\#(usecase),"apptxn/logs":["# + times("{},", 100_000) + "{}]}]}")),
                    ("10,001 transactions", text(#"{"apptxns":["# + times("{},", 10_000) + "{}]}")),
                    ("an id of 257 bytes", text(transaction(#""apptxn/id":"\#(times("i", 257))",\#(usecase),\#(logs)"#))),
                    ("an empty object", text("{}")), ("null", text("null")), ("a text", text(#""apptxns""#)), ("true", text("true")),
                ]
                // A value of each kind where it does not belong.
                let kinds = ["[]", "{}", "true", "null", "1.5", #""x""#, "[[1]]", #"{"a":1}"#]
                for kind in kinds {
                    if kind != "[]" && kind != "null" { bombs.append(("apptxns: \(kind)", text(#"{"apptxns":\#(kind)}"#))) }
                    if kind != #""x""# { bombs.append(("id: \(kind)", text(transaction(#""apptxn/id":\#(kind),\#(usecase),\#(logs)"#)))) }
                    bombs.append(("use case: \(kind)", text(transaction(#""apptxn/id":"B","apptxn/usecase":\#(kind),\#(logs)"#))))
                    if kind != "[]" {
                        bombs.append(("logs: \(kind)", text(transaction(#""apptxn/id":"B",\#(usecase),"apptxn/logs":\#(kind)"#))))
                    }
                    bombs.append(("event: \(kind)", text(entry(#""apptxnlog/usecase-event":\#(kind),\#(stamp)"#))))
                    bombs.append(("time: \(kind)", text(entry(#"\#(event),"apptxnlog/timestamp":\#(kind)"#))))
                }
                return bombs
            }

            @Test("S18: more than 50 bombs of JSON and mixed up types are refused, store nothing, and cost the collector 32 MiB at most")
            func bombsOfJSON() throws {
                let bombs = Self.bombs
                #expect(bombs.count >= 50)
                let before = try most("VmRSS:")
                try forgetMost()
                for bomb in bombs {
                    let status = try send(bomb.body)
                    #expect([400, 413, 422].contains(status), "\(bomb.name): \(status)")
                }
                let grown = try most() - before
                print("S18: \(bombs.count) bombs have cost \(grown.rounded()) MiB")
                if !Sanitizer.keepsWhatProgramsFree { #expect(grown <= 32) }
                #expect(try send(Array(Self.set.utf8)) == 202)
                stop()
                #expect(try ChildProcess.run(
                    ["sqlite3", "-readonly", folder("archive.sqlite"), "SELECT guid FROM transactions"], output: folder("rows")) == .exited(0))
                #expect(folder.text("rows") == "T\n")
            }
        }
    }
#endif
