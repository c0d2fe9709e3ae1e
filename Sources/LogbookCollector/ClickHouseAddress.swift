#if Collector
    internal import LogbookHTTP

    /// Where ClickHouse is and who asks: `clickhouse://user@host:8123,host2:8123/database?cluster=logs`. Printed, it shows no password.
    struct ClickHouseAddress: Sendable, Hashable, CustomStringConvertible {
        /// `http://host:8123`, each server that may be asked, in the order in which they are tried.
        let servers: [String]
        let database: String
        let user: String?
        var password: Secret?
        /// Nil for one server with tables of its own.
        let cluster: String?
        /// Lets plain HTTP go to other machines.
        let allowsPlainHTTP: Bool
        let description: String

        static let scheme = "clickhouse://"
        private static let form = "write clickhouse://user@host:8123/database, with every server and ?cluster=name for shards and replicas"

        init(_ text: String) throws(ArchiveError) {
            guard text.hasPrefix(Self.scheme) else { throw .invalidAddress("this is no address of ClickHouse; \(Self.form)") }
            let (place, query) = Self.split(text.dropFirst(Self.scheme.count), at: "?")
            var parameters: [Substring: Substring] = [:]
            for word in (query ?? "").split(separator: "&") {
                let (name, value) = Self.split(word, at: "=")
                guard ["cluster", "secure", "insecure"].contains(name) else {
                    throw .invalidAddress("ClickHouse's address knows cluster, secure and insecure after the question mark; \(Self.form)")
                }
                parameters[name] = value ?? ""
            }
            let isSecure = try Self.flag("secure", parameters)
            allowsPlainHTTP = try Self.flag("insecure", parameters)
            let (authority, path) = Self.split(place, at: "/")
            database = path.map(String.init).flatMap { $0.isEmpty ? nil : $0 } ?? "default"
            cluster = parameters["cluster"].map(String.init)
            guard Self.isName(database), cluster.map(Self.isName) ?? true else {
                throw .invalidAddress("a database and a cluster of ClickHouse have letters, digits and _ in their names; \(Self.form)")
            }
            // The last one: a password may have one as well.
            let at = authority.lastIndex(of: "@")
            let credentials = at.map { authority[..<$0] }
            let hosts = authority[(at.map { authority.index(after: $0) } ?? authority.startIndex)...]
            let (user, password) = Self.split(credentials ?? "", at: ":")
            self.user = user.isEmpty ? nil : try Self.decoded(user)
            self.password = try password.map { password throws(ArchiveError) in Secret(try Self.decoded(password)) }
            var servers: [String] = []
            for host in hosts.split(separator: ",", omittingEmptySubsequences: false) {
                let hasPort = host.hasSuffix("]") ? false : host.lastIndex(of: ":").map { Int(host[host.index(after: $0)...]) != nil } ?? false
                if host.isEmpty || host.contains(where: { " /@".contains($0) }) {
                    throw .invalidAddress("the address of ClickHouse names no host; \(Self.form)")
                }
                servers.append("\(isSecure ? "https" : "http")://\(host)\(hasPort ? "" : isSecure ? ":8443" : ":8123")")
            }
            guard !servers.isEmpty else { throw .invalidAddress("the address of ClickHouse names no host; \(Self.form)") }
            // What one of them had, the others would not know.
            if servers.count > 1 && cluster == nil {
                throw .invalidAddress("several servers of ClickHouse are one archive only as a cluster; \(Self.form)")
            }
            self.servers = servers
            description =
                Self.scheme + (user.isEmpty ? "" : "\(user)@") + hosts + "/\(database)" + (cluster.map { "?cluster=\($0)" } ?? "")
        }

        private static func split(_ text: Substring, at mark: Character) -> (Substring, Substring?) {
            guard let index = text.firstIndex(of: mark) else { return (text, nil) }
            return (text[..<index], text[text.index(after: index)...])
        }

        private static func flag(_ name: Substring, _ parameters: [Substring: Substring]) throws(ArchiveError) -> Bool {
            switch parameters[name] {
            case nil, "0"?: return false
            case ""?, "1"?: return true
            default: throw .invalidAddress("\(name) in the address of ClickHouse is 0 or 1; \(form)")
            }
        }

        private static func isName(_ text: String) -> Bool {
            !text.isEmpty && text.utf8.allSatisfy { byte in
                (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x5F
            }
        }

        /// With `%40` and its like read.
        private static func decoded(_ text: Substring) throws(ArchiveError) -> String {
            var bytes: [UInt8] = []
            var rest = text.utf8
            while let byte = rest.popFirst() {
                guard byte == 0x25 else {
                    bytes.append(byte)
                    continue
                }
                guard rest.count >= 2, let value = UInt8(String(rest.prefix(2)) ?? "", radix: 16) else {
                    throw .invalidAddress("user or password in the address of ClickHouse has a % that is not followed by two digits; \(form)")
                }
                bytes.append(value)
                rest = rest.dropFirst(2)
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }
#endif
