#if Collector && canImport(Glibc)
    import Foundation
    import Glibc
    @testable import LogbookCollector
    import LogbookCore
    import LogbookHTTP
    import LogbookTestKit
    import LogbookTransactions
    import Testing

    /// Several collectors on one archive.
    @Suite(.serialized) struct SharedArchiveTests {
        private static func parcel(_ number: Int, entries: Int = 20) -> TransactionParcel {
            let records = (0..<5).map { part in
                TransactionRecord(
                    id: "T\(number)-\(part)", usecase: 1, deviceMake: "KVM",
                    entries: (0..<entries).map {
                        Golden.entry($0, at: Double($0), key: EntryKey(installation: "I\(number)-\(part)", epoch: 1, sequence: Int64($0)))
                    })
            }
            return TransactionParcel(parcel: "P\(number)", set: TransactionSet(transactions: records), received: LogTime(seconds: 1000))
        }

        private static func next(_ count: Locked<Int>) -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }

        // MARK: PostgreSQL

        @Test(
            "two collectors on one PostgreSQL under load, one of them killed, lose and double nothing",
            .enabled(if: PostgresServer.isPossible, "needs the Debian package postgresql-15"))
        func twoCollectorsOnOnePostgres() async throws {
            let folder = TemporaryFolder()
            let (counts, sent) = try await onThread {
                let server = try PostgresServer()
                let address = try server.makeDatabase()
                let first = try CollectorChild(address, in: folder, name: "first"), second = try CollectorChild(address, in: folder, name: "second")
                let clients = 6, parcels = 15
                let left = Monitor(clients), answered = Locked(0)
                for client in 0..<clients {
                    LogThread.start("client") {
                        for number in 0..<parcels {
                            // One set for two clients each: the same entries come by both collectors at the same time.
                            let body = TransactionSet(transactions: Self.parcel(client / 2 * parcels + number).set.transactions).encode(.v0_0_2)
                            var attempt = client
                            let deadline = LogDeadline.seconds(120)
                            while !deadline.hasPassed {
                                let url = (attempt % 2 == 0 ? first : second).url
                                attempt += 1
                                let request = HTTPRequest(
                                    url: url + "/v1/transactions",
                                    headers: [
                                        HTTPHeader("Authorization", "Bearer t"),
                                        HTTPHeader("Content-Type", "application/vnd.logbook.apptxnset-v0.0.2+json"),
                                        HTTPHeader("Logbook-Parcel", "P\(client / 2)-\(number)"),
                                    ], body: body)
                                if (try? CurlTransport.shared.sendAndWait(request, by: .seconds(20)))?.status == 202 { break }
                                usleep(5000)
                            }
                            if Self.next(answered) == clients * parcels / 3 { first.process.signal(SIGKILL) }
                        }
                        left.withLock { access in
                            access.value -= 1
                            access.broadcast()
                        }
                    }
                }
                let deadline = LogDeadline.seconds(180)
                left.withLock { access in while access.value > 0, access.wait(until: deadline) {} }
                second.process.signal(SIGTERM)
                #expect(second.process.wait(by: .seconds(30)) == .exited(0), "\(folder.text("second.err"))")
                #expect(first.process.wait(by: .seconds(10)) == .killed(by: SIGKILL))
                let counts = try server.ask(
                    address,
                    """
                    SELECT concat_ws(' ', (SELECT count(*) FROM transactions), count(*), count(DISTINCT (transaction, event)),
                      (SELECT sum(items) FROM parcels)) FROM entries
                    """)
                return (counts, clients / 2 * parcels)
            }
            #expect(counts == "\(sent * 5) \(sent * 100) \(sent * 100) \(sent * 100)")
        }
    }

    /// A collector in a process of its own.
    private final class CollectorChild: Sendable {
        let process: ChildProcess
        let url: String

        init(_ archive: String, in folder: TemporaryFolder, name: String) throws {
            let process = try ChildProcess(
                [ChildProcess.builtProgram("logbook"), "collect", "--allow-root", "--archive", archive, "--port", "0"], in: folder.path,
                environment: ["LOGBOOK_TOKEN": "t"], output: folder("\(name).out"), errors: folder("\(name).err"))
            self.process = process
            url = try eventually(while: process) {
                guard let line = folder.text("\(name).out").wholeMatch(of: /listening on (http:\/\/.*)\n/) else {
                    throw ScriptedFailure("no collector: \(folder.text("\(name).err"))")
                }
                return String(line.1)
            }
        }
    }

    extension TemporaryFolder {
        fileprivate func text(_ name: String) -> String { (try? String(contentsOfFile: self(name), encoding: .utf8)) ?? "" }
    }
#endif
