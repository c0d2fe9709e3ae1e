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

        /// Answers the request and says so in the transaction that its headers name. A request without them is answered all the same.
        private func contribute(
            to request: Request, _ usecase: Usecase, _ work: () async throws(GarageError) -> Response
        ) async throws -> Response {
            let named = TransactionHeaders(from: request.headers.map { ($0.name.rawName, $0.value) })
            let transaction = named.map {
                service.transaction(continuing: $0.transactionID, usecase: usecase.rawValue, device: $0.device)
            }
            transaction?.log(FormEvent.serverStarted)
            do {
                let response = try await work()
                transaction?.log(FormEvent.serverSucceeded)
                return response
            } catch {
                switch error {
                case .invalid(let reason):
                    transaction?.log(FormEvent.serverFoundInvalid, error: 422, reason)
                    return Self.response(reason, status: .unprocessableContent)
                case .unauthorized:
                    transaction?.log(FormEvent.serverFoundInvalid, error: 401, error.description)
                    return Self.response(error.description, status: .unauthorized)
                case .broken(let reason):
                    service.error("\(usecase) broke", error: error)
                    transaction?.log(FormEvent.serverFailed, error: 500, reason)
                    return Self.response("something went wrong", status: .internalServerError)
                }
            }
        }

        private static func token(of request: Request) -> String? {
            request.headers[.authorization].map { String($0.dropFirst("Bearer ".count)) }
        }

        private static func response(_ text: String, status: HTTPResponse.Status = .ok) -> Response {
            Response(status: status, headers: [.contentType: "text/plain"], body: .init(byteBuffer: ByteBuffer(string: text)))
        }
    }
#endif
