#if Examples
    import FuelPurchase
    import Hummingbird
    import HummingbirdTesting
    import Logbook
    import LogbookTestKit
    import LogbookTransactions
    import Testing

    @Suite struct GarageServerTests {
        let service = LogService()
        let recorder = RecordingProvider(interest: .transactionEntries)
        let phone = DeviceFacts(make: "iPhone7,2", os: "iPhone OS", osVersion: "8.1.2")

        /// Posts an account and gives back the status and the entries that the server contributed.
        func createAccount(password: String, fields: [(String, String)]) async throws -> (status: Int, entries: [TransactionEntry]) {
            service.register(recorder)
            var headers = HTTPFields()
            headers[.contentType] = "application/json"
            for (name, value) in fields { headers[HTTPField.Name(name)!] = value }
            let status = try await Application(router: GarageServer(service: service).router()).test(.router) { client in
                try await client.execute(
                    uri: "/accounts", method: .post, headers: headers,
                    body: ByteBuffer(string: #"{"name":"jane","password":"\#(password)"}"#)
                ) { $0.status.code }
            }
            return (status, recorder.events.compactMap(\.transaction))
        }

        @Test("A3, W6: the server contributes to the transaction that the request names, for the device it names")
        func contributes() async throws {
            let login = LogService(device: phone).transaction(usecase: Usecase.createAccount)
            let (status, entries) = try await createAccount(password: "correct horse", fields: login.headers())
            #expect(status == 201)
            #expect(entries.map(\.event) == [FormEvent.serverStarted.rawValue, FormEvent.serverSucceeded.rawValue])
            #expect(entries.allSatisfy { $0.transactionID == login.id && $0.device == phone })
        }

        @Test("W6: what the server finds invalid it says with code and reason")
        func findsInvalid() async throws {
            let login = LogService(device: phone).transaction(usecase: Usecase.createAccount)
            let (status, entries) = try await createAccount(password: "short", fields: login.headers())
            #expect(status == 422)
            #expect(entries.last?.event == FormEvent.serverFoundInvalid.rawValue && entries.last?.errorCode == 422)
            #expect(entries.last?.errorDescription == "a password needs eight characters")
        }

        @Test("B16: a request without the headers is answered all the same")
        func answersWithoutHeaders() async throws {
            let (status, entries) = try await createAccount(password: "correct horse", fields: [])
            #expect(status == 201 && entries.isEmpty)
        }
    }
#endif
