internal import LogbookCore
internal import LogbookDelivery
internal import LogbookHTTP

/// Archives as requests, as one ``UploadRequest`` says, which also judges their answers.
struct FileDestination: Destination {
    let template: UploadRequest
    /// Makes the parcel smaller, or lets go of a file that cannot be read just now; false when it cannot be made smaller.
    let halve: @Sendable (Parcel) -> Bool

    /// The address is the same for all files, and what is put there replaces what was.
    struct NoPlaceForEachFile: Error, CustomStringConvertible {
        let description = "the address holds no {id}, and what is put there takes the place of the file before; write {id} where its name goes"
    }

    func request(for parcel: Parcel) throws -> HTTPRequest {
        guard template.keepsFilesApart else { throw NoPlaceForEachFile() }
        var headers = template.headers
        headers.append(HTTPHeader("Content-Type", parcel.contentType))
        if let encoding = parcel.contentEncoding { headers.append(HTTPHeader("Content-Encoding", encoding)) }
        headers.append(HTTPHeader(UploadRequest.parcelHeader, parcel.id))
        // A stream is named by the digest of what it gives.
        headers.append(HTTPHeader(UploadRequest.digestHeader, parcel.stream?.name ?? HexadecimalDigest.of(parcel.body)))
        var request = HTTPRequest(
            method: template.method.rawValue, url: Self.replacing("{id}", in: template.url, with: parcel.id),
            headers: headers, body: parcel.body, stream: parcel.stream, limits: template.limits)
        template.adapt?(&request, parcel.id)
        request.body = parcel.body
        request.stream = parcel.stream
        return request
    }

    func verdict(on response: HTTPResponse, for parcel: Parcel) -> DeliveryVerdict {
        if template.isAcknowledged(by: response, parcel: parcel.id) { return .delivered }
        if (200..<300).contains(response.status) {
            return .retry(after: nil, "HTTP status \(response.status) without an acknowledgement; is this the receiver?")
        }
        switch DeliveryVerdict.refusal(by: response).masking(template.secrets.map(\.revealed)) {
        case .tooLarge(let reason): return halve(parcel) ? .retry(after: nil, reason) : .rejected(reason)
        case let verdict: return verdict
        }
    }

    private static func replacing(_ mark: String, in text: String, with value: String) -> String {
        var rest = text[...]
        var result = ""
        while let start = rest.firstRange(of: mark) {
            result += rest[..<start.lowerBound] + value
            rest = rest[start.upperBound...]
        }
        return result + rest
    }
}
