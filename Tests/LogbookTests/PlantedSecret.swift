import LogbookCore

/// A secret as somebody would log it, and what of it nobody may find afterwards.
struct PlantedSecret: Sendable {
    enum Kind: Int, CaseIterable {
        /// Private because it is marked so, or by its key.
        case privateWord, secretWord, underKey
        /// Private by their looks.
        case jsonWebToken, bearerToken, aws, gitHub, slack, privateKey, card, urlPassword, assignment
    }
    enum Place: CaseIterable {
        case message, metadata, nested, key, error, errorInMessage, errorAsMessage, anythingInMessage, anythingInMetadata, entry, context
        case relayed, swiftLog, sinkFailure
    }
    let number: Int
    let kind: Kind
    let place: Place
    let text: String
    let needle: String

    /// Found at every event, in whatever way it was written.
    var tag: String { "#\(number)#" }

    static func all(count: Int) -> [PlantedSecret] {
        let randomness = LogRandomness.seeded(2026)
        var turns: [Kind: Int] = [:]
        return (0..<count).map { number in
            let kind = Kind.allCases[number % Kind.allCases.count]
            let possible = places(for: kind), turn = turns[kind, default: 0]
            turns[kind] = turn + 1
            return PlantedSecret(number, kind, possible[turn % possible.count], randomness)
        }
    }

    private static func places(for kind: Kind) -> [Place] {
        switch kind {
        case .privateWord, .secretWord:
            [
                .message, .metadata, .nested, .error, .errorInMessage, .errorAsMessage, .anythingInMessage, .anythingInMetadata, .entry,
                .context, .relayed, .swiftLog,
            ]
        case .underKey: [.metadata, .nested, .context, .relayed, .swiftLog]
        default: Place.allCases
        }
    }

    private init(_ number: Int, _ kind: Kind, _ place: Place, _ randomness: LogRandomness) {
        func word(_ count: Int, of letters: String = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789") -> String {
            let letters = Array(letters)
            return String((0..<count).map { _ in letters[Int(randomness.next() % UInt64(letters.count))] })
        }
        let core: String
        switch kind {
        case .privateWord, .secretWord, .underKey:
            core = word(16)
            text = core
        case .jsonWebToken:
            core = "eyJ" + word(40)
            text = "eyJhbGciOiJIUzI1NiJ9.\(core).\(word(43))"
        case .bearerToken:
            core = word(12) + "7" + word(12)
            text = "Bearer \(core)"
        case .aws:
            core = word(16, of: "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
            text = "AKIA" + core
        case .gitHub:
            core = word(36)
            text = "ghp_" + core
        case .slack:
            core = word(24)
            text = "xoxb-123456789012-" + core
        case .privateKey:
            core = word(64)
            text = "-----BEGIN EC PRIVATE KEY-----\n\(core)\n-----END EC PRIVATE KEY-----"
        case .card:
            let digits = "4" + word(14, of: "0123456789")
            let number = digits + String(Self.checkDigit(after: digits))
            text = number
            core = number
        case .urlPassword:
            core = word(16)
            text = "postgres://app:\(core)@db.example.com/shop"
        case .assignment:
            core = word(16)
            let assignments = ["api_key=", "API key: ", "password := ", "token          =     ", "user%5Bpassword%5D="]
            text = assignments[number / Kind.allCases.count % assignments.count] + core
        }
        needle = core
        self.number = number
        self.kind = kind
        self.place = place
    }

    private static func checkDigit(after digits: String) -> Int {
        var sum = 0
        for (place, digit) in digits.reversed().enumerated() {
            let value = digit.wholeNumberValue ?? 0
            sum += place % 2 == 0 ? (value > 4 ? 2 * value - 9 : 2 * value) : value
        }
        return (10 - sum % 10) % 10
    }
}
