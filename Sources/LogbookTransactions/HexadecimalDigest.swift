package import CLogbookSystem

/// SHA-256 as people and files write it.
package enum HexadecimalDigest {
    /// Ends the hash.
    package static func text(_ hash: inout logbook_sha256) -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        logbook_sha256_end(&hash, &digest)
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    package static func of(_ bytes: some Sequence<UInt8>) -> String {
        var hash = logbook_sha256()
        logbook_sha256_begin(&hash)
        Array(bytes).withUnsafeBytes { logbook_sha256_add(&hash, $0.baseAddress, $0.count) }
        return text(&hash)
    }
}
