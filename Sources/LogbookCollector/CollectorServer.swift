#if Collector
    internal import Hummingbird
    internal import HummingbirdCore
    internal import Logging
    public import LogbookCore
    internal import ServiceLifecycle

    /// The receiving service: transaction sets and log batches over HTTP into an archive.
    ///
    /// | Request | Answer |
    /// |---|---|
    /// | `POST /v1/transactions`, a transaction set | 202 without a body, once the archive has committed |
    /// | `PUT /v1/files/<id>`, a whole file, where a folder is configured | 200 naming the file, once it is safe on disk |
    /// | `POST /v1/logs`, lines of JSON | 200 `{"parcel":"…","accepted":2,"duplicates":0,"rejected":0}`, once it has committed |
    /// | `GET /v1/transactions/<id>` | the transaction, in the order of its entries |
    /// | `GET /v1/stats` | what the archive holds |
    /// | `GET /health` | 200, or 503 when the archive cannot be written; needs no token |
    ///
    /// Bodies may be gzip. Every refusal is JSON with `error`, `reason` and, where one is to blame, `field`. A sender that names its
    /// parcels (`Logbook-Parcel`) may send one again: it is stored once.
    public final class CollectorServer: Sendable {
        private let configuration: CollectorConfiguration
        private let service: CollectorService

        /// - Throws: ``CollectorError`` for a configuration that must not be started.
        public init(
            configuration: CollectorConfiguration, archive: any Archive, clock: LogClock = .system
        ) throws(CollectorError) {
            try configuration.check()
            self.configuration = configuration
            service = CollectorService(configuration: configuration, archive: archive, clock: clock)
        }

        /// Serves until the task is cancelled: then no more connections are taken, and requests in progress are answered.
        /// - Parameter onListening: Hears the port once connections are taken.
        /// - Throws: ``CollectorError/cannotListen(host:port:reason:)``.
        public func run(onListening: @escaping @Sendable (_ port: Int) async -> Void) async throws(CollectorError) {
            let service = service
            if let folder = configuration.filesFolder { FileShelf(path: folder).removeLeftovers() }
            var logger = Logger(label: "logbook-collector")
            logger.logLevel = .error
            let application = Application(
                responder: CallbackResponder<BasicRequestContext> { request, _ in await service.respond(to: request) },
                server: .http1(
                    configuration: .init(
                        idleTimeout: .nanoseconds(configuration.idleTimeout.wholeNanoseconds),
                        httpDecoderConfiguration: .init(
                            maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 16 << 10, maxHeaderFieldCount: 100))),
                configuration: ApplicationConfiguration(
                    address: .hostname(configuration.host, port: configuration.port),
                    availableConnectionsDelegate: MaximumAvailableConnections(configuration.maximumConnections)),
                onServerRunning: { channel in await onListening(channel.localAddress?.port ?? 0) },
                logger: logger)
            let group = ServiceGroup(configuration: ServiceGroupConfiguration(services: [application], logger: logger))
            // A task of its own: cancelling the group itself would break off what is in progress.
            let serving = Task { try await group.run() }
            do {
                try await withTaskCancellationHandler {
                    try await serving.value
                } onCancel: {
                    Task { await group.triggerGracefulShutdown() }
                }
            } catch {
                throw .cannotListen(host: configuration.host, port: configuration.port, reason: Self.reason(error))
            }
        }
    }

    extension CollectorServer {
        /// What the system says, without the name of the call: `bind(…): Address already in use) (errno: 98)`.
        private static func reason(_ error: any Error) -> String {
            let text = "\(error)"
            guard text.hasPrefix("bind("), let start = text.ranges(of: "): ").first?.upperBound else { return text }
            return String(text[start...]).replacing(") (errno", with: " (errno")
        }
    }

    extension CollectorService {
        fileprivate func respond(to request: Request) async -> Response {
            let headers = request.headers
            let answer = await answer(
                CollectorRequest(
                    method: request.method.rawValue, path: request.uri.path,
                    header: { headers[.init($0)!] },  // our own names, all of them tokens
                    pieces: { take in
                        for try await buffer in request.body { try await take(Array(buffer.readableBytesView)) }
                    }))
            var fields = HTTPFields()
            for (name, value) in answer.headers { fields[.init(name)!] = value }
            return Response(
                status: .init(code: answer.status), headers: fields,
                body: answer.body.isEmpty ? .init() : .init(byteBuffer: ByteBuffer(bytes: answer.body)))
        }
    }
#endif
