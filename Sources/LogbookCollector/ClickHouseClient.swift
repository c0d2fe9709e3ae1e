#if Collector
    internal import LogbookCore
    internal import LogbookFormat
    internal import LogbookHTTP
    internal import LogbookTransactions

    /// Queries of ClickHouse over HTTP, at whichever of its servers answers.
    final class ClickHouseClient: Sendable {
        /// The whole of a query, however large the table.
        static let queryLimit = Duration.seconds(60)
        /// Bytes of an answer at most.
        static let answerBytes = 512 << 20

        let address: ClickHouseAddress
        private let transport: any HTTPTransport
        /// Which server answered last; the next query begins there.
        private let current = Locked(0)

        init(_ address: ClickHouseAddress, transport: any HTTPTransport) {
            self.address = address
            self.transport = transport
        }

        /// For statements that give nothing back.
        /// - Parameter server: Which of the address's servers; any of them by default.
        func execute(_ sql: String, at server: Int? = nil) async throws(ClickHouseFailure) {
            _ = try await send(Self.parameters([:]), body: Array(sql.utf8), at: server)
        }

        /// What a query gives back, one object per row.
        /// - Parameter server: Which of the address's servers; any of them by default.
        func rows(_ sql: String, at server: Int? = nil) async throws(ClickHouseFailure) -> [JSONValue] {
            let bytes = try await send(Self.parameters([:]), body: Array((sql + " FORMAT JSONEachRow").utf8), at: server)
            return try Self.rows(bytes)
        }

        /// Inserts rows, the same bytes on every attempt: a replicated table takes a block that it has for what it is. When this
        /// returns, every shard has its rows.
        func insert(_ rows: [ArchiveRow], into table: String) async throws(ClickHouseFailure) {
            if rows.isEmpty { return }
            var body: [UInt8] = []
            for row in rows {
                body += row.object
                body.append(0x0A)
            }
            _ = try await send(
                Self.parameters(["query": "INSERT INTO \(address.database).\(table) FORMAT JSONEachRow", "insert_distributed_sync": "1"]),
                body: body)
        }

        private static func parameters(_ settings: [String: String]) -> [String: String] {
            var parameters = settings
            // An error in the middle of an answer is then an error and not the end of it.
            parameters["wait_end_of_query"] = "1"
            parameters["output_format_json_quote_64bit_integers"] = "1"
            // Whoever wrote reads what was written: all go to the same replica while it lives.
            parameters["load_balancing"] = "in_order"
            parameters["max_query_size"] = "\(16 << 20)"
            return parameters
        }

        private func send(
            _ parameters: [String: String], body: [UInt8], at only: Int? = nil
        ) async throws(ClickHouseFailure) -> [UInt8] {
            var limits = HTTPLimits()
            limits.total = Self.queryLimit
            limits.responseBodyBytes = Self.answerBytes
            var headers = [HTTPHeader("X-ClickHouse-Database", address.database)]
            if let user = address.user { headers.append(HTTPHeader("X-ClickHouse-User", user)) }
            if let password = address.password { headers.append(HTTPHeader("X-ClickHouse-Key", password.revealed)) }
            let query = parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.percentEncoded)" }.joined(separator: "&")
            func request(to server: Int) -> HTTPRequest {
                HTTPRequest(url: "\(address.servers[server])/?\(query)", headers: headers, body: body, limits: limits)
            }
            if let only { return try await answer(to: request(to: only)) }
            let first = current.withLock { $0 }
            var attempts = 0
            while true {
                let server = (first + attempts) % address.servers.count
                attempts += 1
                do throws(ClickHouseFailure) {
                    let answer = try await self.answer(to: request(to: server))
                    current.withLock { $0 = server }
                    return answer
                } catch {
                    // Every server once, and the first twice.
                    if !error.passes || attempts > address.servers.count { throw error }
                }
            }
        }

        private func answer(to request: HTTPRequest) async throws(ClickHouseFailure) -> [UInt8] {
            let response: HTTPResponse
            do throws(HTTPFailure) { response = try await transport.send(request) } catch {
                throw .unreachable(error.description)
            }
            // The status says less than the code in the text.
            let code = Self.code(in: response)
            if response.status == 200, code == nil { return response.body }
            let text = String(decoding: response.body.prefix(300), as: UTF8.self).split(separator: "\n").first.map(String.init)
            throw .refused(code: code, reason: text ?? "status \(response.status)")
        }

        /// `Code: 26, e.displayText() = …` or `Code: 26. DB::Exception: …`, or what newer servers say in a header.
        private static func code(in response: HTTPResponse) -> Int? {
            if let field = response.header("X-ClickHouse-Exception-Code"), let code = Int(field) { return code }
            if response.status == 200 && !response.body.starts(with: "Code: ".utf8) { return nil }
            let text = String(decoding: response.body.prefix(4 << 10), as: UTF8.self)
            guard let start = text.firstRange(of: "Code: ") else { return nil }
            return Int(text[start.upperBound...].prefix { $0.isASCII && $0.isNumber })
        }

        private static func rows(_ bytes: [UInt8]) throws(ClickHouseFailure) -> [JSONValue] {
            var rows: [JSONValue] = []
            for line in bytes.split(separator: 0x0A) {
                do throws(JSONError) { rows.append(try JSONValue.parse(Array(line))) } catch {
                    throw .refused(code: nil, reason: "the answer cannot be read: \(error)")
                }
            }
            return rows
        }
    }

    extension String {
        /// As a literal of ClickHouse's SQL; 18.16 knows no parameters.
        var clickHouseLiteral: String {
            var bytes: [UInt8] = [0x27]
            for byte in storable.utf8 {
                if byte == 0x27 || byte == 0x5C { bytes.append(0x5C) }
                bytes.append(byte)
            }
            return String(decoding: bytes + [0x27], as: UTF8.self)
        }
    }

    extension Sequence<String> {
        /// `('a', 'b')`, each text once, by its bytes: Swift takes those for equal that only look alike.
        var clickHouseList: String {
            var bytes: Set<[UInt8]> = []
            return "(" + filter { bytes.insert(Array($0.utf8)).inserted }.map(\.clickHouseLiteral).joined(separator: ", ") + ")"
        }
    }

    extension JSONValue {
        /// A column of numbers, which come quoted; nil where it is null.
        func integer(_ column: String) -> Int64? {
            switch self[column] {
            case .integer(let number)?: number
            case .string(let text)?: Int64(text)
            default: nil
            }
        }

        /// Nil where it is null.
        func text(_ column: String) -> String? { if case .string(let text)? = self[column] { text } else { nil } }

        /// A text that rows are told apart by: Swift takes those for equal that only look alike.
        func bytes(_ column: String) -> [UInt8] { Array((text(column) ?? "").utf8) }

        /// Nil where it is empty.
        func fact(_ column: String) -> String? { text(column).flatMap { $0.isEmpty ? nil : $0 } }
    }
#endif
