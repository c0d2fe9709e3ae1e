#if Examples
    /// What client and server say to each other, as JSON.
    public struct Credentials: Codable, Sendable {
        public var name: String
        public var password: String
        public init(name: String, password: String) {
            self.name = name
            self.password = password
        }
    }

    public struct Session: Codable, Sendable {
        public var token: String
        public init(token: String) { self.token = token }
    }

    public struct Vehicle: Codable, Sendable {
        public var plate: String
        /// Liters.
        public var tank: Double
        public init(plate: String, tank: Double) {
            self.plate = plate
            self.tank = tank
        }
    }

    public struct FuelPurchase: Codable, Sendable {
        public var plate: String
        public var liters: Double
        public var pricePerLiter: Double
        /// Kilometers.
        public var odometer: Int
        public init(plate: String, liters: Double, pricePerLiter: Double, odometer: Int) {
            self.plate = plate
            self.liters = liters
            self.pricePerLiter = pricePerLiter
            self.odometer = odometer
        }
    }

    public struct Changes: Codable, Sendable {
        public var vehicles: Int
        public var purchases: Int
        public init(vehicles: Int, purchases: Int) {
            self.vehicles = vehicles
            self.purchases = purchases
        }
    }
#endif
