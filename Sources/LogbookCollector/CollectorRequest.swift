#if Collector
/// A request as the service looks at it, whatever server received it.
struct CollectorRequest: Sendable {
    var method: String
    /// Without the query.
    var path: String
    /// The value of the field of that name, several joined by commas; nil when there is none.
    var header: @Sendable (String) -> String?
    /// Reads the body, once.
    /// - Throws: ``BodyError`` when it is longer than the limit, and whatever the connection has to say.
    var body: @Sendable (_ limit: Int) async throws -> [UInt8]
}

enum BodyError: Error { case tooLarge }

/// An answer before a server sends it.
struct CollectorAnswer: Sendable, Equatable {
    var status: Int
    var headers: [String: String] = [:]
    var body: [UInt8] = []

    /// Every refusal has the same shape: a fixed word, the field when it is one field's fault, and a reason for people.
    /// Nothing of the inside is told.
    static func refusal(
        _ status: Int, _ error: String, field: String? = nil, reason: String, headers: [String: String] = [:]
    ) -> CollectorAnswer {
        var body = JSONText()
        body.add("error", error)
        if let field { body.add("field", field) }
        body.add("reason", reason)
        return .json(status, body, headers: headers)
    }

    static func json(_ status: Int, _ body: JSONText, headers: [String: String] = [:]) -> CollectorAnswer {
        var all = headers
        all["Content-Type"] = "application/json"
        all["X-Content-Type-Options"] = "nosniff"
        return CollectorAnswer(status: status, headers: all, body: body.bytes)
    }
}
#endif
