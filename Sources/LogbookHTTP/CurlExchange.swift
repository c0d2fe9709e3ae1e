internal import CLogbookCurl

/// One request on its way, and the answer as it comes in. Lives on the transport's thread alone.
final class CurlExchange {
    let number: UInt64
    let handle: UnsafeMutableRawPointer
    let completion: CurlEngine.Completion
    private let request: HTTPRequest
    private var headerList: UnsafeMutablePointer<curl_slist>?
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var uploaded = 0
    /// Of a body that is read piece by piece.
    private var reader: (any HTTPBodyReader)?
    private var headers: [HTTPHeader] = []
    private var headerBytes = 0
    private var body: [UInt8] = []
    /// Of the answer's body, kept or not.
    private var bodyBytes = 0
    /// Why it was ended from here.
    private var failure: HTTPFailure?

    init(
        number: UInt64, request: HTTPRequest, handle: UnsafeMutableRawPointer,
        completion: @escaping CurlEngine.Completion
    ) {
        self.number = number
        self.request = request
        self.handle = handle
        self.completion = completion
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit { errorText.deallocate() }

    /// Puts every setting onto the handle. The exchange must stay alive until ``letGo()``: libcurl holds its address.
    func prepare(trust: HTTPTrust, proxy: String?) {
        set(CURLOPT_URL, request.url)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_DNS_CACHE_TIMEOUT, 1)  // a host that has moved is found by the next attempt
        set(CURLOPT_NOSIGNAL, 1)  // libcurl's timeouts must not send signals to the host
        logbook_curl_do_not_wait_for_resolver(handle)
        logbook_curl_close_on_exec(handle)
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_PROXY, proxy ?? "")  // an empty name also turns the environment's proxies off
        set(CURLOPT_NOPROXY, "")  // and an empty list its exceptions
        set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        set(CURLOPT_CONNECTTIMEOUT_MS, request.limits.connect.wholeMilliseconds)
        set(CURLOPT_TIMEOUT_MS, request.limits.total.wholeMilliseconds)
        if let stall = request.limits.stall {
            // libcurl counts whole seconds, and takes fewer bytes than this in one of them for none.
            set(CURLOPT_LOW_SPEED_LIMIT, 1)
            set(CURLOPT_LOW_SPEED_TIME, max(1, (stall.wholeMilliseconds + 999) / 1000))
        }
        trust.apply(to: handle)
        // To set it costs a small body the making of another buffer.
        if request.bodyBytes ?? .max > Self.usualUploadBuffer { set(CURLOPT_UPLOAD_BUFFERSIZE, 512 << 10) }
        logbook_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, errorText)

        setMethod()
        setHeaders()
        if let signature = request.signature {
            set(CURLOPT_AWS_SIGV4, "aws:amz:\(signature.region):\(signature.service)")
            set(CURLOPT_USERNAME, signature.accessKey)
            set(CURLOPT_PASSWORD, signature.secretKey.revealed)
        }
        let context = Unmanaged.passUnretained(self).toOpaque()
        logbook_curl_on_header(
            handle, { bytes, size, count, context in CurlExchange.from(context).receiveHeader(bytes, size * count) },
            context)
        logbook_curl_on_body(
            handle, { bytes, size, count, context in CurlExchange.from(context).receiveBody(bytes, size * count) },
            context)
    }

    /// As libcurl has it, which sends no body with its headers that is as large.
    private static var usualUploadBuffer: Int { 64 << 10 }

    private static func from(_ context: UnsafeMutableRawPointer?) -> CurlExchange {
        Unmanaged<CurlExchange>.fromOpaque(context!).takeUnretainedValue()
    }

    private func set(_ option: CURLoption, _ value: Int) { logbook_curl_set_long(handle, option, value) }
    private func set(_ option: CURLoption, _ value: String) { logbook_curl_set_string(handle, option, value) }

    private func setMethod() {
        if request.bodyBytes == 0 && !["POST", "PUT", "PATCH"].contains(request.method) {
            set(request.method == "HEAD" ? CURLOPT_NOBODY : CURLOPT_HTTPGET, 1)
        } else {
            set(CURLOPT_POST, 1)
            logbook_curl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, request.bodyBytes.map { curl_off_t($0) } ?? -1)
            // What libcurl has as a whole goes with the headers, if it is small: one packet, and the receiver is woken once.
            // A signed one is left as it is: libcurl would sign the body in another way.
            if request.signature == nil, let count = request.bodyBytes, request.stream == nil, 1..<Self.usualUploadBuffer ~= count {
                request.body.withUnsafeBytes { body in
                    _ = logbook_curl_set_pointer(
                        handle, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: body.baseAddress))
                }
                set(CURLOPT_CUSTOMREQUEST, request.method)
                return
            }
            let context = Unmanaged.passUnretained(self).toOpaque()
            logbook_curl_on_upload(
                handle, { bytes, size, count, context in CurlExchange.from(context).upload(into: bytes, size * count) },
                { context, offset, origin in CurlExchange.from(context).rewind(to: offset, from: origin) }, context)
        }
        set(CURLOPT_CUSTOMREQUEST, request.method)
    }

    private func setHeaders() {
        // What is taken away here libcurl would sign all the same.
        if request.signature == nil {
            headerList = curl_slist_append(headerList, "Expect:")   // it may wait a second for the server's consent to a large body
            if !request.headers.contains(where: { $0.name.lowercased() == "content-type" }) {
                headerList = curl_slist_append(headerList, "Content-Type:")   // it would claim a form
            }
        } else {
            set(CURLOPT_EXPECT_100_TIMEOUT_MS, 1)
        }
        // libcurl leaves it out where HTTP/2 has frames instead.
        if request.bodyBytes == nil { headerList = curl_slist_append(headerList, "Transfer-Encoding: chunked") }
        let token = request.signature?.sessionToken.map { [HTTPHeader("x-amz-security-token", $0.revealed)] } ?? []
        for header in request.headers + token {
            // libcurl removes a header that is given without a value; a semicolon sends it empty.
            let line = header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)"
            headerList = curl_slist_append(headerList, line)
        }
        logbook_curl_set_pointer(handle, CURLOPT_HTTPHEADER, headerList)
    }

    /// Makes the handle forget this exchange. Connections stay with the multi handle.
    func letGo() {
        curl_easy_reset(handle)
        curl_slist_free_all(headerList)
        headerList = nil
    }

    // MARK: While it runs

    private func upload(into bytes: UnsafeMutablePointer<CChar>?, _ room: Int) -> Int {
        let count = min(room, (request.bodyBytes ?? .max) - uploaded)
        guard count > 0, let bytes else { return 0 }
        if let stream = request.stream {
            do {
                let reader = try self.reader ?? stream.open()
                self.reader = reader
                let read = try reader.read(into: UnsafeMutableRawBufferPointer(start: bytes, count: count))
                guard (stream.bytes == nil ? 0 : 1)...count ~= read else {
                    throw HTTPFailure.unreadableBody("its reader gave \(read) bytes after the first \(uploaded)")
                }
                uploaded += read
                return read
            } catch {
                failure = error as? HTTPFailure ?? .unreadableBody("\(error)")
                return Int(CURL_READFUNC_ABORT)
            }
        }
        request.body.withUnsafeBytes { body in
            UnsafeMutableRawPointer(bytes).copyMemory(from: body.baseAddress! + uploaded, byteCount: count)
        }
        uploaded += count
        return count
    }

    /// libcurl sends the body again when a kept connection turns out to be dead.
    private func rewind(to offset: curl_off_t, from origin: Int32) -> Int32 {
        let furthest = request.stream == nil ? request.body.count : 0   // what is read piece by piece begins anew
        guard origin == 0, offset >= 0, offset <= curl_off_t(furthest) else { return Int32(CURL_SEEKFUNC_FAIL) }
        reader = nil
        uploaded = Int(offset)
        return Int32(CURL_SEEKFUNC_OK)
    }

    /// - Returns: The number of bytes taken; any other number ends the exchange.
    private func receiveHeader(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        headerBytes += count  // over all answers, so that endless 1xx answers end too
        guard headerBytes <= request.limits.responseHeaderBytes else {
            failure = .malformedResponse("more than \(request.limits.responseHeaderBytes) bytes of header fields")
            return 0
        }
        let line = UnsafeRawBufferPointer(start: bytes, count: count)
        if line.starts(with: "HTTP/".utf8) {
            headers = []  // a 1xx answer came before
        } else if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
            headers.append(HTTPHeader(Self.text(line[..<colon]), Self.text(line[(colon + 1)...])))
        }
        return count
    }

    private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D || $0 == 0x0A }
        guard let first = bytes.firstIndex(where: { !isBlank($0) }), let last = bytes.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(decoding: bytes[first...last], as: UTF8.self)
    }

    private func receiveBody(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        let limits = request.limits
        bodyBytes += count
        guard bodyBytes <= limits.receivedBodyBytes else {
            failure = .malformedResponse("a body of more than \(limits.receivedBodyBytes) bytes")
            return 0
        }
        let kept = min(count, max(0, limits.responseBodyBytes - body.count))
        body.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: kept))
        return count
    }

    // MARK: When it is over

    /// Whether the server closed a kept connection before it saw the request. libcurl notices that by itself as long as it waits
    /// for an answer, and not while it sends a body.
    func lostKeptConnection(_ code: CURLcode) -> Bool {
        code == CURLE_SEND_ERROR && headerBytes == 0 && logbook_curl_info_long(handle, CURLINFO_NUM_CONNECTS) == 0
    }

    /// Of the request's time; to libcurl none at all would mean that there is no limit.
    var millisecondsLeft: Int {
        max(0, (request.limits.total - .seconds(logbook_curl_info_double(handle, CURLINFO_TOTAL_TIME))).wholeMilliseconds)
    }

    /// Sends the request over a new connection.
    /// - Parameter milliseconds: How long it may take now, at least 1.
    func beginAnew(within milliseconds: Int) {
        set(CURLOPT_TIMEOUT_MS, milliseconds)
        set(CURLOPT_FRESH_CONNECT, 1)
        reader = nil
        uploaded = 0
    }

    func result(_ code: CURLcode) -> Result<HTTPResponse, HTTPFailure> {
        if let failure { return .failure(failure) }
        if code == CURLE_OK {
            let status = logbook_curl_info_long(handle, CURLINFO_RESPONSE_CODE)
            var response = HTTPResponse(status: status, headers: headers, body: body)
            response.isCut = bodyBytes > body.count
            return .success(response)
        }
        return .failure(HTTPFailure(code, errorText))
    }
}
