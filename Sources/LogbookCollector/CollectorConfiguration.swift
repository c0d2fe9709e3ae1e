public import LogbookHTTP

/// Where a collector listens, whom it lets in and how much it takes.
public struct CollectorConfiguration: Sendable, Hashable {
    /// An address of this machine.
    public var host = "127.0.0.1"
    /// 0 takes any free port.
    public var port = 0
    /// What every request but `GET /health` must carry; it allows everything, for the tenant `default`. Nil when there is a
    /// ``tokenFile``, or ``isInsecure``. Where others than this machine can reach the collector it has 16 bytes at least.
    public var token: Secret?
    /// A file of tokens, each with its tenant and what it allows: one ``CollectorToken`` per line. It is read again when it changes.
    public var tokenFile: String?
    /// Beside `Authorization: Bearer <token>`, the original form is taken: `<scheme> <parameter>="<token>"`. Nil takes any scheme.
    public var authScheme: String?
    /// Nil takes any parameter.
    public var authTokenParameter: String?
    /// Files in PEM: the certificate with those that vouch for it, and its key. With both, the collector speaks TLS, 1.2 or newer.
    public var tlsCertificate: String?
    public var tlsKey: String?
    /// Lets the collector start without a token, or with a short one or without TLS where others than this machine can reach it: what it
    /// receives, tokens included, can then be read on the way.
    public var isInsecure = false
    /// Where transaction sets may be posted to: paths as requests name them, none of which the collector uses for something else. What is
    /// stored is listed at `/v1/transactions` whether or not that is among them.
    public var transactionPaths: [String] = ["/v1/transactions"]
    /// Where whole files are kept that are sent to `/v1/files`; nil takes none. Those of a tenant other than `default` are kept beside
    /// it, in `<folder>-<tenant>`.
    public var filesFolder: String?
    /// Bytes of such a file at most, both as it arrives and inflated. It is written to disk as it arrives. Default 1 GiB.
    public var maximumFileBytes = 1 << 30
    /// Bytes of a request's body at most, both as it arrives and inflated.
    public var maximumBodyBytes = 8 << 20
    /// Bytes of bodies that are in memory at the same time at most; who comes later is asked to come again. A body counts with what was
    /// announced of it; one of gzip with what it may become as well, once all of it is here. Where there are several tenants each has half
    /// of this at most.
    public var maximumBodyBytesInFlight = 64 << 20
    /// Bytes of pages and transactions, about, that are in memory at the same time at most, from when they are read until those who asked
    /// have taken them; who comes later waits a moment and is asked to come again, and an export waits before its next page. Where there
    /// are several tenants each has half of this at most. One transaction of a tenant that is larger than a page may be there besides, and
    /// two altogether: that is 512 MiB.
    public var maximumAnswerBytesInFlight = 64 << 20
    public var connections = ConnectionLimits()
    /// Requests that one token may make in a minute; nil for any number. A minute's worth may come at once.
    public var maximumRequestsPerMinute: Int?
    /// Requests with a wrong or missing token that are answered with 401 and noted, from one address in a minute, which in IPv6 is all that
    /// begin with the same 64 bits. Further ones are answered with 429; whoever comes with a right one from there is served all the same.
    public var maximumRefusalsPerMinute = 60
    /// Bytes of bodies that one tenant may send in a day, by UTC, to all collectors of the archive together; nil for any number. A body that
    /// is longer than what is left is refused before it comes, or within 4 MiB where it does not say its length: with 429, and with 413
    /// where no day has so much; what is answered with 503 counts for nothing. The archive keeps the account; after a kill a hundredth of
    /// it may be forgotten, or what the archive had no time for. Each collector hears of the others whenever it has taken a hundredth
    /// itself, so each may take about so much too many, and what is under way. What comes as gzip counts as what it is inflated, files as
    /// well, since that is what they take on the disk; what is refused counts as it came.
    public var maximumBytesPerDay: Int?
    /// The same for all tenants together.
    public var maximumBytesPerDayOfAll: Int?
    /// The folder on whose disk room is kept for what the archive stores; nil for none. ``CollectorProgram`` sets it to that of SQLite's
    /// archive. For whole files it is kept on the disk of ``filesFolder``.
    public var storageFolder: String?
    /// What would leave fewer bytes free there is not taken: that is looked at before a body comes, by the length that it announces, and
    /// every 4 MiB while it does. Default 64 MiB. What the archive has removed counts as free for what it stores, as long as 32 MiB are
    /// free besides.
    public var keepFreeBytes = 64 << 20
    /// What is older is removed, at the start and every hour: transactions by their latest part. Nil keeps everything.
    public var keep: Duration?
    /// Whole files of ``filesFolder`` that came longer ago are removed, at the start and every hour: those of tenants that have a token,
    /// and of `default`. What else is in their folders stays, unless it is a file whose name a received one could have. Nil keeps them all.
    public var keepFiles: Duration?
    /// Further files that the program itself needs, such as the one it has read ``token`` from: like those named here, they must not lie
    /// where ``keepFiles`` removes.
    public var ownFiles: [String] = []
    /// Bytes that what SQLite's archive stores takes at most, about; 64 MiB or more, nil for any number. Where it takes more, the oldest
    /// is removed until it takes 95 % of them: transactions, by their latest part, and log events. That is looked at at the start and
    /// every ten seconds: what comes meanwhile may be there besides, or longer where it comes faster than the oldest goes, and the
    /// write-ahead log. Room that is free in the archive's file does not count: it is used again before the file grows, and a file that
    /// was larger before does not become smaller. Other archives cannot tell what they would gain, and remove nothing for it; whole files
    /// are not counted, and stay.
    public var keepBytes: Int?

    public init() {}

    /// - Throws: What must not be started as it is.
    public func check() throws(CollectorError) {
        if !(0...65535).contains(port) { throw .invalid("the port must be 0 to 65535, 0 for any free one") }
        if token?.revealed.isEmpty == true { throw .invalid("the token is empty") }
        if (tlsCertificate == nil) != (tlsKey == nil) { throw .invalid("TLS needs both a certificate and its key") }
        if connections.maximum < 1 || connections.maximumPerAddress < 1 {
            throw .invalid("there must be room for one connection at least, from any address")
        }
        if connections.maximum > ConnectionLimits.most { throw .invalid("there cannot be more than \(ConnectionLimits.most) connections") }
        if keepFreeBytes < 0 { throw .invalid("the bytes that are to stay free must not be fewer than none") }
        if let keep, keep <= .zero { throw .invalid("the time for which everything is kept must be longer than none") }
        if let keepFiles {
            if keepFiles <= .zero { throw .invalid("the time for which whole files are kept must be longer than none") }
            if filesFolder == nil { throw .invalid("--keep-files is for whole files: give their folder with --files") }
        }
        if let keepBytes, keepBytes < Self.leastKeepBytes {
            throw .invalid(
                """
                the bytes that are stored at most (--keep-size) must be \(Self.leastKeepBytes) or more: of fewer, a few bodies would leave \
                nothing else
                """)
        }
        if maximumRequestsPerMinute.map({ $0 < 1 }) == true || maximumBytesPerDay.map({ $0 < 1 }) == true
            || maximumBytesPerDayOfAll.map({ $0 < 1 }) == true || maximumRefusalsPerMinute < 1
        {
            throw .invalid("the limits of a token and of a tenant must be at least 1")
        }
        for path in transactionPaths { try Self.check(transactionPath: path) }
        if isInsecure { return }
        if token == nil && tokenFile == nil { throw .tokenMissing }
        if !isLoopback && tlsCertificate == nil { throw .reachableWithoutTLS(host: host) }
        if !isLoopback, let token, token.revealed.utf8.count < Self.shortestToken {
            throw .invalid(
                """
                the token has fewer than \(Self.shortestToken) bytes, and others who reach \(host) could find it by trying: take a long one, \
                listen on 127.0.0.1, or say --insecure
                """)
        }
    }

    /// Several bodies of the largest size, with what tables and indices add to them.
    static let leastKeepBytes = 64 << 20

    private static let ownPaths: Set = ["/health", "/metrics", "/v1/export", "/v1/files", "/v1/logs", "/v1/stats"]
    /// Everything below them.
    private static let ownFolders = ["/v1/files/", "/v1/transactions/", "/v1/users/"]

    private static func check(transactionPath path: String) throws(CollectorError) {
        let isPath = path.utf8.first == UInt8(ascii: "/") && path.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x3F && $0 != 0x23 }
        guard isPath else {
            throw .invalid(
                "--transactions-path \"\(path)\" is no path: give one that begins with / and has no ?, # or space in it, such as /apptxnset")
        }
        if ownPaths.contains(path) || ownFolders.contains(where: path.hasPrefix) {
            throw .invalid("--transactions-path \(path) is the collector's own for something else: give another one, such as /apptxnset")
        }
    }

    /// In bytes, beyond this machine: 64 bits and more, also in digits of sixteen.
    private static let shortestToken = 16

    private var isLoopback: Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
