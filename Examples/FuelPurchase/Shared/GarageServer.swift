#if Examples
    public import Hummingbird
    public import Logbook
    import LogbookTransactions

    /// The small server: five routes, each of which contributes what it saw to the transaction that the request names.
    public struct GarageServer: Sendable {
        private let garage = Garage()
        private let service: LogService

        public init(service: LogService) { self.service = service }

        public func router() -> Router<BasicRequestContext> {
            let router = Router()
            router.post("accounts") { request, context in
                let form = try await request.decode(as: Credentials.self, context: context)
                return try await contribute(to: request, .createAccount) { () async throws(GarageError) in
                    try await garage.createAccount(form)
                    return Response(status: .created)
                }
            }
            router.post("session") { request, context in
                let form = try await request.decode(as: Credentials.self, context: context)
                return try await contribute(to: request, .logIn) { () async throws(GarageError) in
                    Self.response(try await garage.logIn(form).token)
                }
            }
            router.post("vehicles") { request, context in
                let form = try await request.decode(as: Vehicle.self, context: context)
                return try await contribute(to: request, .addVehicle) { () async throws(GarageError) in
                    try await garage.add(form, token: Self.token(of: request))
                    return Response(status: .created)
                }
            }
            router.post("purchases") { request, context in
                let form = try await request.decode(as: FuelPurchase.self, context: context)
                return try await contribute(to: request, .logFuelPurchase) { () async throws(GarageError) in
                    try await garage.log(form, token: Self.token(of: request))
                    return Response(status: .created)
                }
            }
            router.get("changes") { request, _ in
                try await contribute(to: request, .synchronize) { () async throws(GarageError) in
                    let changes = try await garage.changes(token: Self.token(of: request))
                    return Self.response("\(changes.vehicles) vehicles, \(changes.purchases) purchases")
                }
            }
            router.get("health") { _, _ in Response(status: .ok) }
            return router
        }

        /// What the server's part of each use case is called.
        private static let events = ServerTransaction.Events(
            started: FormEvent.serverStarted.rawValue, success: FormEvent.serverSucceeded.rawValue,
            invalid: FormEvent.serverFoundInvalid.rawValue, error: FormEvent.serverFailed.rawValue)

        /// Answers the request and says so in the transaction that its headers name. A request without them is answered all the same.
        private func contribute(
            to request: Request, _ usecase: Usecase, _ work: () async throws(GarageError) -> Response
        ) async throws -> Response {
            do {
                return try await ServerTransaction.run(
                    headers: request.headers.map { ($0.name.rawName, $0.value) }, usecase: usecase.rawValue, events: Self.events,
                    service: service, failure: { ($0 as? GarageError)?.outcome }, work)
            } catch let error as GarageError {
                if case .broken = error { service.error("\(usecase) broke", error: error) }
                return error.response
            }
        }

        private static func token(of request: Request) -> String? {
            request.headers[.authorization].map { String($0.dropFirst("Bearer ".count)) }
        }

        private static func response(_ text: String) -> Response { Response(status: .ok, text: text) }
    }

    extension GarageError {
        /// What it means for the transaction.
        fileprivate var outcome: ServerTransaction.Outcome {
            switch self {
            case .invalid(let reason): .invalid(code: 422, reason)
            case .unauthorized: .invalid(code: 401, description)
            case .broken(let reason): .error(code: 500, reason)
            }
        }

        fileprivate var response: Response {
            switch self {
            case .invalid(let reason): Response(status: .unprocessableContent, text: reason)
            case .unauthorized: Response(status: .unauthorized, text: description)
            case .broken: Response(status: .internalServerError, text: "something went wrong")
            }
        }
    }

    extension Response {
        fileprivate init(status: HTTPResponse.Status, text: String) {
            self.init(status: status, headers: [.contentType: "text/plain"], body: .init(byteBuffer: ByteBuffer(string: text)))
        }
    }
#endif
