/// Why a collector does not start.
public enum CollectorError: Error, Equatable, CustomStringConvertible {
    case invalid(String)
    case tokenMissing
    case reachableWithoutTLS(host: String)
    case cannotListen(host: String, port: Int, reason: String)
    case archive(ArchiveError)
    /// Files cannot be kept in the folder; the reason in words.
    case cannotUseFolder(path: String, reason: String)

    public var description: String {
        switch self {
        case .invalid(let reason): reason
        case .tokenMissing:
            "a collector needs a token: LOGBOOK_TOKEN, --token-file, --token or a file of --tokens; --insecure starts it without one"
        case .reachableWithoutTLS(let host):
            "\(host) can be reached by others: give --tls-certificate and --tls-key, listen on 127.0.0.1 behind a proxy that speaks TLS, or say --insecure"
        case .cannotListen(let host, let port, let reason):
            "cannot listen on \(host):\(port): \(reason); is another program using the port?"
        case .archive(let error): error.description
        case .cannotUseFolder(let path, let reason): "no files can be kept in \(path): \(reason)"
        }
    }

    /// What a program that cannot start exits with, after `sysexits.h`.
    public var exitStatus: Int32 {
        switch self {
        case .invalid, .tokenMissing, .reachableWithoutTLS, .archive(.invalidAddress): 64
        case .cannotListen, .archive(.inUse), .archive(.unavailable), .archive(.cannotReach), .archive(.beingWrittenAnew),
            .archive(.transactionTooLarge):
            69
        case .archive(.cannotOpen), .archive(.noRoomToUpgrade), .cannotUseFolder: 73
        case .archive(.newerSchema), .archive(.notAnArchive): 78
        }
    }
}
