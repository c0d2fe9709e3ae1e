#if Examples
    import Foundation
    public import Logbook
    import LogbookTransactions

    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif

    /// The client's side of the wire: every request carries the transaction it belongs to.
    public struct GarageClient: Sendable {
        public struct Answer: Sendable {
            public let status: Int
            public let text: String
            public var isSuccess: Bool { (200..<300).contains(status) }
        }
        private let server: String

        public init(server: String) { self.server = server }

        public func post(_ path: String, _ form: some Encodable, token: String? = nil, in transaction: LogTransaction) async throws -> Answer {
            var request = request(path, token: token, in: transaction)
            request.httpMethod = "POST"
            request.httpBody = try JSONEncoder().encode(form)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            return try await send(request)
        }

        public func get(_ path: String, token: String?, in transaction: LogTransaction) async throws -> Answer {
            try await send(request(path, token: token, in: transaction))
        }

        private func request(_ path: String, token: String?, in transaction: LogTransaction) -> URLRequest {
            var request = URLRequest(url: URL(string: server + path)!, timeoutInterval: 20)
            for (name, value) in transaction.headers() { request.setValue(value, forHTTPHeaderField: name) }
            if let token { request.setValue("Bearer " + token, forHTTPHeaderField: "Authorization") }
            return request
        }

        private func send(_ request: URLRequest) async throws -> Answer {
            let (data, response) = try await URLSession.shared.data(for: request)
            guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
            return Answer(status: response.statusCode, text: String(decoding: data, as: UTF8.self))
        }
    }
#endif
