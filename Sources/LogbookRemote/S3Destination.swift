internal import LogbookCore
public import LogbookDelivery
internal import LogbookFormat
public import LogbookHTTP

/// A bucket of Amazon S3 or of what speaks like it: each parcel is an object of JSON lines,
/// `<prefix>/2026/11/21/<parcel>.ndjson`, compressed with gzip and marked as such.
///
/// A parcel has the same name and bytes on every attempt, so what is sent twice is stored once. Where a crash of the machine brings back a
/// part of a spool's file that was sent, it goes to an object of its own and overwrites nothing. Objects cost by number: parcels
/// should be large, as with `SpoolPolicy(parcelEvents: 100_000, parcelBytes: 16 << 20, parcelAge: .seconds(300))`.
/// - Note: Source: docs.aws.amazon.com, "PutObject", "Signature Version 4"; curl/curl issues 8810, 10129 and 13754.
public struct S3Destination: LogDestination, LineDestination, Hashable {
    private let base: String
    private let folder: String
    private let region: String
    private let credentials: AWSCredentials

    /// - Parameters:
    ///   - bucket: Not empty, of the same characters as `prefix`. One with a dot stands in the path, as in
    ///     `https://s3.eu-central-1.amazonaws.com/my.bucket/…`: Amazon's certificates are for names with one label before `.s3`.
    ///   - prefix: The objects' folder: letters, digits, `-`, `.`, `_`, `~` and `/`. Other characters are signed in different ways by
    ///     different services; they end the program.
    ///   - endpoint: Of another service than Amazon's: `https://s3.example.com`. The bucket then stands in the path.
    public init(
        bucket: String, region: String, prefix: String = "logs", credentials: AWSCredentials, endpoint: String? = nil
    ) {
        let isPlain = (bucket + prefix).utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte) || "-._~/".utf8.contains(byte)
        }
        requireValid(
            isPlain && !bucket.isEmpty, "S3Destination: bucket and prefix must be letters, digits, - . _ ~ and /")
        if let endpoint {
            base = endpoint.withoutTrailingSlashes + "/" + bucket
        } else if bucket.contains(".") {
            base = "https://s3.\(region).amazonaws.com/\(bucket)"
        } else {
            base = "https://\(bucket).s3.\(region).amazonaws.com"
        }
        let parts = prefix.split(separator: "/")
        folder = ([base] + parts.map(String.init)).joined(separator: "/")
        self.region = region
        self.credentials = credentials
    }

    public var limits: DestinationLimits { DestinationLimits(bytes: 1 << 30) }

    /// - Throws: ``HTTPFailure/invalidRequest(_:)`` for a parcel with a stream.
    public func request(for parcel: Parcel) throws(HTTPFailure) -> HTTPRequest {
        let day = CivilTime(parcel.sealed, in: .utc)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let ending = parcel.contentEncoding == nil ? ".ndjson" : ".ndjson.gz"
        let url = "\(folder)/\(day.year)/\(two(day.month))/\(two(day.day))/\(parcel.id)\(ending)"
        let body = try AWS.body(of: parcel, for: "S3")
        return HTTPRequest(
            method: "PUT", url: url, headers: parcel.contentHeaders + [AWS.digestHeader(body)], body: body,
            signature: credentials.signature(region: region, service: "s3"))
    }

    /// Asks for the name of one object, which stores nothing.
    var question: HTTPRequest {
        HTTPRequest(
            method: "GET", url: base + "/?list-type=2&max-keys=1", headers: [AWS.digestHeader([])],
            signature: credentials.signature(region: region, service: "s3"))
    }

    /// An object that is stored has an `ETag`. No event in it can be at fault, whatever is refused.
    public func verdict(on response: HTTPResponse, for parcel: Parcel) -> DeliveryVerdict {
        if response.status == 200 {
            return response.header("ETag") == nil ? .notAcknowledged(response, by: "S3") : .delivered
        }
        switch DeliveryVerdict.refusal(by: response) {
        case .rejected(let reason):
            return AWS.holds(AWS.pauses, response) ? .retry(after: nil, reason) : .misconfigured(reason)
        case let verdict: return verdict
        }
    }
}

extension LogDestination where Self == S3Destination {
    /// A bucket of Amazon S3, or of what speaks like it.
    public static func s3(
        bucket: String, region: String, prefix: String = "logs", credentials: AWSCredentials, endpoint: String? = nil
    ) -> S3Destination {
        S3Destination(bucket: bucket, region: region, prefix: prefix, credentials: credentials, endpoint: endpoint)
    }
}
