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
