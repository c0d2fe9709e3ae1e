public import LogbookHTTP

/// Where a collector listens, whom it lets in and how much it takes.
public struct CollectorConfiguration: Sendable, Hashable {
    /// An address of this machine.
    public var host = "127.0.0.1"
    /// 0 takes any free port.
    public var port = 0
    /// What every request but `GET /health` must carry. Nil only together with ``isInsecure``.
    public var token: Secret?
    /// Beside `Authorization: Bearer <token>`, the original form is taken: `<scheme> <parameter>="<token>"`. Nil takes any scheme.
    public var authScheme: String?
    /// Nil takes any parameter.
    public var authTokenParameter: String?
    /// Lets the collector start without a token, or where others than this machine can reach it. It speaks no TLS, so what it
    /// receives, tokens included, can then be read on the way.
    public var isInsecure = false
    /// Where transaction sets may be posted to.
    public var transactionPaths: [String] = ["/v1/transactions"]
    /// Where whole files are kept that are sent to `/v1/files`; nil takes none.
    public var filesFolder: String?
    /// Bytes of such a file at most, both as it arrives and inflated. It is written to disk as it arrives. Default 1 GiB.
    public var maximumFileBytes = 1 << 30
    /// Bytes of a request's body at most, both as it arrives and inflated.
    public var maximumBodyBytes = 8 << 20
    /// Bytes of bodies that are in memory at the same time at most; who comes later is asked to come again.
    public var maximumBodyBytesInFlight = 64 << 20
    /// Connections at the same time at most; who comes later waits.
    public var maximumConnections = 1024
    /// A connection that says nothing for so long is closed.
    public var idleTimeout = Duration.seconds(30)

    public init() {}

    /// - Throws: What must not be started as it is.
    public func check() throws(CollectorError) {
        if !(0...65535).contains(port) { throw .invalid("the port must be 0 to 65535, 0 for any free one") }
        if token?.revealed.isEmpty == true { throw .invalid("the token is empty") }
        if isInsecure { return }
        if token == nil { throw .tokenMissing }
        if !isLoopback { throw .reachableWithoutTLS(host: host) }
    }

    private var isLoopback: Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
