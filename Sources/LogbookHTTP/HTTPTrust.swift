internal import LogbookCore

/// Whom a transport trusts, and how it shows who it is. Certificates and host names are always verified; nothing here turns that off.
public struct HTTPTrust: Sendable, Hashable {
    /// The certificate by which a server can know us, in files of PEM.
    public struct Client: Sendable, Hashable {
        public var certificate: String
        public var key: String
        /// Of the key; nil where it has none.
        public var password: Secret?

        public init(certificate: String, key: String, password: Secret? = nil) {
            self.certificate = certificate
            self.key = key
            self.password = password
        }
    }

    /// A file of PEM certificates to trust instead of the system's.
    public var authorities: String?
    /// A file of PEM lists of the certificates that their issuers have revoked, one list of each issuer up to the root; a
    /// certificate whose issuer has no list there is not trusted. Nil, the default, asks for none.
    public var revocations: String?
    public var client: Client?
    /// SHA-256 of the public keys that a server may have, in base64 as `openssl dgst -sha256 -binary | base64` gives it: 44 characters
    /// each; anything else ends the program when a transport is made. Beside the certificate, which must be valid all the same.
    /// Empty for any key.
    public var pinnedKeys: [String]

    public init(
        authorities: String? = nil, revocations: String? = nil, client: Client? = nil, pinnedKeys: [String] = []
    ) {
        self.authorities = authorities
        self.revocations = revocations
        self.client = client
        self.pinnedKeys = pinnedKeys
    }

    package func check() {
        requireValid(
            pinnedKeys.allSatisfy { key in
                key.utf8.count == 44 && key.hasSuffix("=") && key.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x3B }
            }, "HTTPTrust.pinnedKeys must be SHA-256 digests in base64, 44 characters each")
    }
}
