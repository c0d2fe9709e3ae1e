#if Examples
    /// The server's data: accounts, their vehicles and what was filled into them. In memory; the example is about its log.
    public actor Garage {
        private struct Account {
            let password: String
            var vehicles: [String: Vehicle] = [:]
            var purchases: [FuelPurchase] = []
        }
        private var accounts: [String: Account] = [:]
        private var sessions: [String: String] = [:]

        public init() {}

        public func createAccount(_ credentials: Credentials) throws(GarageError) {
            guard !credentials.name.isEmpty else { throw .invalid("a name is missing") }
            guard credentials.password.count >= 8 else { throw .invalid("a password needs eight characters") }
            guard accounts[credentials.name] == nil else { throw .invalid("the name is taken") }
            accounts[credentials.name] = Account(password: credentials.password)
        }

        public func logIn(_ credentials: Credentials) throws(GarageError) -> Session {
            guard let account = accounts[credentials.name], account.password == credentials.password else {
                throw .unauthorized
            }
            let token = "session-\(sessions.count + 1)-\(UInt64.random(in: 0 ... .max))"
            sessions[token] = credentials.name
            return Session(token: token)
        }

        public func add(_ vehicle: Vehicle, token: String?) throws(GarageError) {
            let name = try owner(of: token)
            guard !vehicle.plate.isEmpty, vehicle.tank > 0 else { throw .invalid("a plate and a tank are missing") }
            accounts[name]!.vehicles[vehicle.plate] = vehicle
        }

        public func log(_ purchase: FuelPurchase, token: String?) throws(GarageError) {
            let name = try owner(of: token)
            guard let vehicle = accounts[name]!.vehicles[purchase.plate] else { throw .invalid("there is no such vehicle") }
            guard purchase.liters > 0, purchase.liters <= vehicle.tank else { throw .invalid("the tank holds \(vehicle.tank) liters") }
            // The fault that the log of a transaction helps to find.
            guard purchase.odometer < 1_000_000 else { throw .broken("the odometer column holds six digits") }
            accounts[name]!.purchases.append(purchase)
        }

        public func changes(token: String?) throws(GarageError) -> Changes {
            let account = accounts[try owner(of: token)]!
            return Changes(vehicles: account.vehicles.count, purchases: account.purchases.count)
        }

        private func owner(of token: String?) throws(GarageError) -> String {
            guard let token, let name = sessions[token] else { throw .unauthorized }
            return name
        }
    }

    public enum GarageError: Error, Equatable, CustomStringConvertible {
        case invalid(String)
        case unauthorized
        case broken(String)

        public var description: String {
            switch self {
            case .invalid(let reason): reason
            case .unauthorized: "name or password are wrong, or nobody is logged in"
            case .broken(let reason): reason
            }
        }
    }
#endif
