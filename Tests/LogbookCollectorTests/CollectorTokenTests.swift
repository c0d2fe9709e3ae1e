#if Collector
    import Foundation
    @testable import LogbookCollector
    import LogbookCore
    import LogbookHTTP
    import LogbookTransactions
    import LogbookTestKit
    import Testing

    @Suite struct CollectorTokenTests {
        private let folder: TemporaryFolder
        private let archive: SQLiteArchive

        init() throws {
            folder = TemporaryFolder()
            archive = try SQLiteArchive(path: folder("archive.sqlite"))
        }

        private func write(_ lines: String, mode: Int = 0o600) throws -> String {
            let path = folder("tokens")
            try lines.write(toFile: path, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            return path
        }

        @Test("S22: a token is kept as its digest, which is all that its line says")
        func aTokenIsItsDigest() throws {
            let token = CollectorToken("abc", tenant: "acme", scopes: [.write, .read])
            #expect(
                token.description == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad acme read,write")
            #expect(CollectorToken(line: token.description) == token)
            #expect(CollectorToken(line: "\(token.digest)\tacme  admin")?.scopes == Set(CollectorToken.Scope.allCases))
            for wrong in ["", "abc acme write", token.digest, "\(token.digest) a/b write", "\(token.digest) acme write,",
                "\(token.digest) acme all", "\(token.digest) acme write x", "\(token.digest.uppercased()) acme write"]
            {
                #expect(CollectorToken(line: wrong) == nil, "\(wrong)")
            }
            let made = CollectorToken.generate().revealed
            #expect(made.utf8.count == 64)
            #expect(made != CollectorToken.generate().revealed)
        }

        @Test("S22: whether two texts are equal takes every byte of both", arguments: [("", ""), ("abc", "abc")])
        func equal(one: String, other: String) { #expect(TokenCheck.areEqual(Array(one.utf8), Array(other.utf8))) }

        @Test("S22: every token is compared to its last byte, wherever the right one stands, and also when none does")
        func everyTokenIsCompared() {
            let tokens = (0..<20).map { CollectorToken(Secret("token-\($0)-of-a-good-length"), tenant: "t\($0)") }
            let compared = Locked<[(given: Int, expected: Int)]>([])
            var check = TokenCheck(scheme: nil, parameter: nil)
            let isEqual = check.areEqual
            check.areEqual = { given, expected in
                compared.withLock { $0.append((given.count, expected.count)) }
                return isEqual(given, expected)
            }
            for (text, found) in [(0, 0), (10, 10), (19, 19), (20, nil)] as [(Int, Int?)] {
                for (field, texts) in [
                    ("Bearer token-\(text)-of-a-good-length", 1), ("fp-auth fp-token=\"token-\(text)-of-a-good-length\"", 1),
                    ("Bearer x=token-\(text)-of-a-good-length", 2),   // as a token with = in it, and in the original form
                ] {
                    compared.withLock { $0 = [] }
                    #expect(check.token(in: field, among: tokens)?.tenant == found.map { "t\($0)" })
                    let all = compared.withLock { $0 }
                    #expect(all.count == texts * tokens.count)
                    #expect(all.allSatisfy { $0.given == 64 && $0.expected == 64 })
                }
            }
        }

        @Test("S22: and different ones are told apart, wherever they differ", arguments: [("abc", "xbc"), ("abc", "abx"), ("abc", "ab")])
        func different(one: String, other: String) { #expect(!TokenCheck.areEqual(Array(one.utf8), Array(other.utf8))) }

        @Test func aFileThatOthersMayReadIsRefused() throws {
            let line = CollectorToken("t").description
            for mode in [0o640, 0o604, 0o620] {
                let path = try write(line, mode: mode)
                #expect { try TokenFile(path: path, clock: .system) } throws: { "\($0)".contains("chmod 600") }
            }
            let secret = try write("\(line)\nhunter2 in the clear\n")
            #expect { try TokenFile(path: secret, clock: .system) } throws: {
                "\($0)".contains("line 2 of") && !"\($0)".contains("hunter2")
            }
            let twice = try write("\(line)\n\n\(CollectorToken("t", tenant: "acme", scopes: [.read]))\n")
            #expect { try TokenFile(path: twice, clock: .system) } throws: { "\($0)".contains("lines 1 and 3 of") }
            // Which has all scopes of its tenant, whatever the line says.
            let both = try write("# ours\n\(CollectorToken("t", tenant: "acme", scopes: [.write]))\n")
            #expect { try TokenFile(path: both, besides: CollectorToken("t"), clock: .system) } throws: { "\($0)".contains("line 2 of") }
            #expect(throws: Never.self) { try TokenFile(path: both, besides: CollectorToken("u"), clock: .system) }
            for empty in ["", "# nobody\n\n"] {
                let path = try write(empty)
                #expect(throws: CollectorError.self) { try TokenFile(path: path, clock: .system) }
            }
            #expect(throws: CollectorError.self) { try TokenFile(path: folder("none"), clock: .system) }
            #expect(throws: CollectorError.self) { try TokenFile(path: folder.path, clock: .system) }
        }

        @Test func aFileThatHasChangedIsReadAgainAndADamagedOneChangesNothing() throws {
            let clock = ManualClock(now: LogTime(seconds: 0))
            let one = CollectorToken("one"), two = CollectorToken("two", tenant: "acme", scopes: [.read])
            let file = try TokenFile(path: try write("\(one)\n"), clock: .manual(clock))
            #expect(file.tokens().all == [one])
            _ = try write("# new\r\n\(one)\r\n\(two)")
            #expect(file.tokens().all == [one])
            clock.advance(by: .seconds(2))
            #expect(file.tokens().all == [one, two])
            _ = try write("nonsense")
            clock.advance(by: .seconds(2))
            #expect(file.tokens().all == [one, two])
            try FileManager.default.removeItem(atPath: folder("tokens"))
            clock.advance(by: .seconds(2))
            #expect(file.tokens().all == [one, two])
            _ = try write("\(two)\n")
            clock.advance(by: .seconds(2))
            #expect(file.tokens().all == [two])
        }

        @Test("S24: whether tokens are of several tenants is known as the file has it now, the single token among them")
        func tenantsAreTold() throws {
            let clock = ManualClock(now: LogTime(seconds: 0))
            let tokens = ["a", "a", "b"].enumerated().map { CollectorToken(Secret("t\($0.offset)"), tenant: $0.element) }
            func areOfSeveral(besides single: CollectorToken?) throws -> [Bool] {
                _ = try write("\(tokens[0])\n")
                let file = try TokenFile(path: folder("tokens"), besides: single, clock: .manual(clock))
                let before: [CollectorToken] = single.map { [$0] } ?? []
                return try [1, 2, 3, 2].map { count in
                    _ = try write(tokens[..<count].map(\.description).joined(separator: "\n"))
                    clock.advance(by: .seconds(2))
                    let known = file.tokens()
                    #expect(known.all == before + Array(tokens[..<count]))
                    return known.areOfSeveral
                }
            }
            #expect(try areOfSeveral(besides: nil) == [false, false, true, false])
            #expect(try areOfSeveral(besides: CollectorToken("single", tenant: "a")) == [false, false, true, false])
            #expect(try areOfSeveral(besides: CollectorToken("single")) == [true, true, true, true])
            #expect(!KnownTokens([]).areOfSeveral)
        }

        @Test("W3, S24: a token acts for its tenant and within its scopes alone, whatever ids it knows")
        func tenantsAreApart() async throws {
            let tokens = ["a-all": "acme admin", "a-write": "acme write", "b-all=": "birch admin", "b-read": "birch read"]
            let lines = tokens.map { token, rest in "\(CollectorToken(Secret(token)).digest) \(rest)" }
            let path = try write(lines.joined(separator: "\n"))
            try await RunningCollector.with(archive, configure: { $0.tokenFile = path }) { (collector: RunningCollector) async throws in
                func credentials(_ token: String) -> [String: String] { ["Authorization": "fp-auth fp-token=\"\(token)\""] }
                func status(_ method: String, _ path: String, _ token: String) async throws -> Int {
                    try await collector.send(method, path, method == "POST" ? Array(Golden.g2.utf8) : [], credentials(token)).status
                }
                let transaction = "/v1/transactions/" + Golden.g2ID
                #expect(try await status("POST", "/v1/transactions", "a-write") == 202)
                // The same id and the same entries are another tenant's own.
                #expect(try await status("GET", transaction, "b-read") == 404)
                #expect(try await collector.send("GET", "/v1/transactions", [], credentials("b-read")).text == #"{"apptxns":[],"next":null}"#)
                #expect(try await collector.send("GET", "/v1/export?format=jsonl", [], credentials("b-read")).text == "")
                #expect(try await collector.send("GET", "/v1/stats", [], credentials("b-read")).text.contains(#""entries":0"#))
                #expect(try await status("POST", "/v1/transactions", "b-all=") == 202)
                #expect(try await archive.counts(tenant: "birch").entries == 2)
                #expect(try await archive.counts(tenant: "acme").entries == 2)
                #expect(try await status("GET", transaction, "b-all=") == 200)
                #expect(try await status("DELETE", "/v1/users/u", "b-all=") == 200)
                #expect(try await status("GET", transaction, "a-all") == 200)
                // Scopes.
                for (method, path, token) in [
                    ("GET", transaction, "a-write"), ("GET", "/v1/transactions", "a-write"), ("GET", "/v1/export", "a-write"),
                    ("GET", "/v1/stats", "a-write"), ("GET", "/metrics", "a-write"), ("DELETE", "/v1/users/u", "a-write"),
                    ("POST", "/v1/transactions", "b-read"), ("POST", "/v1/logs", "b-read"), ("DELETE", "/v1/users/u", "b-read"),
                    ("GET", "/metrics", "b-read"),
                ] {
                    #expect(try await status(method, path, token) == 403, "\(method) \(path)")
                }
                #expect(try await status("POST", "/v1/transactions", "b-all") == 401)
                // The single token goes on working, for the tenant of old.
                #expect(try await collector.send(Golden.g2).status == 202)
                #expect(try await archive.counts(tenant: Tenant.standard).entries == 2)
            }
        }
    }
#endif
