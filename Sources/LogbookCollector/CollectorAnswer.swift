#if Collector
    /// An answer before a server sends it.
    struct CollectorAnswer: Sendable {
        var status: Int
        var headers: [String: String] = [:]
        var body: [UInt8] = []
        /// Writes the body, piece by piece, in place of ``body``; what it throws breaks the answer off.
        var stream: Stream?

        typealias Stream = @Sendable (_ write: ([UInt8]) async throws -> Void) async throws -> Void

        static func json(_ status: Int, _ body: JSONText, headers: [String: String] = [:]) -> CollectorAnswer {
            var all = headers
            all["Content-Type"] = "application/json"
            all["X-Content-Type-Options"] = "nosniff"
            return CollectorAnswer(status: status, headers: all, body: body.bytes)
        }
    }
#endif
