internal import LogbookCore

extension String {
    /// Everything but unreserved characters (RFC 3986, 2.3) as `%20`.
    package var percentEncoded: String {
        var text: [UInt8] = []
        for byte in utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: text.append(byte)
            default: text += [0x25, (byte >> 4).capitalHexadecimalDigit, (byte & 15).capitalHexadecimalDigit]
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension StringProtocol {
    /// What a part of a path says; nil when it is not well formed. With `plusIsSpace`, as in a query.
    package func percentDecoded(plusIsSpace: Bool = false) -> String? {
        var bytes: [UInt8] = []
        var rest = Substring(self).utf8[...]
        while let byte = rest.popFirst() {
            guard byte == 0x25 else {
                bytes.append(plusIsSpace && byte == 0x2B ? 0x20 : byte)
                continue
            }
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit), let value = UInt8(digits, radix: 16) else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
