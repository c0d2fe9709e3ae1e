#if Collector
    internal import NIOCore
    internal import NIOHTTP1

    /// Lets requests through that everybody reads alike, and refuses what the parser lets pass although whoever stands between a client
    /// and the collector may read it otherwise. What follows a refused request is not read.
    final class PlainRequests: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias InboundOut = HTTPServerRequestPart

        private var hasRefused = false

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if hasRefused { return }
            guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
            guard Self.isPlain(head) else {
                hasRefused = true
                // The same way as a request that is none: it is answered with 400, in its turn, and the connection is closed.
                return context.fireErrorCaught(HTTPParserError.invalidHeaderToken)
            }
            // Whoever speaks the older version knows of one answer to a request, and may have this field from somebody behind.
            if head.version == .http1_0 { head.headers.remove(name: "Expect") }
            // Whoever wants the connection closed, as the older version does unless it says something else, may say so in capitals or among
            // other words; behind this one is looked for.
            if !head.isKeepAlive { head.headers.replaceOrAdd(name: "Connection", value: "close") }
            context.fireChannelRead(wrapInboundOut(.head(head)))
        }

        static func isPlain(_ head: HTTPRequestHead) -> Bool {
            let hosts = head.headers["Host"].count
            guard head.version == .http1_1 ? hosts == 1 : head.version == .http1_0 && hosts <= 1, isPlain(target: head.uri) else {
                return false
            }
            let codings = head.headers["Transfer-Encoding"]
            if codings.isEmpty { return true }
            return head.version == .http1_1 && codings.count == 1 && codings[0].lowercased() == "chunked"
                && !head.headers.contains(name: "Content-Length")
        }

        /// A path that begins with one slash, in visible ASCII, without the signs that some take for the end of a path or for a slash.
        private static func isPlain(target: String) -> Bool {
            let bytes = Array(target.utf8)
            guard bytes.first == 0x2F, bytes.dropFirst().first != 0x2F else { return false }
            return bytes.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x23 && $0 != 0x5C }
        }
    }
#endif
