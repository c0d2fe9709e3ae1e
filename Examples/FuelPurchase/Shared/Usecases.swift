#if Examples
    /// What people do with this application. Client and server share these numbers; analysts read them.
    public enum Usecase: Int, Sendable, CaseIterable {
        case createAccount = 0
        case logIn = 1
        case addVehicle = 2
        case logFuelPurchase = 3
        case synchronize = 4
    }

    /// What happens while a form is filled in and sent. The server says the middle part, on its own clock.
    public enum FormEvent: Int, Sendable {
        case initiated = 0
        case canceled = 1
        case submitted = 2
        case serverStarted = 3
        case serverFailed = 4
        case serverFoundInvalid = 5
        case serverSucceeded = 6
        case answered = 7
    }

    /// What happens while changes are fetched.
    public enum SyncEvent: Int, Sendable {
        case initiated = 0
        case skippedOffline = 1
        case attempted = 2
        case serverStarted = 3
        case serverFailed = 4
        case serverFoundInvalid = 5
        case serverSucceeded = 6
        case answered = 7
    }
#endif
