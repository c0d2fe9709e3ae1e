internal import LogbookCore
#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A ZooKeeper of the machine's, in a folder of its own, by which servers of ClickHouse agree.
package final class ZooKeeper: Sendable {
    private static let library = "/usr/share/java/zookeeper.jar"
    /// With Debian's package `zookeeper`.
    package static let isPossible =
        (try? ChildProcess.run(["sh", "-c", "test -e \(library) && command -v java"], by: .seconds(60))) == .exited(0)

    package let port: UInt16
    private let folder = TemporaryFolder()
    private let process = Locked<ChildProcess?>(nil)

    package init() throws {
        port = try FreePorts.take(1)[0]
        folder.write(
            """
            tickTime=1000
            dataDir=\(folder.path)/data
            clientPort=\(port)
            clientPortAddress=127.0.0.1
            admin.enableServer=false
            4lw.commands.whitelist=srvr,mntr
            forceSync=no

            """, to: "zoo.cfg")
        try startAgain()
    }

    /// After ``kill()``.
    package func startAgain() throws {
        let child = try ChildProcess(
            [
                "java", "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", Self.library,
                "org.apache.zookeeper.server.quorum.QuorumPeerMain", "zoo.cfg",
            ], in: folder.path, output: folder.path + "/said", errors: folder.path + "/complained")
        process.withLock { $0 = child }
        // It answers before it takes sessions: only then it knows its mode.
        let deadline = LogDeadline.seconds(60)
        while answer(to: "srvr")?.contains("Mode: ") != true {
            guard child.end == nil, !deadline.hasPassed else {
                throw ScriptedFailure("ZooKeeper did not start: \(folder.text("said"))\(folder.text("complained"))")
            }
            usleep(20_000)
        }
    }

    package func kill() {
        process.withLock { process in
            process?.signal(SIGKILL)
            process?.wait()
        }
    }

    deinit { _ = process.withLock { $0?.wait(by: .now) } }

    /// Of servers that run, and of those that it has not missed yet.
    package var sessions: Int? {
        let line = answer(to: "mntr")?.split(separator: "\n").first { $0.hasPrefix("zk_global_sessions\t") }
        return line.flatMap { Int($0.drop { $0 != "\t" }.dropFirst()) }
    }

    /// Nil when it does not answer.
    private func answer(to word: String) -> String? {
        let descriptor = Unshared.socket(AF_INET)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var patience = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected, write(descriptor, word, word.utf8.count) == word.utf8.count else { return nil }
        var bytes: [UInt8] = [], piece = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &piece, piece.count)
            guard count > 0 else { return count == 0 ? String(decoding: bytes, as: UTF8.self) : nil }
            bytes += piece[..<count]
        }
    }
}
