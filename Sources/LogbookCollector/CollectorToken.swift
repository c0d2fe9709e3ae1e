internal import LogbookCore
public import LogbookHTTP

/// Whom a collector lets in: the digest of a token, whose data it is about, and what it allows.
///
/// Tokens are random and long, so their SHA-256 is kept without salt: nobody finds the token of a digest by trying. As a line of a
/// file: `<SHA-256 in hexadecimal digits> <tenant> <scope>,<scope>`.
public struct CollectorToken: Sendable, Hashable, CustomStringConvertible {
    public enum Scope: String, Sendable, Hashable, CaseIterable {
        /// To send transaction sets, log batches and files.
        case write
        /// To read and export the tenant's transactions, and to see what is stored of it.
        case read
        /// To erase a user of the tenant.
        case erase
        /// To see how the collector does: `GET /metrics`, which tells of all tenants together.
        case metrics
    }

    /// SHA-256 of the token, 64 hexadecimal digits.
    public let digest: String
    public let tenant: String
    public let scopes: Set<Scope>

    /// What knows the token, and allows everything where nothing else is said.
    public init(_ token: Secret, tenant: String = Tenant.standard, scopes: Set<Scope> = Set(Scope.allCases)) {
        self.init(digest: HexadecimalDigest.of(token.revealed.utf8), tenant: tenant, scopes: scopes)
    }

    private init(digest: String, tenant: String, scopes: Set<Scope>) {
        self.digest = digest
        self.tenant = tenant
        self.scopes = scopes
    }

    /// Reads what ``description`` writes; `admin` stands for every scope. Nil for anything else.
    public init?(line: some StringProtocol) {
        let words = line.split { $0 == " " || $0 == "\t" }
        guard words.count == 3, words[0].utf8.count == 64,
            words[0].utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }), Tenant.isValid(String(words[1]))
        else { return nil }
        var scopes: Set<Scope> = []
        for word in words[2].split(separator: ",", omittingEmptySubsequences: false) {
            if word == "admin" {
                scopes.formUnion(Scope.allCases)
            } else {
                guard let scope = Scope(rawValue: String(word)) else { return nil }
                scopes.insert(scope)
            }
        }
        self.init(digest: String(words[0]), tenant: String(words[1]), scopes: scopes)
    }

    public var description: String {
        "\(digest) \(tenant) \(scopes.map(\.rawValue).sorted().joined(separator: ","))"
    }

    /// A token that nobody can guess: 256 random bits as 64 hexadecimal digits.
    public static func generate() -> Secret {
        var generator = SystemRandomNumberGenerator()
        let digits = Array("0123456789abcdef".utf8)
        return Secret(String(decoding: (0..<64).map { _ in digits[Int.random(in: 0..<16, using: &generator)] }, as: UTF8.self))
    }
}
