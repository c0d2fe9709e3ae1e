import LogbookTestKit
import Testing

@testable import LogbookCore

@Suite struct PrivacyRulesTests {
    private static let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1g"
    private static let aws = "AKIA" + "IOSFODNN7EXAMPLE", gitHub = "ghp" + "_16C7e42F292c6912E7710c838347Ae178B4a"
    private static let slack = "xoxb" + "-123456789012-AbCdEfGhIjKl"

    @Test(arguments: [
        ("S4: a JSON web token", "got \(jwt), ok", "got <private>, ok"),
        ("what only begins like a mask", "password=<private-9Xk2 token=<secret>abc api_key=<private>rest", "password=<private> token=<private> api_key=<private>"),
        ("masks", "password=<private> token=<secret> api_key=<private:0a1b2c3d4e5f6071>", "password=<private> token=<secret> api_key=<private:0a1b2c3d4e5f6071>"),
        ("one in a header", "Authorization: Bearer \(jwt)\nHost: a", "Authorization: <private>\nHost: a"),
        ("one after an escape", #""line\n\#(jwt)""#, #""line\n<private>""#),
        ("one without a signature", "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0. end", "<private> end"),
        ("no token: the end of a sentence", "eyJhbGciOiJub25lIn0.", "eyJhbGciOiJub25lIn0."),
        ("no token: base 64 alone", "eyJhbGciOiJub25lIn0", "eyJhbGciOiJub25lIn0"),
        ("a bearer's token", "sent Bearer mF_9.B5f-4.1JqM", "sent Bearer <private>"),
        ("no token: prose", "the bearer certificates of the ring bearer", "the bearer certificates of the ring bearer"),
        ("AWS", "key \(aws).", "key <private>."),
        ("no key: longer", "key \(aws)A", "key \(aws)A"),
        ("no key: in a word", "x\(aws)", "x\(aws)"),
        ("GitHub", "(\(gitHub))", "(<private>)"),
        ("GitHub, fine-grained", "github" + "_pat_11ABCDEFG0aBcDeFgHiJkL_x", "<private>"),
        ("Slack", "to \(slack) now", "to <private> now"),
        ("Stripe", "sk" + "_live_4eC39HqLyjWDarjtT1zdp7dc", "<private>"),
        ("Google", "AIza" + "SyA1234567890abcdefghijklmnopqrstuv", "<private>"),
        ("a card", "card 4111 1111 1111 1111 12/26", "card <private> 12/26"),
        ("a card in one piece", "4111111111111111", "<private>"),
        ("a card with dashes, after a year", "2026 5500-0000-0000-0004", "2026 <private>"),
        ("American Express", "3782 822463 10005", "<private>"),
        ("no card: check digit", "4111 1111 1111 1112", "4111 1111 1111 1112"),
        ("no card: nanoseconds", "1767225600000000000", "1767225600000000000"),
        ("no card: part of a number", "41111111111111110000", "41111111111111110000"),
        ("no card: a fraction", "0.4111111111111111", "0.4111111111111111"),
        ("Diners Club", "3056 930902 5904, 3056-930902-5904", "<private>, <private>"),
        ("Maestro", "6759-6498-2643-8453-3 x", "<private> x"),
        ("a card behind a word", "visa-4111-1111-1111-1111, order-4111111111111111", "visa-<private>, order-<private>"),
        ("no card: a UUID", "51432822-6786-4693-b20f-7945af06222e", "51432822-6786-4693-b20f-7945af06222e"),
        ("no card: its last parts", "cdf35612-861b-4485-8104-304157425533", "cdf35612-861b-4485-8104-304157425533"),
        ("no card: other groups", "41111 11111 111111 4111 11111 1111111", "41111 11111 111111 4111 11111 1111111"),
        ("a card between other groups", "1234-4111-1111-1111-1111 4111-1111-1111-1111-1234", "1234-<private> <private>-1234"),
        ("a card and its code", "4111-1111-1111-1111-737, 4111 1111 1111 1111-1228", "<private>-737, <private>-1228"),
        ("Maestro of 13 digits", "5018-0000-00007", "<private>"),
        ("UnionPay of 19 digits", "621234 5678901234569", "<private>"),
        ("no card: in a word", "id4111111111111111 4111111111111111z", "id4111111111111111 4111111111111111z"),
        ("a private key", "a -----BEGIN RSA PRIVATE KEY-----\nMIIE--x\n-----END RSA PRIVATE KEY----- b", "a <private> b"),
        ("a private key that was cut", "-----BEGIN PRIVATE KEY-----\nMIIE", "<private>"),
        (
            "a card right behind a private key", "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----4111111111111111",
            "<private><private>"
        ),
        ("no private key", "-----BEGIN CERTIFICATE-----\nMIIE", "-----BEGIN CERTIFICATE-----\nMIIE"),
        ("a password in a URL", "to postgres://app:h:u@nt2r@db/x?a=1", "to postgres://app:<private>@db/x?a=1"),
        ("no password in a URL", "http://a:80/b@c", "http://a:80/b@c"),
        ("an assignment", "password=hunter2 user=jane", "password=<private> user=jane"),
        ("one with words between", "Password : hunter2, next", "Password : <private>, next"),
        ("one in quotes", #"db_password='it\'s 1, 2' x"#, "db_password='<private>' x"),
        ("one in JSON", #"{"apiKey": "a b", "n": 1}"#, #"{"apiKey": "<private>", "n": 1}"#),
        ("one in JSON in a string", #"\"token\":\"abc\",\"n\":1"#, #"\"token\":\"<private>\",\"n\":1"#),
        ("one in brackets", "user[password]=hunter2&page=2", "user[password]=<private>&page=2"),
        ("one in a query", "GET /a?access_token=abc&page=2", "GET /a?access_token=<private>&page=2"),
        ("a header", "Authorization: Basic amFuZTpodW50ZXIy end", "Authorization: <private> end"),
        ("a cookie takes its line", "Set-Cookie: a=b; Path=/\nHost: x", "Set-Cookie: <private>\nHost: x"),
        ("cookies by other names", "Cookies: session=3f9c; refresh=77aa\ncookie_header: b=1; c=2", "Cookies: <private>\ncookie_header: <private>"),
        ("cookies of which one is masked", "Cookie: <secret>; session=3f9c", "Cookie: <secret>; <private>"),
        ("no more cookies than one", "Cookie: <secret>; \nnext", "Cookie: <secret>; \nnext"),
        ("an authorization by another name", #"authorization_header: Digest username="joe", response="ab""#, "authorization_header: <private>"),
        ("a number of cookies", "cookies_seen: 5 in all", "cookies_seen: <private> in all"),
        ("no assignment", "token:\npassword= \nauthor: me, shipping=1", "token:\npassword= \nauthor: me, shipping=1"),
        ("masked already", "password=<private> token=<private:0011223344556677>", "password=<private> token=<private:0011223344556677>"),
        ("nothing", "paid 12.50 at 12:30:00 by é☠️", "paid 12.50 at 12:30:00 by é☠️"),
        ("", "", ""),
    ])
    func findsSecretsByTheirLooks(_ what: String, _ text: String, _ expected: String) {
        #expect(PrivacyRules.standard.masking(text) == expected, "\(what)")
    }

    @Test(arguments: [
        (#"signed in, token=Optional("3f9c0e7a")"#, "signed in, token=<private>"),
        (#"password: Password(rawValue: "hunter2") as typed"#, "password: <private> as typed"),
        (#"Session(token: Optional("a, b)"), user: "jane")"#, #"Session(token: <private>, user: "jane")"#),
        (#"{"tokens":["3f9c0e7a","b"],"n":1}"#, #"{"tokens":<private>,"n":1}"#),
        (#"{"auth":{"user":"ja}ne","all":[1,[2]]},"n":1}"#, #"{"auth":<private>,"n":1}"#),
        (#"{\"tokens\":[\"3f9c\",\"b\"],\"n\":1}"#, #"{\"tokens\":<private>,\"n\":1}"#),
        (#"[AnyHashable("password"): "hunter2"]"#, #"[AnyHashable("password"): "<private>"]"#),
        (#"[AnyHashable("tokens"): ["a", "b"], AnyHashable("n"): 1]"#, #"[AnyHashable("tokens"): <private>, AnyHashable("n"): 1]"#),
        ("params[user]['password'] = 'hunter2'", "params[user]['password'] = '<private>'"),
        ("user[0][password]: hunter2 x", "user[0][password]: <private> x"),
        ("tokens: [\n  \"a]\",\n  \"b\"\n] next", "tokens: <private> next"),
        ("tokens = (\n    a,\n    b\n);\nnext", "tokens = <private>;\nnext"),
        ("password=${DB_PASSWORD} user=jane", "password=<private> user=jane"),
        ("token=b'a b' next", "token=<private> next"),
        (#"token=@"a b" next"#, "token=<private> next"),
        (#"password=hun"ter'2 user=jane"#, "password=<private> user=jane"),
        (#"auth: Token token="a b" x"#, "auth: <private> x"),
        ("token=Optional(<private>) x", "token=<private> x"),
        // What nothing closes ends with its line.
        (#"token=Optional("3f9c0e7a"#, "token=<private>"),
        ("password=hun(ter2 x\nuser=jane)", "password=<private>\nuser=jane)"),
        ("token=[\nsecret=[\nuser=jane", "token=<private>\nsecret=<private>\nuser=jane"),
        ("Authorization: Splunk B5A79AAD-1\nHost: a", "Authorization: <private>\nHost: a"),
        ("Proxy-Authorization: NTLM TlRM, x", "Proxy-Authorization: <private>"),
        (#"Authorization: Token token="3f9c0e7a", id="a b""#, "Authorization: <private>"),
        ("Authorization: Bearer  abc", "Authorization: <private>"),
        (#"curl -H "Authorization: SSWS 00QCj=" -d x"#, #"curl -H "Authorization: <private>" -d x"#),
        (#"{"m":"Authorization: Token token=\"3f 9\"","n":1}"#, #"{"m":"Authorization: <private>","n":1}"#),
        (#"[AnyHashable("Authorization"): Splunk abc, AnyHashable("n"): 1]"#, #"[AnyHashable("Authorization"): <private>, AnyHashable("n"): 1]"#),
    ])
    func masksAllOfAnAssignedValue(_ text: String, _ expected: String) {
        #expect(PrivacyRules.standard.masking(text) == expected)
    }

    @Test(arguments: [
        ("token=abc, user=(x)", "token=<private>, user=(x)"),
        ("tokens (3) left", "tokens (3) left"),
        ("tokens (3): left", "tokens (3): left"),
        ("[auth]: user jane", "[auth]: user jane"),
        ("(see token): done", "(see token): done"),
        ("Session(token: abc, user: jane)", "Session(token: <private>, user: jane)"),
        ("token=abc's words", "token=<private> words"),
        (#"{"m":"token=abc","n":"token=b"}"#, #"{"m":"token=<private>","n":"token=<private>"}"#),
        (#"{"m":"token=abc=","n":1}"#, #"{"m":"token=<private>","n":1}"#),
        (#"<a href="?token=abc=">text</a> "b""#, #"<a href="?token=<private>">text</a> "b""#),
        (#"{"authorization":true,"path":"/x"}"#, #"{"authorization":<private>,"path":"/x"}"#),
        (#""Authorization: Basic amFuZTpodW50ZXIy" sent"#, #""Authorization: <private>" sent"#),
        ("token=(a\nb) c", "token=<private>\nb) c"),
    ])
    func masksNoMoreThanAnAssignedValue(_ text: String, _ expected: String) {
        #expect(PrivacyRules.standard.masking(text) == expected)
    }

    @Test(arguments: [
        ("password          : hunter2 x", "password          : <private> x"),
        ("password:            hunter2 x", "password:            <private> x"),
        ("password\t\t=\t\thunter2\tx", "password\t\t=\t\t<private>\tx"),
        (#""token"      :       "a b","#, #""token"      :       "<private>","#),
        ("auth:   Basic    YTpi x", "auth:   <private> x"),
        ("password:        \nuser:            jane", "password:        \nuser:            jane"),
    ])
    func findsAssignmentsThatAreAligned(_ text: String, _ expected: String) {
        #expect(PrivacyRules.standard.masking(text) == expected)
    }

    @Test(arguments: [
        ("password := hunter2 x", "password := <private> x"),
        ("if token == abc {", "if token == <private> {"),
        (#"token === "a b" x"#, #"token === "<private>" x"#),
        ("password : = hunter2, next", "password : = <private>, next"),
        (#"{:password=>"hunter2", :n=>1}"#, #"{:password=>"<private>", :n=>1}"#),
        ("secret => abc", "secret => <private>"),
        ("secret: => abc", "secret: => <private>"),
        ("token=//abc+/== x", "token=<private> x"),
        ("secret://host/path", "secret://host/path"),
        ("password := <private> x", "password := <private> x"),
        ("password :=\nuser=jane", "password :=\nuser=jane"),
    ])
    func findsAssignmentsWhateverTheirSign(_ text: String, _ expected: String) {
        #expect(PrivacyRules.standard.masking(text) == expected)
    }

    @Test(arguments: [
        ("user%5Bpassword%5D=hunter2&page=2", "user%5Bpassword%5D=<private>&page=2"),
        ("a=1&user%5bpin%5d=1234&page=2", "a=1&user%5bpin%5d=<private>&page=2"),
        ("user%5B0%5D%5Btoken%5D=abc", "user%5B0%5D%5Btoken%5D=<private>"),
        ("tokens[]=a&tokens[0]=b&page=2", "tokens[]=<private>&tokens[0]=<private>&page=2"),
        ("tokens%5B%5D=a&tokens%5B12%5D=b&page=2", "tokens%5B%5D=<private>&tokens%5B12%5D=<private>&page=2"),
        ("user[tokens][12][]: abc x", "user[tokens][12][]: <private> x"),
        (#"tokens["a"][0] = "b c""#, #"tokens["a"][0] = "b c""#),   // as `tokens["a"]`, which is no index
        (#"{\\\"password\\\":\\\"x\\\",\\\"n\\\":1}"#, #"{\\\"password\\\":\\\"<private>\\\",\\\"n\\\":1}"#),
        (#"\\\"token\\\":\\\"a\\\\\\\"b\\\",\\\"n\\\":1"#, #"\\\"token\\\":\\\"<private>\\\",\\\"n\\\":1"#),
        (#"\\\"tokens\\\":[\\\"a\\\",\\\"b\\\"],\\\"n\\\":1"#, #"\\\"tokens\\\":<private>,\\\"n\\\":1"#),
        (#"\"token\":\"a\\\"b\\\\\",\"n\":1"#, #"\"token\":\"<private>\",\"n\":1"#),
        (#"\"token\":\"","n":"x""#, #"\"token\":\"","n":"x""#),   // the text around it ends
        (#"{"u":"https:\/\/user:hunter2@db\/x"}"#, #"{"u":"https:\/\/user:<private>@db\/x"}"#),
        (#"\"https:\\\/\\\/user:hunter2@db\\\/x\""#, #"\"https:\\\/\\\/user:<private>@db\\\/x\""#),
        ("names[0]=b&names%5B%5D=c", "names[0]=b&names%5B%5D=c"),
        ("[0]: a, []=b, tokens [0]: c, %5D=d, %5Btoken%5D: e", "[0]: a, []=b, tokens [0]: c, %5D=d, %5Btoken%5D: e"),
        (#"token:\/\/host"#, #"token:\/\/host"#),
    ])
    func findsWhatIsEncoded(_ text: String, _ expected: String) {
        #expect(PrivacyRules.standard.masking(text) == expected)
    }

    @Test(arguments: [
        ("API key: abc, next", "API key: <private>, next"),
        ("the secret access key = abc x", "the secret access key = <private> x"),
        ("closed session id: 77 x", "closed session id: <private> x"),
        ("client secret = abc", "client secret = <private>"),
        ("Credit  Card:abc", "Credit  Card:<private>"),
        (#"{"API key": "a b", "n": 1}"#, #"{"API key": "<private>", "n": 1}"#),
        (#"line\nAPI keys    := abc"#, #"line\nAPI keys    := <private>"#),
        // What is no key, or none of the word in front of the sign.
        ("password reset for user: jane", "password reset for user: jane"),
        ("token count: 5", "token count: 5"),
        ("sent to Ken: hello", "sent to Ken: hello"),
        ("a point p in: 3", "a point p in: 3"),
        ("the API key is set: yes", "the API key is set: yes"),
        ("API, key: abc", "API, key: abc"),
        ("API\nkey: abc", "API\nkey: abc"),
        ("API key of jane", "API key of jane"),
        ("session[id]: 7", "session[id]: 7"),
    ])
    func findsKeysOfSeveralWords(_ text: String, _ expected: String) {
        #expect(PrivacyRules.standard.masking(text) == expected)
    }

    @Test func keysOfSeveralWordsFollowTheRules() {
        var rules = PrivacyRules(keys: ["phoneNumber", .word("homeaddress")], detectors: [.assignment])
        #expect(rules.masking("phone number: 555, API key: abc") == "phone number: <private>, API key: abc")
        #expect(rules.masking("home address: x, home addressee: y") == "home address: <private>, home addressee: y")
        rules.exemptKeys = ["phone_number"]
        #expect(rules.masking("her phone number: 555") == "her phone number: 555")
        rules.exemptKeys = ["officePhoneNumber"]
        #expect(rules.masking("office phone number: 555") == "office phone number: 555")
        #expect(rules.masking("her phone number: 555") == "her phone number: <private>")
    }

    @Test func equalSecretsInEqualWrappersHaveTheSameHash() {
        let service = LogService(privacy: .hashed), heard = RecordingProvider()
        service.privacyRules = .standard
        service.register(heard)
        for secret in ["3f9c0e7a", "3f9c0e7a", "77aa0102"] { service.info("token=Optional(\"\(secret)\") end") }
        let messages = heard.messages
        #expect(messages.allSatisfy { $0.hasPrefix("token=<private:") && $0.hasSuffix("> end") })
        #expect(messages.count == 3 && messages[0] == messages[1] && messages[0] != messages[2])
    }

    @Test(arguments: [
        ("password", true), ("userPassword", true), ("DB_PASSWORD_HASH", true), ("x-api-key", true), ("apiKey", true),
        ("Set-Cookie", true), ("accesstoken", true), ("pin", true), ("cardPin", true), ("APIPin", true), ("user.pin.code", true),
        ("shipping", false), ("author", false), ("spin", false), ("opinion", false), ("user", false), ("", false), ("é", false),
    ])
    func keysAreToldByWhatTheyHoldWhateverTheirCase(key: String, isPrivate: Bool) {
        let service = LogService(), heard = RecordingProvider()
        service.privacyRules = PrivacyRules(keys: PrivacyRules.standard.keys)
        service.register(heard)
        service.info("m", metadata: LogMetadata([(key, LogValue.string("v"))]))
        #expect(heard.events.map { $0.metadata[key] } == [.string(isPrivate ? "<private>" : "v")])
    }

    @Test func rulesCanBeAddedAndExempted() {
        let service = LogService(), heard = RecordingProvider()
        service.privacyRules = .standard
        service.privacyRules.keys.append("iban")
        service.privacyRules.exemptKeys.insert("tokenCount")
        service.register(heard)
        service.info("iban=DE89 token_count=7", metadata: ["IBAN": "DE89", "token_count": 7, "token": ["a": ["b"]]])
        #expect(heard.messages == ["iban=<private> token_count=7"])
        #expect(heard.events.map(\.metadata) == [["IBAN": "<private>", "token_count": 7, "token": "<private>"]])
    }

    @Test("S4: wherever in a text a secret stands, it is found, and nothing is where its word has begun before")
    func everyPlaceIsSearched() {
        let words = [Self.aws, Self.gitHub, Self.slack, Self.jwt, "4111111111111111"]
        for count in 0...Sanitizer.share(of: 200) {
            for secret in words {
                let space = String(repeating: " ", count: count), before = String(repeating: "x", count: count)
                #expect(PrivacyRules.standard.masking(space + secret) == space + "<private>", "\(count)")
                #expect(PrivacyRules.standard.masking("\(before) \(secret) y") == "\(before) <private> y", "\(count)")
                #expect(PrivacyRules.standard.masking("\(before)\\n\(secret) y") == "\(before)\\n<private> y", "\(count)")
                #expect(PrivacyRules.standard.masking("\(before)%20\(secret) y") == "\(before)%20<private> y", "\(count)")
                if secret == Self.jwt { continue }   // it is one from its second part on
                #expect(PrivacyRules.standard.masking("x\(before)\(secret) y") == "x\(before)\(secret) y", "\(count)")
            }
            let before = String(repeating: "é", count: count)
            #expect(PrivacyRules.standard.masking("\(before) pin=12") == "\(before) pin=<private>", "\(count)")
            #expect(PrivacyRules.standard.masking("\(before) a://b:c@d") == "\(before) a://b:<private>@d", "\(count)")
        }
    }

    @Test("S4: metadata in which nothing is found is the same through every lens, and that in which something is not")
    func whatIsNotFoundIsNotChanged() throws {
        func nested(_ value: LogValue, _ levels: Int) -> LogValue { (0..<levels).reduce(value) { $1 % 2 == 0 ? [$0] : ["k": $0] } }
        let values: [LogValue] = [
            nil, true, 1, 4_111_111_111_111_111, .unsigned(4_111_111_111_111_111), 4_111_111_111_111_111.0, 4_111_111_111_111_112, 0.5, "",
            "text", "pin=1", "4111 1111 1111 1111", .public("pin=1"), .public(2), .private(1), .secret("x"), ["a", "pin=1"], ["a": ["pin": 1]],
            ["a": ["b": 1]], nested("x", 24), nested("x", 25), nested("pin=1", 12),
        ]
        var kept = 0, changed = 0
        for detectors in [Set(PrivacyDetector.allCases), [.cardNumber], []] {
            var rules = PrivacyRules.standard
            rules.detectors = detectors
            let scanner = try #require(PrivacyScanner(rules))
            for key in ["key", "password", "pin=1", "4111111111111111", ""] {
                for value in values {
                    let metadata: LogMetadata = ["first": 1, key: value]
                    for mode in [PrivacyMode.masked, .hashed, .dropped] {
                        let shown = PrivacyLens(mode: mode, scanner: scanner, key: .random()).metadata(metadata)
                        if !scanner.finds(in: metadata) {
                            #expect(shown == metadata, "\(key) \(value) \(mode)")
                            kept += 1
                        } else if shown != metadata {
                            changed += 1
                        }
                    }
                }
            }
        }
        #expect(kept > 100 && changed > 100)
    }

    @Test("S5: the looks at bytes are a multiple of the length, whatever the text")
    func searchingIsLinear() throws {
        let scanner = try #require(PrivacyScanner(.standard))
        func steps(_ text: String) -> Int {
            var steps = 0, text = text
            _ = text.withUTF8 { scanner.ranges(in: $0, &steps) }
            return steps
        }
        let parts = [
            "a", "0", "4", "4111 ", "4111-", "41111111111111111111 ", "eyJ", "eyJ-", "eyJhbGciOiJub25lIn0.", "eyJ.", "eyJhbGciOi.a.",
            "eyJhbGciOi.abc.abc.abc.", "bearer ", "bearer", "Bearer:", "bearer abcdefghijklmnopqrs ", "AKIA", "AKIAIOSFODNN7EXAMPL ",
            "ghp_", "github_pat_", "github_pat_-", "xoxb-", "xoxe.", "SG.", "SG.a ", "sk-", "sk- ", "-", "-----", "-----BEGIN ",
            "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\n-----END ", "://", "://a:b", "://a:b@", "://a:", ":", "=", "a:",
            "pin=", "password", "password=", "password:\"", "password='\\", "passwor:", "token token=", "cookie", "cookie:", "cookie=\n",
            "tokentokentokentokentokentokentokentokentokentokentokentokentok:", "ppppppppppppppppppppppppppppppp:", "\\", "%", "\\\"",
            "=>", ":=", "pass", " word:", "API key", "private ", "session id: ", "pin  =  ", "tokens[0]",
            "[]", "[0", "]=", "%5B", "%5D=", "\\\\\\\"", "\\\\\\\":", ":\\/\\/", ":\\/\\/a:b@", "\t",
            "authorization: basic ", " ", "\u{0}", "é", "'", "\"", "<private>", "(", "[", "}", ",", "\n", "token=(", "token=[\n", "pin=a'",
            "password=f(\"", "user[pin]=", "(\"token\"):", "authorization:x=\"", "\"authorization\":",
        ]
        // Every two of them in turn, and each alone, in texts of which the second is four times as long.
        for first in parts.prefix(Sanitizer.share(of: parts.count)) {
            for second in [""] + parts {
                let part = first + second
                let short = String(repeating: part, count: 256 / part.utf8.count)
                let long = String(repeating: part, count: 4 * (256 / part.utf8.count))
                let (shortSteps, longSteps) = (steps(short), steps(long))
                #expect(longSteps <= 60 * long.utf8.count, "\(longSteps) looks at \(long.utf8.count) bytes of \(part.debugDescription)")
                #expect(longSteps <= 4 * shortSteps + 512, "\(shortSteps), then \(longSteps) looks: \(part.debugDescription)")
            }
        }
    }

    @Test("S5: so are they where a run of blanks, brackets or backslashes grows")
    func searchingLongRunsIsLinear() throws {
        let scanner = try #require(PrivacyScanner(.standard))
        func steps(_ text: String) -> Int {
            var steps = 0, text = text
            _ = text.withUTF8 { scanner.ranges(in: $0, &steps) }
            return steps
        }
        let runs = [" ", "\t", ":", "=", " =", "\\", "\\\"", "[0]", "[]", "%5B0%5D", "a ", "api ", "key "]
        let pieces = ["pin", ":", "=", "tokens", "key", "\"", "pin:", "x", "\n", "]", "/"]
        for run in runs {
            for first in pieces.prefix(Sanitizer.share(of: pieces.count)) {
                for second in pieces {
                    func text(_ count: Int) -> String {
                        let run = String(repeating: run, count: count)
                        return String(repeating: first + run + second + run, count: 4)
                    }
                    let long = text(400), (shortSteps, longSteps) = (steps(text(100)), steps(long))
                    #expect(longSteps <= 60 * long.utf8.count, "\(longSteps): \([first, run, second])")
                    #expect(longSteps <= 4 * shortSteps + 512, "\(shortSteps), then \(longSteps): \([first, run, second])")
                }
            }
        }
    }

    /// Of such a text it takes Unicode minutes to say whether it is equal to another.
    @Test func aKeyOfManyMarksIsLookedUpAmongExemptOnesByItsBytes() throws {
        let marks = "a" + String(repeating: "\u{301}", count: 400_000) + String(repeating: "\u{316}", count: 400_000)
        let scanner = try #require(PrivacyScanner(PrivacyRules(exemptKeys: ["open"], unmarkedTexts: .private)))
        #expect(scanner.unmarkedTexts(under: marks) == .private && scanner.unmarkedTexts(under: "open") == .public)
    }

    @Test("S4: keys that are not ASCII are told whatever their case, and however their letters are composed", arguments: [
        ("пароль", true), ("Пароль", true), ("МОЙ_ПАРОЛЬ_2", true), ("contrase\u{F1}a", true), ("CONTRASEN\u{303}A", true),
        ("Κωδικός", true), ("ΚΩΔΙΚΌΣ", true), ("Straße", true), ("STRASSE", true), ("пінКод", true), ("пин", false), ("password", true),
        ("éPassword", true), ("parol", false), ("парольБезОпасности", false), ("пароль_без_опасности", false), ("é", false),
    ])
    func keysOfOtherScripts(key: String, isPrivate: Bool) {
        let service = LogService(), heard = RecordingProvider()
        service.privacyRules = PrivacyRules(
            keys: ["password", "Пароль", "contrasen\u{303}a", "κωδικός", "straße", .word("Код")], exemptKeys: ["Пароль Без Опасности"],
            detectors: [.assignment])
        service.register(heard)
        service.info("\(key): x", metadata: LogMetadata([(key, LogValue.string("v"))]))
        #expect(heard.events.map { $0.metadata[key] } == [.string(isPrivate ? "<private>" : "v")])
        #expect(heard.messages == ["\(key): \(isPrivate ? "<private>" : "x")"])
    }

    @Test func aKeyOfSeveralWordsMayBeOfAnotherScript() {
        let rules = PrivacyRules(keys: ["секретный ключ"], detectors: [.assignment])
        #expect(rules.masking("Мой Секретный Ключ: abc, Ключ: x") == "Мой Секретный Ключ: <private>, Ключ: x")
    }

    @Test("a key of many marks is looked up promptly, whatever script the rules are of")
    func aKeyOfManyMarksIsLookedUpPromptly() {
        let limit = LogDeadline.seconds(20), rules = PrivacyRules(keys: ["пароль", "ñ"], exemptKeys: ["é"])
        var key = manyMarks("Пароль"), steps = 0
        let matcher = PrivacyKeyMatcher(rules)
        #expect(key.withUTF8 { matcher.names($0, &steps) } && !matcher.isExempt(key) && !limit.hasPassed)
    }

    @Test("S5: a key costs a multiple of its length too")
    func lookingUpAKeyIsLinear() throws {
        let scanner = try #require(PrivacyScanner(.standard))
        for part in ["p", "passwor", "tokePin", "Pin", "_", "secre-", "é"] {
            var key = String(repeating: part, count: 1 << 16), steps = 0
            _ = key.withUTF8 { scanner.keys.names($0, &steps) }
            #expect(steps <= 40 * key.utf8.count, "\(part)")
        }
    }

    @Test("S5: a mebibyte that is nothing but secrets is masked whole")
    func aHugeTextIsSearchedWhole() {
        let count = Sanitizer.share(of: 100_000), text = String(repeating: "token=abc ", count: count)
        #expect(PrivacyRules.standard.masking(text) == String(repeating: "token=<private> ", count: count))
    }

    @Test func aUUIDIsNoCard() {
        let randomness = LogRandomness.seeded(3)
        for _ in 0..<Sanitizer.share(of: 20_000) {
            // Hexadecimal digits of which nearly all are decimal.
            let digits = (0..<32).map { _ in String(Character(UnicodeScalar(Array("01234567890123456789a4f".utf8)[Int(randomness.next() % 23)]))) }.joined()
            var text = digits[...], parts: [Substring] = []
            for count in [8, 4, 4, 4, 12] {
                parts.append(text.prefix(count))
                text = text.dropFirst(count)
            }
            let uuid = parts.joined(separator: "-")
            #expect(PrivacyRules.standard.masking("got \(uuid).") == "got \(uuid).")
        }
    }

    @Test("S5: whatever stands around a card number, it is found")
    func surroundingsHideNothing() {
        let randomness = LogRandomness.seeded(7)
        let words = [
            "token", "=", ":", " ", "\"", "\\", "2026", "eyJhbGciOiJub25lIn0", ".", "é", "-----BEGIN PRIVATE KEY-----", "-----END ",
            "://u:", "@", "bearer ", "\n", "%20", "<private>", "AKIAIOSFODNN7EXAMPLE", "x", "-", "'", "cookie:", "\u{0}", "(", "[\n", "}",
            "authorization:",
        ]
        func some() -> String { (0..<(randomness.next() % 12)).map { _ in words[Int(randomness.next() % UInt64(words.count))] }.joined() }
        for _ in 0..<Sanitizer.share(of: 2_000) {
            let text = "\(some()) 5500000000000004 \(some())"
            #expect(!PrivacyRules.standard.masking(text).contains("5500000000000004"), "\(text.debugDescription)")
        }
    }
}
