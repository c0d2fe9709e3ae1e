#if Collector
    internal import CLogbookSystem
    internal import Hummingbird
    internal import LogbookCore
    internal import NIOCore
    internal import NIOHTTP1
    internal import NIOHTTPTypes

    /// Closes connections that keep the collector waiting: for a whole head, for the next request, for a body that trickles in, or for
    /// answers to be taken; and those over which an answer says so, whatever was sent after the request. What is no request is refused
    /// here, behind the answers to those before it: whoever gives these hears of it too late.
    ///
    /// Bytes that are no part of a request yet prolong nothing. While the collector itself is not ready to read, no time passes. An answer
    /// that is given before its request has all come is the last one: nobody reads the rest, which need not end. Who wants to know whether
    /// to send a body is told to when somebody reads it.
    final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
        typealias InboundIn = HTTPRequestPart
        typealias InboundOut = HTTPRequestPart
        typealias OutboundIn = HTTPResponsePart
        typealias OutboundOut = HTTPResponsePart

        /// Sent outwards by whoever begins to read the body of the request that is to be answered next.
        struct BodyIsWanted: Sendable {}

        /// Sent outwards by who closes it whatever it does.
        private struct MustClose: Sendable {}

        private let limits: ConnectionLimits
        private let registry: ConnectionRegistry
        private var number: UInt64?
        private var nextLook: Scheduled<Void>?
        /// While more waits to be taken by the client than should.
        private var nextLookAtAnswers: Scheduled<Void>?
        /// Until when the next head must be here.
        private var headDeadline = NIODeadline.now()
        private var isReadingBody = false
        /// The other side keeps the body that is being read until it is told to go on.
        private var isBodyKept = false
        private var answersOwed = 0
        /// Answers that are given and that the system has not taken whole yet.
        private var answersUnwritten = 0
        /// Somebody wants it closed once they are.
        private var wantedClose: (mode: CloseMode, promise: EventLoopPromise<Void>?)?
        /// The answer that is being written is the last one.
        private var isLast = false
        private var isClosing = false
        /// Kept once the rest of a request that is answered already has come, or has been waited for long enough.
        private var rest: EventLoopPromise<Void>?
        /// What came behind the requests that are answered yet was none.
        private var hasFailed = false
        /// It is to be refused once they are answered: it belongs to none of them.
        private var isRefusalOwed = false
        /// Of the body that is being read.
        private var pace = BodyPace()
        private var readingSince: NIODeadline?

        init(limits: ConnectionLimits, registry: ConnectionRegistry) {
            self.limits = limits
            self.registry = registry
        }

        func handlerAdded(context: ChannelHandlerContext) {
            // Between the parser and what translates its words: some of what a request says is lost in translation.
            let pipeline = context.pipeline.syncOperations
            if let parser = try? pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self) {
                try? pipeline.addHandler(PlainRequests(), position: .after(parser))
            }
            if context.channel.isActive { begin(context) }
        }

        func channelActive(context: ChannelHandlerContext) {
            begin(context)
            context.fireChannelActive()
        }

        func channelInactive(context: ChannelHandlerContext) {
            end()
            context.fireChannelInactive()
        }

        func handlerRemoved(context: ChannelHandlerContext) { end() }

        private func begin(_ context: ChannelHandlerContext) {
            guard number == nil else { return }
            let channel = context.channel
            number = registry.admit(from: Self.address(of: channel)) { channel.triggerUserOutboundEvent(MustClose(), promise: nil) }
            guard number != nil else { return context.close(promise: nil) }
            waitForHead(limits.headDeadline, context)
        }

        private func end() {
            nextLook?.cancel()
            nextLook = nil
            nextLookAtAnswers?.cancel()
            nextLookAtAnswers = nil
            endRest()
            if let number { registry.leave(number) }
            number = nil
            wantedClose?.promise?.succeed(())
            wantedClose = nil
        }

        /// Nil for this machine.
        private static func address(of channel: any Channel) -> String? {
            guard let address = channel.remoteAddress?.ipAddress.map({ SenderAddress($0) }) else { return nil }
            return address.isThisMachine ? nil : address.name
        }

        // MARK: What comes and goes

        func read(context: ChannelHandlerContext) {
            if readingSince == nil { readingSince = .now() }
            context.read()
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if isClosing {
                // Whatever it is, nobody is sure where it begins; but that a request has ended is certain.
                if case .end = unwrapInboundIn(data) { endRest() }
                return
            }
            let now = NIODeadline.now()
            if isReadingBody, let since = readingSince { pace.wait((now - since).nanoseconds) }
            readingSince = nil
            switch unwrapInboundIn(data) {
            case .head(let head):
                isReadingBody = true
                isBodyKept = head.headerFields[.expect]?.lowercased() == "100-continue"
                answersOwed += 1
                pace = BodyPace()
                if let number { registry.note(number, isWaiting: false) }
                look(after: limits.bodyLook, context)
            case .body(let bytes):
                isBodyKept = false
                pace.take(bytes.readableBytes)
            case .end:
                (isReadingBody, isBodyKept) = (false, false)
                waitIfDone(context)
            }
            context.fireChannelRead(data)
        }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            if isClosing {
                promise?.fail(ChannelError.ioOnClosedChannel)
                return
            }
            switch unwrapOutboundIn(data) {
            case .head(var head):
                // Of the requests that wait for an answer, the one that is being read is the latest.
                let isEarly = isReadingBody && answersOwed == 1
                if isEarly { head.headerFields[.connection] = "close" }
                isLast = head.headerFields[.connection] == "close"
                if isEarly { return context.write(wrapOutboundOut(.head(head)), promise: promise) }
            case .body: break
            case .end: return writeEnd(data, promise, context)
            }
            context.write(data, promise: promise)
        }

        private func writeEnd(_ data: NIOAny, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext) {
            answersOwed -= 1
            if isLast || hasFailed && answersOwed == 0 && !isRefusalOwed {
                return writeLastEnd(data, promise, context, isRestComing: isReadingBody && answersOwed == 0 && !hasFailed)
            }
            context.write(data, promise: counted(promise, context))
            if isRefusalOwed, answersOwed == 0 { return refuse(context) }
            waitForAnswersIfNeeded(context)
        }

        /// Of the last answer: the connection is closed once it is taken, and what still comes has been waited for.
        private func writeLastEnd(
            _ data: NIOAny, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext, isRestComing: Bool
        ) {
            isClosing = true
            let written = counted(promise, context), channel = context.channel
            let rest = isRestComing ? waitForRest(context) : context.eventLoop.makeSucceededVoidFuture()
            written.futureResult.and(rest).whenComplete { _ in channel.close(promise: nil) }
            context.writeAndFlush(data, promise: written)
            waitForAnswersIfNeeded(context)
        }

        /// Counts an answer as one that the system has not taken, until it has.
        private func counted(_ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext) -> EventLoopPromise<Void> {
            answersUnwritten += 1
            let written = promise ?? context.eventLoop.makePromise(of: Void.self)
            written.futureResult.assumeIsolated().whenComplete { [weak self] _ in self?.noteWritten(context) }
            return written
        }

        private func noteWritten(_ context: ChannelHandlerContext) {
            answersUnwritten -= 1
            guard answersUnwritten == 0 else { return }
            if context.channel.isWritable {
                nextLookAtAnswers?.cancel()
                nextLookAtAnswers = nil
            }
            if let wanted = wantedClose {
                wantedClose = nil
                return context.close(mode: wanted.mode, promise: wanted.promise)
            }
            if !isClosing { waitIfDone(context) }
        }

        /// Who closes it as soon as an answer is given, as the collector's end does, would take from the client what the system has not
        /// taken yet.
        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            // Of one side alone NIO itself writes first what waits.
            guard mode == .all, answersUnwritten > 0, wantedClose == nil, number != nil else {
                return context.close(mode: mode, promise: promise)
            }
            isClosing = true
            wantedClose = (mode, promise)
            waitForAnswersIfNeeded(context)
        }

        func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
            if event is MustClose { return context.close(promise: promise) }
            guard event is BodyIsWanted else { return context.triggerUserOutboundEvent(event, promise: promise) }
            promise?.succeed(())
            // Of the requests that wait for an answer, the one that is being read is the latest.
            guard isBodyKept, answersOwed == 1, !isClosing else { return }
            isBodyKept = false
            context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.fireErrorCaught(error)
            // Nobody is sure where the next request begins. What else the parser says of what follows is nothing new.
            guard let fault = error as? HTTPParserError, !hasFailed else { return }
            hasFailed = true
            if isClosing { return endRest() }
            // Who reads a body hears of it, and answers. What follows a request that was to be the last is none, and gets no answer.
            isRefusalOwed = !isReadingBody && fault != .closedConnection
            guard answersOwed == 0 else { return }
            if isRefusalOwed { refuse(context) } else { close(context) }
        }

        /// Answers what is no request, or could be read in two ways, and ends the connection.
        private func refuse(_ context: ChannelHandlerContext) {
            guard context.channel.isActive else { return }   // it broke off
            let refusal = CollectorService.Refusal(
                400, "malformed", reason: "this is no request, one that could be read in two ways, or its header is too long",
                headers: ["Connection": "close"])
            let id = CollectorService.Refusal.makeID(), answer = refusal.answer(id)
            LogDiagnostics.report(refusal.origin, refusal.remark(id))
            var head = HTTPResponse(status: .badRequest)
            for (name, value) in answer.headers { head.headerFields[.init(name)!] = value }  // our own names, all of them tokens
            head.headerFields[.contentLength] = String(answer.body.count)
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.write(wrapOutboundOut(.body(ByteBuffer(bytes: answer.body))), promise: nil)
            writeLastEnd(wrapOutboundOut(.end(nil)), nil, context, isRestComing: true)
        }

        func channelWritabilityChanged(context: ChannelHandlerContext) {
            nextLookAtAnswers?.cancel()
            nextLookAtAnswers = nil
            waitForAnswersIfNeeded(context)   // what is left may be little, and is waited for all the same
            context.fireChannelWritabilityChanged()
        }

        private func close(_ context: ChannelHandlerContext) {
            isClosing = true
            context.close(promise: nil)
        }

        // MARK: Patience

        private func waitIfDone(_ context: ChannelHandlerContext) {
            if !isReadingBody && answersOwed == 0 && answersUnwritten == 0 { waitForHead(limits.idleTimeout, context) }
        }

        private func waitForHead(_ patience: Duration, _ context: ChannelHandlerContext) {
            if let number { registry.note(number, isWaiting: true) }
            headDeadline = .now() + .nanoseconds(patience.wholeNanoseconds)
            look(after: patience, context)
        }

        private func waitForAnswersIfNeeded(_ context: ChannelHandlerContext) {
            guard number != nil, nextLookAtAnswers == nil, answersUnwritten > 0 || !context.channel.isWritable else { return }
            waitForAnswersToBeTaken(context)
        }

        /// Who asks and does not read is given up; who reads slowly is not, as long as it is as fast as a body must be.
        private func waitForAnswersToBeTaken(_ context: ChannelHandlerContext) {
            let patience = limits.idleTimeout, before = Self.waitingBytes(context)
            let leastTaken = Double(limits.minimumBodyBytesPerSecond) * Double(patience.wholeNanoseconds) / 1e9
            let time = TimeAmount.nanoseconds(max(1, patience.wholeNanoseconds))
            nextLookAtAnswers = context.eventLoop.assumeIsolated().scheduleTask(in: time) { [weak self] in
                guard let self else { return }
                nextLookAtAnswers = nil
                if context.channel.isWritable, answersUnwritten == 0 { return }
                let taken = before - Self.waitingBytes(context)
                if taken > 0, Double(taken) >= leastTaken { return waitForAnswersToBeTaken(context) }
                LogDiagnostics.report("collector", "a connection was closed: it asked, and did not take the answers")
                context.close(promise: nil)
            }
        }

        /// What was answered and has not reached the other machine yet. The system's own queue holds megabytes, and takes more only when
        /// a third of them is gone.
        private static func waitingBytes(_ context: ChannelHandlerContext) -> Int {
            let here = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
            let underWay = try? context.pipeline.syncOperations.withUnsafeTransportIfAvailable { (socket: NIOBSDSocket.Handle) in
                Int(logbook_unacknowledged(socket))
            }
            return here + max(0, underWay ?? 0)
        }

        /// What still comes of a request that is answered is thrown away for a while: closing at once would take the answer from whoever
        /// sends first and reads then.
        private func waitForRest(_ context: ChannelHandlerContext) -> EventLoopFuture<Void> {
            let promise = context.eventLoop.makePromise(of: Void.self)
            rest = promise
            if let number { registry.note(number, isWaiting: true) }
            look(after: limits.unwantedBodyDeadline, context)
            context.read()
            return promise.futureResult
        }

        /// Whoever was to read the rest may have gone.
        func channelReadComplete(context: ChannelHandlerContext) {
            context.fireChannelReadComplete()
            if rest != nil { context.read() }
        }

        private func endRest() {
            rest?.succeed(())
            rest = nil
        }

        private func look(after time: Duration, _ context: ChannelHandlerContext) {
            nextLook?.cancel()
            nextLook = context.eventLoop.assumeIsolated().scheduleTask(in: .nanoseconds(max(1, time.wholeNanoseconds))) {
                [weak self] in self?.look(context)
            }
        }

        private func look(_ context: ChannelHandlerContext) {
            nextLook = nil
            if rest != nil { return endRest() }
            let now = NIODeadline.now()
            if isReadingBody {
                if let fault = pace.fault(waiting: readingSince.map { (now - $0).nanoseconds } ?? 0, limits) {
                    LogDiagnostics.report("collector", "a connection was closed: \(fault)")
                    return context.close(promise: nil)
                }
                look(after: limits.bodyLook, context)
            } else if answersOwed == 0, answersUnwritten == 0, now >= headDeadline {
                context.close(promise: nil)
            }
        }
    }
#endif
