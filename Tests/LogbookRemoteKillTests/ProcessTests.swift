#if canImport(Glibc)
    import Glibc
    import LogbookCore
    import LogbookGzip
    import LogbookTestKit
    import Testing

    /// What is seen of a program from outside: its memory, and its network.
    @Suite(.serialized) struct ProcessTests {
        private static let mayHaveItsOwnNetwork =
            (try? ChildProcess.run(["unshare", "-mn", "--propagation", "private", "ip", "link", "set", "lo", "up"], by: .seconds(30))) == .exited(0)

        @Test("49: 100,000 requests on one connection take no more memory than 10,000")
        func requestsTakeNoMemory() async throws {
            let folder = TemporaryFolder()
            let (end, connections) = try await onThread {
                let server = try LoopbackServer(maximumKeptRequests: 0) { _ in .status(200) }
                let end = try ChildProcess.run(
                    [try ChildProcess.builtProgram("RemoteVictim"), "post", "100000", "\(server.port)"], output: folder.path + "/sizes",
                    errors: folder.path + "/errors", by: .seconds(900))
                return (end, server.connections)
            }
            #expect(end == .exited(0), "\(folder.text("errors"))")
            let sizes = folder.text("sizes").split(separator: "\n").compactMap { Int($0) }
            print("memory: \(sizes.map { "\($0 >> 10) KiB" })")
            try #require(sizes.count == 10)
            #expect(connections == 1)
            #expect(sizes[9] - sizes[0] <= 2 << 20, "\(sizes)")
        }

        @Test("a body of 256 MiB that is compressed while it is sent takes no more memory than one of 1 MiB, and arrives whole")
        func compressingTakesNoMemory() async throws {
            let folder = TemporaryFolder()
            let (end, bodies) = try await onThread {
                let server = try LoopbackServer { _ in .status(200) }
                let end = try ChildProcess.run(
                    [try ChildProcess.builtProgram("RemoteVictim"), "compress", "256", "\(server.port)"], output: folder.path + "/sizes",
                    errors: folder.path + "/errors", by: .seconds(280))
                return (end, server.requests.map(\.body))
            }
            #expect(end == .exited(0), "\(folder.text("errors"))")
            try #require(bodies.count == 2)
            let block = try Gzip.inflate(bodies[0], limit: 2 << 20)
            #expect(block.count == 1 << 20)
            let whole = try await onThread {
                var offset = 0, isSame = true
                let codec = try GzipStream.inflating()
                try bodies[1].withUnsafeBytes { bytes in
                    try codec.take(bytes, isLast: true) { piece in
                        var rest = piece
                        while !rest.isEmpty {
                            let start = offset % block.count, count = min(rest.count, block.count - start)
                            isSame = isSame && block.withUnsafeBytes { memcmp($0.baseAddress! + start, rest.baseAddress!, count) == 0 }
                            offset += count
                            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                        }
                    }
                }
                return isSame ? offset : -1
            }
            #expect(whole == 256 << 20)
            let sizes = folder.text("sizes").split(separator: "\n").compactMap { Int($0) }
            print("memory: \(sizes.map { "\($0 >> 10) KiB" })")
            try #require(sizes.count == 2)
            #expect(sizes[1] - sizes[0] <= 4 << 20, "\(sizes)")
        }

        @Test("52: a name server that says nothing holds up no other host's requests and no shutdown; a new address is found by the next attempt",
              .enabled(if: mayHaveItsOwnNetwork, "needs root and unshare, for a network of its own"))
        func namesThatAreNotAnswered() async throws {
            let folder = TemporaryFolder()
            folder.write("nameserver 127.0.0.1\noptions timeout:30 attempts:2\n", to: "resolv.conf")
            let end = try await onThread {
                try ChildProcess.run(
                    [
                        "unshare", "-mn", "--propagation", "private", "sh", "-c",
                        #"ip link set lo up && mount --bind "$0" /etc/resolv.conf && exec "$1" names - 18080"#,
                        folder.path + "/resolv.conf", try ChildProcess.builtProgram("RemoteVictim"),
                    ], output: folder.path + "/said", errors: folder.path + "/errors", by: .seconds(200))
            }
            #expect(end == .exited(0), "\(folder.text("errors"))")
            #expect(
                folder.text("said").split(separator: "\n") == [
                    "others are served", "cancelled", "no", "broken", "found", "moved away", "moved back", "shut down", "stopped",
                ])
        }

        @Test("53: a network that is cut 100 times, and when the program is killed: everything arrives, and is stored once",
              .enabled(if: mayHaveItsOwnNetwork, "needs root and unshare, for a network of its own"))
        func theNetworkIsCut() async throws {
            let folder = TemporaryFolder()
            let script = """
                set -eu
                ip link set lo up
                "$0" receive . 18080 >listening &
                receiver=$!
                until [ -s listening ]; do sleep 0.01; done
                "$0" send spool 18080 1 >accepted &
                sender=$!
                until [ -s accepted ]; do sleep 0.01; done
                for cut in $(seq 100); do
                    ip link set lo down
                    sleep 0.01
                    ip link set lo up
                    sleep 0.02
                done
                ip link set lo down
                sleep 0.05
                kill -KILL $sender
                ip link set lo up
                "$0" drain spool 18080 2
                kill -KILL $receiver
                """
            let end = try await onThread {
                try ChildProcess.run(
                    ["unshare", "-mn", "--propagation", "private", "sh", "-c", script, try ChildProcess.builtProgram("RemoteVictim")],
                    in: folder.path, errors: folder.path + "/errors", by: .seconds(200))
            }
            #expect(end == .exited(0), "\(folder.text("errors"))")
            let accepted = folder.text("accepted").split(separator: "\n").map { "I-1-\($0)" }
            let stored = folder.text("stored").split(separator: "\n").map(String.init)
            #expect(accepted.count > 1000)
            #expect(Set(accepted).subtracting(stored).isEmpty && Set(stored).count == stored.count)
        }
    }
#endif
