import LogbookCore
import LogbookDelivery
import LogbookFormat
import LogbookGzip
import LogbookHTTP
import LogbookRemote
import LogbookTestKit
import Testing

private func isInstalled(_ words: [String]) -> Bool { (try? ChildProcess.run(words, by: .seconds(60))) == .exited(0) }

private func answer(_ request: HTTPRequest) -> HTTPResponse? { try? CurlTransport.shared.sendAndWait(request, by: .seconds(30)) }

/// Loses the first answer to an insert.
private func losingTheFirstAnswer() -> RelayTransport {
    let real = CurlTransport(), isFirst = Locked(true)
    return RelayTransport { request, completion in
        real.send(request) { result in
            let loses = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            completion(loses ? .failure(.unreachable("lost")) : result)
        }
    }
}

private let impatient = DeliveryPolicy(firstPause: .milliseconds(1), longestPause: .milliseconds(10))

extension ClickHouseServer {
    fileprivate var url: String { "http://127.0.0.1:\(httpPort)" }

    fileprivate func provider(
        table: String = "logs", password: Secret = "p@ss'word", transport: any HTTPTransport = CurlTransport()
    ) throws -> RemoteLogProvider {
        RemoteLogProvider(
            to: .clickHouse(url: url, table: table, user: "logbook", password: password), origin: Sample.origin, delivery: impatient,
            transport: transport)
    }
}

@Suite(.enabled(if: ClickHouseServer.isPossible, "needs the Debian package clickhouse-server"), .serialized)
struct RealClickHouseTests {
    private static let columns = """
        time DateTime, nanos UInt32, level String, message String, installation String, epoch UInt64, sequence UInt64,
        category String, transaction_id String, event String
        """

    @Test("a real ClickHouse stores each event once although an answer is lost, tells what is wrong, and finds the poison row")
    func everythingOfClickHouse() async throws {
        try await onThread {
            let server = try ClickHouseServer()
            try server.start()
            #expect(try server.ask("CREATE TABLE logs (\(Self.columns)) ENGINE = ReplacingMergeTree ORDER BY (time, installation, epoch, sequence)") == "")

            // A wrong password, and then a table that is not there: everything is kept until it is right.
            let provider = try server.provider(table: "nothing", password: "wrong", transport: losingTheFirstAnswer())
            for number in 1...1000 {
                provider.log(
                    LogEvent(
                        sequence: UInt64(number), time: Sample.time, level: .info, message: "event \"\(number)\" \\ ü",
                        metadata: ["category": "c"]))
            }
            _ = try? provider.deliver(by: .seconds(5))
            #expect(throws: RemoteLogProviderError.self) { try provider.deliver(by: .seconds(30)) }
            #expect(provider.status.state == .misconfigured)
            provider.update(to: .clickHouse(url: server.url, table: "nothing", user: "logbook", password: "p@ss'word"))
            #expect(throws: RemoteLogProviderError.self) { try provider.deliver(by: .seconds(30)) }
            #expect(provider.status.latestAnswer?.contains("60") == true)
            #expect(provider.deliveries == LogLedger(submitted: 1000))
            provider.update(to: .clickHouse(url: server.url, user: "logbook", password: "p@ss'word"))
            try provider.deliver(by: .seconds(60))
            #expect(provider.deliveries == LogLedger(submitted: 1000, delivered: 1000))
            try provider.shutdown(by: .seconds(30))

            // The same events once more, as after an answer that was lost.
            let again = try server.provider(transport: losingTheFirstAnswer())
            for number in 1...1000 {
                again.log(LogEvent(
                    sequence: UInt64(number), time: Sample.time, level: .info, message: "event \"\(number)\" \\ ü",
                    metadata: ["category": "c"]))
            }
            try again.deliver(by: .seconds(60))
            try again.shutdown(by: .seconds(30))
            #expect(try Int(server.ask("SELECT count() FROM logs").split(separator: "\n")[0])! >= 1000)
            #expect(try server.ask("SELECT count(), uniqExact(sequence), min(toUnixTimestamp(time)), max(nanos) FROM logs FINAL") == "1000\t1000\t1792837760\t123456789\n")
            #expect(try server.ask("SELECT message, category, level FROM logs FINAL WHERE sequence = 7 FORMAT JSONEachRow") == #"{"message":"event \"7\" \\ ü","category":"c","level":"info"}"# + "\n")
            let line = try server.ask("SELECT event FROM logs FINAL WHERE sequence = 7 FORMAT JSONCompact")
            #expect(line.contains(#"\\\"installation\\\":\\\"I\\\""#) || line.contains(#"\"installation\":\"I\""#))

            // A column of numbers that one event has no number for.
            #expect(try server.ask("CREATE TABLE picky (time DateTime, sequence UInt64, category UInt8) ENGINE = MergeTree ORDER BY time") == "")
            let picky = try server.provider(table: "picky")
            for number in 1...100 {
                picky.log(LogEvent(
                    sequence: UInt64(number), time: Sample.time, level: .info, message: "m",
                    metadata: ["category": number == 42 ? "poison" : "7"]))
            }
            #expect(throws: RemoteLogProviderError.lost(count: 1)) { try picky.deliver(by: .seconds(60)) }
            try picky.shutdown(by: .seconds(30))
            #expect(try server.ask("SELECT count(), uniqExact(sequence) FROM picky") == "99\t99\n")
        }
    }
}

/// moto, which plays Amazon and checks signatures.
private final class Moto: Sendable {
    static let isPossible = isInstalled(["moto_server", "--help"]) && isInstalled(["python3", "-c", "import boto3"])
    let folder = TemporaryFolder()
    let url: String
    let credentials: AWSCredentials
    private let process: ChildProcess

    init() throws {
        let port = try FreePorts.take(1)[0]
        url = "http://127.0.0.1:\(port)"
        process = try ChildProcess(
            ["moto_server", "-H", "127.0.0.1", "-p", "\(port)"], in: folder.path, environment: ["INITIAL_NO_AUTH_ACTION_COUNT": "6"],
            output: folder.path + "/said", errors: folder.path + "/complained")
        let url = url, deadline = LogDeadline.seconds(90), folder = folder
        while answer(HTTPRequest(method: "GET", url: url + "/moto-api/"))?.status != 200, process.end == nil, !deadline.hasPassed {}
        let made = try ChildProcess.run(["python3", "-c", """
            import boto3, json
            def client(name): return boto3.client(name, endpoint_url="\(url)", region_name="eu-central-1", aws_access_key_id="x", aws_secret_access_key="y")
            iam = client("iam")
            iam.create_user(UserName="u")
            iam.put_user_policy(UserName="u", PolicyName="p", PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}))
            key = iam.create_access_key(UserName="u")["AccessKey"]
            client("s3").create_bucket(Bucket="bucket", CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
            client("logs").create_log_group(logGroupName="g")
            client("logs").create_log_stream(logGroupName="g", logStreamName="s")
            print(key["AccessKeyId"], key["SecretAccessKey"])
            """], output: folder.path + "/key", errors: folder.path + "/setup")
        guard made == .exited(0), let words = folder.text("key").split(separator: "\n").first?.split(separator: " "), words.count == 2
        else { throw ScriptedFailure("moto: \(folder.text("setup"))") }
        credentials = AWSCredentials(accessKey: String(words[0]), secretKey: Secret(String(words[1])))
    }

    deinit { process.wait(by: .now) }

    /// What a program of boto3 prints, with `s3` and `logs` at hand.
    func ask(_ program: String) throws -> String {
        _ = try ChildProcess.run(["python3", "-c", """
            import boto3, gzip
            def client(name): return boto3.client(name, endpoint_url="\(url)", region_name="eu-central-1", aws_access_key_id="\(credentials.accessKey)", aws_secret_access_key="\(credentials.secretKey.revealed)")
            s3, logs = client("s3"), client("logs")
            \(program)
            """], output: folder.path + "/asked", errors: folder.path + "/asking")
        return folder.text("asked") + folder.text("asking")
    }
}

@Suite(.enabled(if: Moto.isPossible, "needs moto_server and boto3 from PyPI"), .serialized)
struct RealSignaturesTests {
    @Test("S3 and CloudWatch Logs behind moto take what is signed, once each, and nothing that is not")
    func everythingOfAmazon() async throws {
        try await onThread {
            let moto = try Moto()
            var wrong = moto.credentials
            wrong.secretKey = "wrong"
            let spool = TemporaryFolder()
            func s3(_ credentials: AWSCredentials) -> S3Destination {
                .s3(bucket: "bucket", region: "eu-central-1", prefix: "logs", credentials: credentials, endpoint: moto.url)
            }
            let provider = try RemoteLogProvider(
                to: s3(wrong), spool: spool.path + "/spool", policy: SpoolPolicy(parcelEvents: 300), origin: Sample.origin,
                delivery: impatient, transport: losingTheFirstAnswer())
            for number in 1...1000 {
                provider.log(LogEvent(sequence: UInt64(number), time: Sample.time, level: .info, message: "event \(number)"))
            }
            _ = try? provider.deliver(by: .seconds(5))
            #expect(throws: RemoteLogProviderError.self) { try provider.deliver(by: .seconds(30)) }
            #expect(provider.status.state == .misconfigured)
            #expect(provider.deliveries == LogLedger(submitted: 1000))
            provider.update(to: s3(moto.credentials))
            try provider.deliver(by: .seconds(60))
            #expect(provider.deliveries == LogLedger(submitted: 1000, delivered: 1000))
            try provider.shutdown(by: .seconds(30))
            #expect(try moto.ask("""
                names = [o["Key"] for o in s3.list_objects_v2(Bucket="bucket")["Contents"]]
                lines = [l for n in names for l in gzip.decompress(s3.get_object(Bucket="bucket", Key=n)["Body"].read()).splitlines()]
                print(len(names), len(lines), len(set(lines)), all(n.startswith("logs/2026/10/24/") and n.endswith(".ndjson.gz") for n in names))
                """) == "4 1000 1000 True\n")

            let now = LogClock.system.now()
            let watch = RemoteLogProvider(
                to: .cloudWatch(group: "g", stream: "s", region: "eu-central-1", credentials: moto.credentials, endpoint: moto.url),
                origin: Sample.origin, delivery: impatient)
            for number in 1...500 {
                watch.log(LogEvent(sequence: UInt64(number), time: now.adding(.milliseconds(-number)), level: .info, message: "event \(number)"))
            }
            try watch.deliver(by: .seconds(60))
            #expect(watch.deliveries == LogLedger(submitted: 500, delivered: 500))
            #expect(try moto.ask("""
                print(len(logs.filter_log_events(logGroupName="g", limit=10000)["events"]))
                """) == "500\n")
            watch.update(to: .cloudWatch(group: "g", stream: "s", region: "eu-central-1", credentials: wrong, endpoint: moto.url))
            watch.log(.numbered(1))
            #expect(throws: RemoteLogProviderError.self) { try watch.deliver(by: .seconds(30)) }
            #expect(watch.status.state == .misconfigured)
            try? watch.shutdown(by: .now)
        }
    }

    private static func send(_ lines: Int, to destination: some LogDestination) throws -> LogLedger {
        let text = Locked(Array((1...lines).map { "line \($0)\n" }.joined().utf8))
        let sender = LineSender(to: destination, delivery: impatient) { maximumBytes in
            text.withLock { text in
                defer { text.removeFirst(min(maximumBytes, text.count)) }
                return Array(text.prefix(maximumBytes))
            }
        }
        try sender.send(by: .seconds(60))
        return sender.ledger
    }

    @Test("a bucket and a log stream are found by their addresses, and so is whether the keys are taken")
    func amazonByAddress() async throws {
        try await onThread {
            let moto = try Moto(), place = "?region=eu-central-1&endpoint=\(moto.url)"
            let keys = ["AWS_ACCESS_KEY_ID": moto.credentials.accessKey, "AWS_SECRET_ACCESS_KEY": moto.credentials.secretKey.revealed]
            for address in ["s3://bucket/sent" + place, "cloudwatch://g/s" + place] {
                let destination = try DestinationAddress.destination(address, token: nil) { keys[$0] }
                let ledger = try Self.send(1500, to: destination)
                #expect(ledger == LogLedger(submitted: 1500, delivered: 1500))
            }
            #expect(try moto.ask("""
                names = [o["Key"] for o in s3.list_objects_v2(Bucket="bucket")["Contents"]]
                lines = [l for n in names for l in gzip.decompress(s3.get_object(Bucket="bucket", Key=n)["Body"].read()).splitlines()]
                print(len(lines), len(set(lines)), all(n.startswith("sent/") for n in names))
                print(len(logs.filter_log_events(logGroupName="g", limit=10000)["events"]))
                """) == "1500 1500 True\n1500\n")

            func standing(_ address: String, _ secret: String?) throws -> DestinationAddress.Probe.Standing {
                let probe = try DestinationAddress.probe(address + place, token: nil) { name in
                    name == "AWS_SECRET_ACCESS_KEY" ? secret ?? keys[name] : keys[name]
                }
                return probe.standing(on: try #require(answer(probe.request)))
            }
            for address in ["s3://bucket/sent", "cloudwatch://g/s"] {
                #expect(try standing(address, nil) == .taken)
                #expect(try standing(address, "wrong") == .refused)
            }
            #expect(try standing("s3://other", nil) == .missing("bucket"))
            #expect(try standing("cloudwatch://g/other", nil) == .missing("log stream"))
            #expect(try standing("cloudwatch:///g/s", nil) == .missing("log group"))
        }
    }
}
