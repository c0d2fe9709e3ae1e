#if Collector && canImport(Glibc)
    @testable import LogbookCollector
    import LogbookHTTP
    import LogbookTestKit
    import Testing

    struct ArchiveURLTests {
        @Test(
            "a text that names no archive is refused with what one looks like, and its password is not repeated",
            arguments: [
                "", "sqlite:", "archive.sqlite", "postgres:hidden@x", "mysql://u:hidden@h/d", "postgres://u:hidden@h:port:1/d?nonsense=1",
                "clickhouse://u:hidden@/d", "clickhouse://u:hidden@h/d?nonsense=1", "clickhouse://u:hidden%4@h/d", "clickhouse://u:hidden@h/a-b",
                "clickhouse://u:hidden@h/d?cluster=a'b", "clickhouse://u:hidden@h/d?secure=maybe", "clickhouse://u:hidden@h,,i/d?cluster=c", "clickhouse://u:hidden@h,i/d",
            ])
        func noArchive(_ text: String) {
            #expect {
                try ArchiveURL.open(text)
            } throws: { error in
                let said = "\(error)"
                guard case .invalidAddress = error as? ArchiveError else { return false }
                return !said.contains("hidden") && (said.contains("sqlite:<path>") || said.contains("://user@host"))
            }
        }

        @Test(arguments: ["postgres://u:hidden@127.0.0.1:1/d", "clickhouse://u:hidden@127.0.0.1:1/d"])
        func whereNobodyAnswersIsNamedWithoutThePassword(_ text: String) async throws {
            let error = await onThread { () -> ArchiveError? in
                do throws(ArchiveError) { _ = try ArchiveURL.open(text) } catch { return error }
                return nil
            }
            let said = try #require(error).description
            #expect(said.contains("://u@127.0.0.1:1/d") && said.contains("check that the server runs"), "\(said)")
            #expect(!said.contains("hidden"))
        }

        @Test func everyPartOfAnAddressOfClickHouseIsRead() throws {
            let address = try ClickHouseAddress("clickhouse://me:a%40b:c@h1,h2:9,[::1]:7/logs?cluster=c&secure=1&insecure=1")
            #expect(address.servers == ["https://h1:8443", "https://h2:9", "https://[::1]:7"])
            #expect(address.user == "me" && address.password?.revealed == "a@b:c" && address.database == "logs" && address.cluster == "c")
            #expect(address.allowsPlainHTTP)
            #expect(address.description == "clickhouse://me@h1,h2:9,[::1]:7/logs?cluster=c")
            #expect(try ClickHouseAddress("clickhouse://localhost").servers == ["http://localhost:8123"])
        }
    }
#endif
