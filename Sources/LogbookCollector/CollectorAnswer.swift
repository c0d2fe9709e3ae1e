#if Collector
    /// An answer before a server sends it.
    struct CollectorAnswer: Sendable {
        var status: Int
        var headers: [String: String] = [:]
        var body: [UInt8] = []
        /// Writes the body, piece by piece, in place of ``body``; what it throws breaks the answer off.
        var stream: Stream?

        typealias Stream = @Sendable (_ write: ([UInt8]) async throws -> Void) async throws -> Void

        /// The answer without its body, and how long that would be.
        var head: CollectorAnswer {
            var head = CollectorAnswer(status: status, headers: headers)
            if stream == nil { head.headers["Content-Length"] = String(body.count) }
            return head
        }

        static func json(_ status: Int, _ body: JSONText, headers: [String: String] = [:]) -> CollectorAnswer {
            var all = headers
            all["Content-Type"] = "application/json"
            all["X-Content-Type-Options"] = "nosniff"
            return CollectorAnswer(status: status, headers: all, body: body.bytes)
        }
    }
#endif
