internal import LogbookCore
internal import LogbookDelivery
public import LogbookHTTP

/// The credentials of an Amazon account, or of a service that is spoken to like Amazon's.
public struct AWSCredentials: Sendable, Hashable {
    public var accessKey: String
    public var secretKey: Secret
    /// Of temporary credentials.
    public var sessionToken: Secret?

    public init(accessKey: String, secretKey: Secret, sessionToken: Secret? = nil) {
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.sessionToken = sessionToken
    }

    func signature(region: String, service: String) -> AWSSignature {
        AWSSignature(
            accessKey: accessKey, secretKey: secretKey, sessionToken: sessionToken, region: region, service: service)
    }
}

enum AWS {
    /// The parcel's bytes, which are signed before the first of them goes.
    /// - Throws: ``HTTPFailure/invalidRequest(_:)`` for those that are read while they are sent.
    static func body(of parcel: Parcel, for service: String) throws(HTTPFailure) -> [UInt8] {
        if parcel.stream == nil { return parcel.body }
        throw .invalidRequest("\(service) takes no streamed parcels: what is sent there is signed before its first byte goes")
    }

    /// What a signature says about the body.
    static func digestHeader(_ body: [UInt8]) -> HTTPHeader {
        HTTPHeader("x-amz-content-sha256", HexadecimalDigest.of(body))
    }

    /// Errors of every service that are about who asks, not about what is sent.
    static let refusals = [
        "AccessDenied", "AuthorizationHeaderMalformed", "ExpiredToken", "IncompleteSignature", "InvalidAccessKeyId",
        "InvalidClientTokenId", "InvalidSecurity", "InvalidSignature", "InvalidToken", "MissingAuthenticationToken",
        "NoSuchBucket", "NotSignedUp", "OptInRequired", "RequestExpired", "RequestTimeTooSkewed", "ResourceNotFound",
        "SignatureDoesNotMatch", "UnrecognizedClient",
    ]
    static let pauses = ["RequestTimeout", "RequestLimitExceeded", "ServiceUnavailable", "SlowDown", "Throttl"]

    /// The error's name in an answer of XML or JSON that is one of these, or begins so.
    static func holds(_ names: [String], _ response: HTTPResponse) -> Bool {
        let text = String(decoding: response.body.prefix(8 << 10), as: UTF8.self)
        return names.contains { name in
            ["<Code>", "\"__type\":\"", "\"__type\": \"", "#"].contains { text.contains($0 + name) }
        }
    }
}
