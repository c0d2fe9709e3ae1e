#if Collector
    /// A request as the service looks at it, whatever server received it.
    struct CollectorRequest: Sendable {
        /// `GET` also where the answer's head alone is asked for.
        var method: String
        /// Whether it came as `HEAD`.
        var isForHead = false
        /// Of the other side, as ``SenderAddress`` names it; empty when it is not known.
        var address = ""
        /// Without the query.
        var path: String
        /// What follows the path's question mark; empty when there is none.
        var query: String
        /// The value of the field of that name, several joined by commas; nil when there is none.
        var header: @Sendable (String) -> String?
        /// Reads the body, once, and hands over one piece after the other.
        /// - Throws: What `take` throws, and whatever the connection has to say.
        var pieces: @Sendable (_ take: (_ piece: [UInt8]) async throws -> Void) async throws -> Void
        /// Hears by how much the body is longer, inflated, than what has come and was heard of before, and how long it is so far.
        /// - Throws: Why so much is not taken.
        var grow: @Sendable (_ more: Int, _ bytes: Int) throws(CollectorService.Refusal) -> Void = { _, _ in }
        /// Hears that all of the body was there already: what `grow` has heard of takes no room.
        var giveGrowthBack: @Sendable () -> Void = {}

        /// Reads the body, once.
        /// - Parameter makeRoom: Asked for every piece, of so many bytes, before it is kept: whether there is room for it.
        /// - Throws: ``BodyError`` when it is longer than the limit, or there is no room, and whatever the connection has to say.
        func body(upTo limit: Int, makeRoom: (_ bytes: Int) -> Bool) async throws -> [UInt8] {
            var bytes: [UInt8] = []
            try await pieces { piece in
                if bytes.count + piece.count > limit { throw BodyError.tooLarge }
                if !makeRoom(piece.count) { throw BodyError.noRoom }
                bytes += piece
            }
            return bytes
        }
    }

    enum BodyError: Error {
        case tooLarge
        case noRoom
    }
#endif
