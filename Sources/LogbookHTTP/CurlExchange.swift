internal import CLogbookCurl

/// One request on its way, and the answer as it comes in. Lives on the transport's thread alone.
final class CurlExchange {
    let number: UInt64
    let handle: CurlHandle
    private var curl: UnsafeMutableRawPointer { handle.curl }
    let completion: CurlEngine.Completion
    private let request: HTTPRequest
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var uploaded = 0
    private var wasBegunAnew = false
    /// Of a body that is read piece by piece.
    private var reader: (any HTTPBodyReader)?
    private var headers: [HTTPHeader] = []
    private var headerBytes = 0
    private var body: [UInt8] = []
    /// Of the answer's body, kept or not.
    private var bodyBytes = 0
    /// Why it was ended from here.
    private var failure: HTTPFailure?
    private var proxy: String?

    init(
        number: UInt64, request: HTTPRequest, handle: CurlHandle,
        completion: @escaping CurlEngine.Completion
    ) {
        self.number = number
        self.request = request
        self.handle = handle
        self.completion = completion
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit { errorText.deallocate() }

    /// Puts every setting onto the handle that it does not have from the request before. The exchange must stay alive until ``letGo()``:
    /// libcurl holds its address.
    func prepare(trust: HTTPTrust, proxy: String?) {
        self.proxy = proxy
        if handle.settings?.serve(request) != true {
            handle.reset()
            setWhatStays(trust: trust, proxy: proxy)
            setHeaders()
        }
        set(CURLOPT_TIMEOUT_MS, request.limits.total.wholeMilliseconds)
        // libcurl counts whole seconds, and takes fewer bytes than this in one of them for none.
        set(CURLOPT_LOW_SPEED_LIMIT, request.limits.stall == nil ? 0 : 1)
        set(CURLOPT_LOW_SPEED_TIME, request.limits.stall.map { max(1, ($0.wholeMilliseconds + 999) / 1000) } ?? 0)
        logbook_curl_set_pointer(curl, CURLOPT_ERRORBUFFER, errorText)
        setBody()
        let context = Unmanaged.passUnretained(self).toOpaque()
        logbook_curl_on_header(
            curl, { bytes, size, count, context in CurlExchange.from(context).receiveHeader(bytes, size * count) },
            context)
        logbook_curl_on_body(
            curl, { bytes, size, count, context in CurlExchange.from(context).receiveBody(bytes, size * count) },
            context)
    }

    private func setWhatStays(trust: HTTPTrust, proxy: String?) {
        set(CURLOPT_URL, request.url)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_DNS_CACHE_TIMEOUT, 1)  // a host that has moved is found by the next attempt
        set(CURLOPT_NOSIGNAL, 1)  // libcurl's timeouts must not send signals to the host
        logbook_curl_do_not_wait_for_resolver(curl)
        logbook_curl_close_on_exec(curl)
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_PROXY, proxy ?? "")  // an empty name also turns the environment's proxies off
        set(CURLOPT_NOPROXY, "")  // and an empty list its exceptions
        set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        set(CURLOPT_CONNECTTIMEOUT_MS, request.limits.connect.wholeMilliseconds)
        trust.apply(to: curl)
        if let signature = request.signature {
            set(CURLOPT_AWS_SIGV4, "aws:amz:\(signature.region):\(signature.service)")
            set(CURLOPT_USERNAME, signature.accessKey)
            set(CURLOPT_PASSWORD, signature.secretKey.revealed)
        }
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> CurlExchange {
        Unmanaged<CurlExchange>.fromOpaque(context!).takeUnretainedValue()
    }

    private func set(_ option: CURLoption, _ value: Int) { logbook_curl_set_long(curl, option, value) }
    private func set(_ option: CURLoption, _ value: String) { logbook_curl_set_string(curl, option, value) }

    private func setBody() {
        if request.bodyBytes == 0 && !["POST", "PUT", "PATCH"].contains(request.method) {
            set(request.method == "HEAD" ? CURLOPT_NOBODY : CURLOPT_HTTPGET, 1)
        } else {
            set(CURLOPT_POST, 1)
            logbook_curl_set_size(curl, CURLOPT_POSTFIELDSIZE_LARGE, request.bodyBytes.map { curl_off_t($0) } ?? -1)
            // Where that is another size than before, libcurl makes another buffer.
            set(CURLOPT_UPLOAD_BUFFERSIZE, request.bodyBytes ?? .max > CurlHandle.smallBody ? 512 << 10 : CurlHandle.smallBody)
            if goesWithTheHeaders {
                request.body.withUnsafeBytes { body in
                    _ = logbook_curl_set_pointer(curl, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: body.baseAddress))
                }
            } else {
                let context = Unmanaged.passUnretained(self).toOpaque()
                logbook_curl_on_upload(
                    curl, { bytes, size, count, context in CurlExchange.from(context).upload(into: bytes, size * count) },
                    { context, offset, origin in CurlExchange.from(context).rewind(to: offset, from: origin) }, context)
            }
        }
        set(CURLOPT_CUSTOMREQUEST, request.method)
    }

    /// What libcurl has as a whole goes with the headers, if it is small: one packet, and the receiver is woken once. A signed one does not:
    /// libcurl would sign the body in another way.
    private var goesWithTheHeaders: Bool {
        request.stream == nil && request.signature == nil && 1..<CurlHandle.smallBody ~= request.body.count
    }

    private func setHeaders() {
        var list: UnsafeMutablePointer<curl_slist>?
        // What is taken away here libcurl would sign all the same.
        if request.signature == nil {
            list = curl_slist_append(list, "Expect:")   // it may wait a second for the server's consent to a large body
            if !request.headers.contains(where: { $0.name.lowercased() == "content-type" }) {
                list = curl_slist_append(list, "Content-Type:")   // it would claim a form
            }
        } else {
            set(CURLOPT_EXPECT_100_TIMEOUT_MS, 1)
        }
        // libcurl leaves it out where HTTP/2 has frames instead.
        if request.bodyBytes == nil { list = curl_slist_append(list, "Transfer-Encoding: chunked") }
        let token = request.signature?.sessionToken.map { [HTTPHeader("x-amz-security-token", $0.revealed)] } ?? []
        for header in request.headers + token {
            // libcurl removes a header that is given without a value; a semicolon sends it empty.
            let line = header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)"
            list = curl_slist_append(list, line)
        }
        logbook_curl_set_pointer(curl, CURLOPT_HTTPHEADER, list)
        handle.settings = CurlHandle.Settings(request, headers: list)
    }

    /// Makes the handle forget this exchange, but not what the next one may want as well. Connections stay with the multi handle.
    func letGo() {
        if wasBegunAnew || !CurlHandle.Settings.mayStay(after: request) {
            handle.reset()
        } else {
            logbook_curl_set_pointer(curl, CURLOPT_POSTFIELDS, nil)
            logbook_curl_set_pointer(curl, CURLOPT_ERRORBUFFER, nil)
        }
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
        code == CURLE_SEND_ERROR && headerBytes == 0 && logbook_curl_info_long(curl, CURLINFO_NUM_CONNECTS) == 0
    }

    /// Of the request's time; to libcurl none at all would mean that there is no limit.
    var millisecondsLeft: Int {
        max(0, (request.limits.total - .seconds(logbook_curl_info_double(curl, CURLINFO_TOTAL_TIME))).wholeMilliseconds)
    }

    /// Sends the request over a new connection.
    /// - Parameter milliseconds: How long it may take now, at least 1.
    func beginAnew(within milliseconds: Int) {
        set(CURLOPT_TIMEOUT_MS, milliseconds)
        set(CURLOPT_FRESH_CONNECT, 1)
        wasBegunAnew = true
        reader = nil
        uploaded = 0
    }

    func result(_ code: CURLcode) -> Result<HTTPResponse, HTTPFailure> {
        if let failure { return .failure(failure) }
        if code == CURLE_OK {
            let status = logbook_curl_info_long(curl, CURLINFO_RESPONSE_CODE)
            var response = HTTPResponse(status: status, headers: headers, body: body)
            response.isCut = bodyBytes > body.count
            return .success(response)
        }
        return .failure(HTTPFailure(code, errorText, proxy: proxy))
    }
}
