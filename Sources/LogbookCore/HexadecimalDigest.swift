package import CLogbookSystem

/// SHA-256 as people and files write it.
package enum HexadecimalDigest {
    /// Ends the hash.
    package static func text(_ hash: inout logbook_sha256) -> String {
        let bytes = bytes(&hash)
        return String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
            for (place, byte) in bytes.enumerated() {
                text[2 * place] = (byte >> 4).hexadecimalDigit
                text[2 * place + 1] = (byte & 15).hexadecimalDigit
            }
            return 2 * bytes.count
        }
    }

    package static func of(_ bytes: some Sequence<UInt8>) -> String {
        var hash = begun(with: bytes)
        return text(&hash)
    }

    /// The digest itself, of 32 bytes.
    package static func bytes(of bytes: some Sequence<UInt8>) -> [UInt8] {
        var hash = begun(with: bytes)
        return self.bytes(&hash)
    }

    private static func begun(with bytes: some Sequence<UInt8>) -> logbook_sha256 {
        var hash = logbook_sha256()
        logbook_sha256_begin(&hash)
        Array(bytes).withUnsafeBytes { logbook_sha256_add(&hash, $0.baseAddress, $0.count) }
        return hash
    }

    /// The same, of 32 bytes.
    static func bytes(_ hash: inout logbook_sha256) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        logbook_sha256_end(&hash, &digest)
        return digest
    }
}

extension UInt8 {
    /// The digit of a value below 16, in ASCII.
    package var hexadecimalDigit: UInt8 { self + (self < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10) }

    /// The same, as identifiers and URLs have it.
    package var capitalHexadecimalDigit: UInt8 { self + (self < 10 ? UInt8(ascii: "0") : UInt8(ascii: "A") - 10) }
}
