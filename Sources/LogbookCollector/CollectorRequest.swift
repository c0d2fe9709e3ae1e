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
#endif
