#if Collector
    import Hummingbird
    @testable import LogbookCollector
    import LogbookTestKit
    import NIOCore
    import NIOEmbedded
    import NIOHTTPTypes
    import Testing

    extension ConnectionGuardTests {
        /// The system below the connection, which takes nothing of the answers until it is told to.
        private final class Full: ChannelOutboundHandler {
            typealias OutboundIn = HTTPResponsePart
            private var waiting: [EventLoopPromise<Void>] = []

            func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
                if let promise { waiting.append(promise) }
            }
            func flush(context: ChannelHandlerContext) {}
            func takeEverything() {
                for promise in waiting { promise.succeed(()) }
                waiting = []
            }
        }

        /// A connection over which a request has come, and its answer is given.
        private func answered(closing: Bool) throws -> (EmbeddedChannel, Full, EmbeddedEventLoop) {
            var limits = ConnectionLimits()
            limits.idleTimeout = .seconds(30)
            let loop = EmbeddedEventLoop(), full = Full()
            let watch = ConnectionGuard(limits: limits, registry: ConnectionRegistry(maximum: 10, maximumPerAddress: 10))
            let channel = EmbeddedChannel(handlers: [full, watch], loop: loop)
            try channel.connect(to: SocketAddress(unixDomainSocketPath: "/nowhere")).wait()
            try channel.writeInbound(HTTPRequestPart.head(HTTPRequest(method: .get, scheme: "http", authority: "x", path: "/health")))
            try channel.writeInbound(HTTPRequestPart.end(nil))
            var head = HTTPResponse(status: .ok)
            if closing { head.headerFields[.connection] = "close" }
            channel.write(HTTPResponsePart.head(head), promise: nil)
            channel.writeAndFlush(HTTPResponsePart.end(nil), promise: nil)
            return (channel, full, loop)
        }

        @Test(
            "S19: whoever does not take the end of an answer is given up, also where little is left of it, and where the connection was to end",
            arguments: [(closing: false, becomesWritable: false), (false, true), (true, false), (true, true)])
        func theEndOfAnAnswerIsWaitedFor(closing: Bool, becomesWritable: Bool) throws {
            let (channel, _, loop) = try answered(closing: closing)
            if becomesWritable {
                for isWritable in [false, true] {
                    channel.isWritable = isWritable
                    channel.pipeline.fireChannelWritabilityChanged()
                }
            }
            loop.advanceTime(by: .seconds(29))
            #expect(channel.isActive)
            loop.advanceTime(by: .seconds(2))
            #expect(!channel.isActive)
        }

        @Test("S19: whoever has taken the whole answer is waited for no longer, and a connection that was to end has ended", arguments: [false, true])
        func anAnswerThatWasTaken(closing: Bool) throws {
            let (channel, full, loop) = try answered(closing: closing)
            loop.advanceTime(by: .seconds(20))
            full.takeEverything()
            loop.run()
            #expect(channel.isActive == !closing)
            loop.advanceTime(by: .seconds(15))
            #expect(channel.isActive == !closing)
            _ = try? channel.finish()
        }
    }
#endif
