#if Examples
    public import Logbook

    /// Somebody who uses the application, by the script: fills in forms, mistypes, loses patience, is offline now and then.
    public struct Person: Sendable {
        private let name: String
        private let service: LogService
        private let client: GarageClient
        private let chance: LogRandomness
        /// A person thinks for seconds; the script for a thousandth of that.
        private let pace: Double

        public init(number: Int, seed: UInt64, service: LogService, client: GarageClient, pace: Double = 0.001) {
            name = "driver-\(seed)-\(number)"
            self.service = service
            self.client = client
            self.pace = pace
            chance = .seeded(seed &* 1_000_003 &+ UInt64(number))
        }

        /// One session with the application, from the first form to the last.
        /// - Returns: The use cases that were begun.
        public func live() async throws -> [Usecase: Int] {
            var runs: [Usecase: Int] = [:]
            let password = "correct horse"
            var credentials = Credentials(name: name, password: chance.fraction() < 0.2 ? "short" : password)

            runs[.createAccount, default: 0] += 1
            let created = try await fillIn(.createAccount, AccountScreen(), cancels: 0.1) { transaction in
                let answer = try await client.post("/accounts", credentials, in: transaction)
                credentials.password = password
                return answer
            }
            guard created != nil else { return runs }
            service.info("\(name, privacy: .private) has an account")

            var attempt = Credentials(name: name, password: chance.fraction() < 0.25 ? "correct house" : password)
            runs[.logIn, default: 0] += 1
            let session = try await fillIn(.logIn, LogInScreen(), cancels: 0.05) { transaction in
                let answer = try await client.post("/session", attempt, in: transaction)
                attempt.password = password
                return answer
            }
            guard let token = session?.text else { return runs }

            let vehicle = Vehicle(plate: "B-\(name)", tank: 40 + (chance.fraction() * 30).rounded())
            runs[.addVehicle, default: 0] += 1
            let added = try await fillIn(.addVehicle, VehicleScreen(), cancels: 0.05) { transaction in
                try await client.post("/vehicles", vehicle, token: token, in: transaction)
            }
            if added != nil {
                for _ in 0..<Int(chance.next() % 3 + 1) {
                    var purchase = FuelPurchase(
                        plate: vehicle.plate, liters: (chance.fraction() * vehicle.tank * 1.2).rounded() + 1, pricePerLiter: 1.789,
                        odometer: chance.fraction() < 0.05 ? 1_234_567 : Int(chance.next() % 300_000))
                    runs[.logFuelPurchase, default: 0] += 1
                    _ = try await fillIn(.logFuelPurchase, PurchaseScreen(), cancels: 0.15) { transaction in
                        let answer = try await client.post("/purchases", purchase, token: token, in: transaction)
                        purchase.liters = min(purchase.liters, vehicle.tank)
                        return answer
                    }
                }
            }
            runs[.synchronize, default: 0] += 1
            try await synchronize(token: token)
            return runs
        }

        /// Fills in a form and sends it until it is taken, at most three times. What happens is said by hand, in the transaction, and
        /// once more by the plan, which watches the screen: `ScreenTracking` compares the two.
        /// - Returns: The answer that took it; nil when the person gave up or the server failed.
        private func fillIn(
            _ usecase: Usecase, _ screen: FormScreen, cancels probability: Double,
            submit: (LogTransaction) async throws -> GarageClient.Answer
        ) async throws -> GarageClient.Answer? {
            let transaction = service.transaction(usecase: usecase)
            transaction.log(FormEvent.initiated)
            screen.appear()
            try await think(seconds: 2...15)
            if chance.fraction() < probability {
                transaction.log(FormEvent.canceled)
                screen.cancel()
                return nil
            }
            for _ in 0..<3 {
                transaction.log(FormEvent.submitted)
                screen.submit()
                let answer: GarageClient.Answer
                do { answer = try await submit(transaction) } catch {
                    transaction.log(FormEvent.answered, error: -1, "no answer: \(error)")
                    screen.showSilence(reason: "\(error)")
                    return nil
                }
                screen.show(status: answer.status, text: answer.text)
                if answer.isSuccess {
                    transaction.log(FormEvent.answered)
                    return answer
                }
                transaction.log(FormEvent.answered, error: answer.status, answer.text)
                if answer.status >= 500 { return nil }
                try await think(seconds: 1...5)
            }
            return nil
        }

        private func synchronize(token: String) async throws {
            let transaction = service.transaction(usecase: Usecase.synchronize)
            let screen = ChangesScreen()
            transaction.log(SyncEvent.initiated)
            screen.appear()
            if chance.fraction() < 0.1 {
                transaction.log(SyncEvent.skippedOffline)
                screen.stayOffline()
                return
            }
            transaction.log(SyncEvent.attempted)
            screen.submit()
            do {
                let answer = try await client.get("/changes", token: token, in: transaction)
                transaction.log(SyncEvent.answered, error: answer.isSuccess ? nil : answer.status, answer.isSuccess ? nil : answer.text)
                screen.show(status: answer.status, text: answer.text)
            } catch {
                transaction.log(SyncEvent.answered, error: -1, "no answer: \(error)")
                screen.showSilence(reason: "\(error)")
            }
        }

        private func think(seconds range: ClosedRange<Double>) async throws {
            let seconds = range.lowerBound + chance.fraction() * (range.upperBound - range.lowerBound)
            try await Task.sleep(for: .seconds(seconds * pace))
        }
    }
#endif
