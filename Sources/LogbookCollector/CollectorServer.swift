#if Collector
    internal import Hummingbird
    internal import HummingbirdCore
    internal import HummingbirdTLS
    internal import Logging
    public import LogbookCore
    internal import ServiceLifecycle

    /// The receiving service: transaction sets and log batches over HTTP into an archive.
    ///
    /// | Request | Answer |
    /// |---|---|
    /// | `POST /v1/transactions`, a transaction set | 202 without a body, once the archive has committed |
    /// | `GET /v1/transactions?usecase=&user=&from=&to=&error=&limit=&cursor=` | a page: `{"apptxns":[…],"next":"…"}`; 413 has `next` too |
    /// | `GET /v1/export?format=jsonl` or `csv`, and the same conditions | everything, as it is read; `after=` goes on behind a line |
    /// | `DELETE /v1/users/<user>` | 200 `{"erased":2}`, once nothing of the user is left |
    /// | `PUT /v1/files/<id>`, a whole file, where a folder is configured | 200 naming the file, once it is safe on disk |
    /// | `POST /v1/logs`, lines of JSON | 200 `{"parcel":"…","accepted":2,"duplicates":0,"rejected":0}`, once it has committed |
    /// | `GET /v1/transactions/<id>` | the transaction, in the order of its entries |
    /// | `GET /v1/stats` | what the archive holds of the tenant |
    /// | `GET /metrics` | how the collector does, as Prometheus reads it |
    /// | `GET /health` | 200, or 503 when the archive cannot be written, as of a second ago at most, or its disk is full; needs no token |
    ///
    /// What is `GET` may be asked for by `HEAD`, but for the export, whose length nobody knows before its end. A sender that asks with
    /// `Expect: 100-continue` is told to go on once its body is wanted.
    ///
    /// Which tenant a request is about, and what it may do, its token says alone (``CollectorToken``). Bodies may be gzip. Every refusal
    /// is JSON with `error`, `reason`, `id` and, where one is to blame, `field`; the id, also in `X-Request-Id`, is in the remark that is
    /// made of it. One of a list that comes to a transaction that is too large says in `next` where it goes on behind that. A sender that
    /// names its parcels (`Logbook-Parcel`) may send one again: it is stored once.
    public final class CollectorServer: Sendable {
        private let configuration: CollectorConfiguration
        private let service: CollectorService
        private let abandons = Locked(false)
        /// Whether ``run(onListening:)`` has returned without all of its requests, or the account of them: the archive still has some.
        var hasAbandonedRequests: Bool { abandons.withLock { $0 } }

        /// - Throws: ``CollectorError`` for a configuration that must not be started.
        public init(
            configuration: CollectorConfiguration, archive: any Archive, clock: LogClock = .system
        ) throws(CollectorError) {
            try configuration.check()
            self.configuration = configuration
            service = try CollectorService(configuration: configuration, archive: archive, clock: clock)
        }

        /// Serves until the task is cancelled: then no more connections are taken, and requests in progress are answered, for as
        /// long as ``ConnectionLimits/stopDeadline`` allows. Whether what the archive has not come back from by then is stored nobody was
        /// told: it comes again.
        /// - Parameter onListening: Hears the port once connections are taken.
        /// - Throws: ``CollectorError/cannotListen(host:port:reason:)``, and ``CollectorError/invalid(_:)`` for a certificate or a key
        ///   that cannot be used.
        public func run(onListening: @escaping @Sendable (_ port: Int) async -> Void) async throws(CollectorError) {
            let service = service
            for shelf in service.shelves() { shelf.removeLeftovers() }
            await service.loadQuota()
            var logger = Logger(label: "logbook-collector")
            logger.logLevel = .error
            let descriptors = fittingDescriptors()
            var fitting = configuration.connections
            fitting.maximum = descriptors.connections
            let limits = fitting
            let registry = ConnectionRegistry(maximum: limits.maximum, maximumPerAddress: limits.maximumPerAddress)
            let channels = HTTP1Channel.Configuration(
                // Which knows when the collector itself is not ready to read: Hummingbird's own `idleTimeout` does not.
                additionalChannelHandlers: [ConnectionGuard(limits: limits, registry: registry)],
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 16 << 10, maxHeaderFieldCount: 100))
            let plain = HTTPServerBuilder { OnEventLoop(base: HTTP1Channel(responder: $0, configuration: channels)) }
            let application = Application(
                responder: CallbackResponder<CollectorContext> { request, context in
                    await service.respond(to: request, in: context)
                },
                server: try withTLS(plain),
                configuration: ApplicationConfiguration(
                    address: .hostname(configuration.host, port: configuration.port),
                    // Beyond what the guards keep to: room for those whose closing is under way.
                    availableConnectionsDelegate: MaximumAvailableConnections(limits.maximum + descriptors.closing)),
                onServerRunning: { channel in await onListening(channel.localAddress?.port ?? 0) },
                logger: logger)
            let retention = Retention(
                archive: service.archive, keep: configuration.keep, keepBytes: configuration.keepBytes,
                files: configuration.keepFiles.map { FileRetention(keep: $0) { service.removeFiles(receivedBefore: $0) } },
                clock: service.clock, metrics: service.metrics)
            let removing: Task<Void, Never>? = retention.keepsAll ? nil : Task { await retention.runUntilCancelled() }
            defer { removing?.cancel() }
            let group = ServiceGroup(configuration: ServiceGroupConfiguration(services: [application], logger: logger))
            // Tasks of their own: cancelling the group itself would break off what is in progress.
            let (endings, end) = AsyncStream.makeStream(of: Ending.self)
            let areAnswered = Locked(false)
            Task {
                do {
                    try await group.run()
                    areAnswered.withLock { $0 = true }
                    await service.saveQuota()
                    end.yield(.served)
                } catch {
                    end.yield(.failed(error))
                }
            }
            let ending = Task { await endings.first { _ in true } }
            let impatience = Locked<Task<Void, Never>?>(nil)
            defer { impatience.withLock { $0 }?.cancel() }
            let howItEnded = await withTaskCancellationHandler {
                await ending.value
            } onCancel: {
                let task = Task {
                    await group.triggerGracefulShutdown()
                    do { try await Task.sleep(for: limits.stopDeadline) } catch { return }
                    if areAnswered.withLock({ $0 }) {
                        LogDiagnostics.report(
                            "collector",
                            "the archive has not come back with the account of what was sent today: some of it may count for no quota")
                        end.yield(.abandoned)
                        return
                    }
                    LogDiagnostics.report("collector", "requests that were not over when the collector had to stop were broken off")
                    registry.closeAll()
                    do { try await Task.sleep(for: Self.endDeadline) } catch { return }
                    LogDiagnostics.report(
                        "collector",
                        "the archive still has some of these: whether they are stored is not known, and who sent them sends them again")
                    end.yield(.abandoned)
                }
                impatience.withLock { $0 = task }
            }
            switch howItEnded {
            case .failed(let error)?:
                throw .cannotListen(host: configuration.host, port: configuration.port, reason: Self.reason(error))
            case .abandoned?: abandons.withLock { $0 = true }   // the archive would be waited for
            case .served?, nil:
                impatience.withLock { $0 }?.cancel()   // nothing is waited for that it could tell of
                removing?.cancel()
                await Self.awaitEnd(of: removing)   // it tells what it has removed for the size
            }
        }

        /// Waits for the task no longer than ``endDeadline``, whether or not its own task is cancelled.
        private static func awaitEnd(of task: Task<Void, Never>?) async {
            guard let task else { return }
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            let late = Task {
                try? await Task.sleep(for: endDeadline)
                end.yield()
            }
            Task {
                await task.value
                end.yield()
            }
            await Task { _ = await ends.first { true } }.value
            late.cancel()
        }

        private enum Ending: Sendable {
            case served
            case failed(any Error)
            case abandoned
        }

        /// How long requests are waited for whose connections were closed: they end at once, but for those that the archive has.
        private static let endDeadline = Duration.seconds(1)
    }

    extension CollectorServer {
        /// What there is for connections; says so where they are fewer than were asked for.
        private func fittingDescriptors() -> DescriptorNeeds {
            let needs = DescriptorNeeds(of: configuration), limit = DescriptorLimit.current, fitting = needs.fitting(in: limit)
            if fitting.connections < needs.connections {
                service.report(
                    "collector",
                    """
                    this process may have \(limit) descriptors, so it takes \(fitting.connections) connections at the same time and not \
                    \(needs.connections); raise the limit of open files to \(needs.all), or ask for fewer connections
                    """)
            }
            return fitting
        }

        /// For how long a connection over TLS that the collector ends waits for the other side to say that it ends as well. What was answered
        /// has left by then, and whoever does not read never says so: meanwhile its place is nobody's.
        private static let tlsEndDeadline = Duration.milliseconds(200)

        private func withTLS(_ plain: HTTPServerBuilder) throws(CollectorError) -> HTTPServerBuilder {
            guard let certificate = configuration.tlsCertificate, let key = configuration.tlsKey else { return plain }
            do {
                var tls = TLSConfiguration.makeServerConfiguration(
                    certificateChain: try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) },
                    privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
                tls.minimumTLSVersion = .tlsv12
                tls.shutdownTimeout = .nanoseconds(Self.tlsEndDeadline.wholeNanoseconds)
                return try .tls(plain, tlsConfiguration: tls)
            } catch {
                throw .invalid("the certificate \(certificate) and the key \(key) cannot be used: \(error)")
            }
        }

        /// What the system says, without the name of the call: `bind(…): Address already in use) (errno: 98)`.
        private static func reason(_ error: any Error) -> String {
            let text = "\(error)"
            guard text.hasPrefix("bind("), let start = text.ranges(of: "): ").first?.upperBound else { return text }
            return String(text[start...]).replacing(") (errno", with: " (errno")
        }
    }

    extension CollectorService {
        fileprivate func respond(to request: Request, in context: CollectorContext) async -> Response {
            let headers = request.headers, channel = context.channel, isHead = request.method == .head
            let answer = await answer(
                CollectorRequest(
                    method: isHead ? "GET" : request.method.rawValue, isForHead: isHead, address: context.address, path: request.uri.path,
                    query: request.uri.query ?? "", header: { headers[.init($0)!] },  // our own names, all of them tokens
                    pieces: { take in
                        if headers[.expect] != nil { channel.triggerUserOutboundEvent(ConnectionGuard.BodyIsWanted(), promise: nil) }
                        for try await buffer in request.body { try await take(Array(buffer.readableBytesView)) }
                    }))
            var fields = HTTPFields()
            for (name, value) in answer.headers { fields[.init(name)!] = value }
            if let stream = answer.stream {
                return Response(
                    status: .init(code: answer.status), headers: fields,
                    body: ResponseBody { writer in
                        try await stream { bytes in if !bytes.isEmpty { try await writer.write(ByteBuffer(bytes: bytes)) } }
                        try await writer.finish(nil)
                    })
            }
            return Response(
                status: .init(code: answer.status), headers: fields,
                body: answer.body.isEmpty ? .init() : .init(byteBuffer: ByteBuffer(bytes: answer.body)))
        }
    }
#endif
