/// Signs a request the way Amazon's services want it (Signature Version 4).
///
/// The request has to carry `x-amz-content-sha256`, the SHA-256 of its body in hexadecimal digits; parameters in its URL have to be
/// in order, each with an equals sign.
public struct AWSSignature: Sendable, Hashable {
    public var accessKey: String
    public var secretKey: Secret
    /// Of temporary credentials; sent as `x-amz-security-token`.
    public var sessionToken: Secret?
    /// `eu-central-1`
    public var region: String
    /// `s3`, `logs`
    public var service: String

    public init(accessKey: String, secretKey: Secret, sessionToken: Secret? = nil, region: String, service: String) {
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.sessionToken = sessionToken
        self.region = region
        self.service = service
    }
}
