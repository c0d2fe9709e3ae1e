#if Collector
    internal import LogbookCore
    internal import LogbookFormat

    /// Which of the known tokens an `Authorization` field carries.
    struct TokenCheck: Sendable {
        let scheme: String?
        let parameter: String?
        /// Says of two texts of the same length whether they are equal, in a time that says nothing else.
        var areEqual: @Sendable (_ given: [UInt8], _ expected: [UInt8]) -> Bool = Self.areEqual

        /// - Parameter tokens: Those that are let in.
        func token(in field: String?, among tokens: [CollectorToken]) -> CollectorToken? {
            var found: CollectorToken?
            for text in Self.texts(in: field, scheme: scheme, parameter: parameter) {
                let digest = Array(HexadecimalDigest.of(text).utf8)
                // Every digest is looked at, and every byte of it, so that the time says nothing.
                for token in tokens where areEqual(digest, Array(token.digest.utf8)) && found == nil { found = token }
            }
            return found
        }

        /// `Bearer <token>`, or the original `<scheme> <parameter>="<token>"`, where the token may hold anything. All of it as bytes: nobody
        /// who sends it is known yet, and what characters it has may take long to find out.
        private static func texts(in field: String?, scheme: String?, parameter: String?) -> [ArraySlice<UInt8>] {
            guard let field = field.map({ Array($0.utf8) }), let space = field.firstIndex(of: 0x20) else { return [] }
            let name = field[..<space]
            var value = field[space...].drop { $0 == 0x20 }
            while value.last == 0x20 { value.removeLast() }
            var texts = isSameWord(name, "bearer") ? [value] : []
            if scheme.map({ isSameWord(name, $0) }) ?? true, let equals = value.firstIndex(of: UInt8(ascii: "=")),
                parameter.map({ isSameWord(value[..<equals], $0) }) ?? true
            {
                texts.append(unquoted(value[(equals + 1)...]))
            }
            return texts
        }

        /// In any case.
        private static func isSameWord(_ bytes: ArraySlice<UInt8>, _ word: String) -> Bool {
            bytes.lazy.map(\.lowercased).elementsEqual(word.utf8.lazy.map(\.lowercased))
        }

        private static func unquoted(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
            guard text.count >= 2, let quote = text.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"), text.last == quote else {
                return text
            }
            let backslash = UInt8(ascii: "\\"), inner = text.dropFirst().dropLast()
            guard inner.contains(backslash) else { return inner }
            var plain: [UInt8] = []
            var isEscaped = false
            for byte in inner {
                if byte == backslash && !isEscaped {
                    isEscaped = true
                } else {
                    plain.append(byte)
                    isEscaped = false
                }
            }
            return plain[...]
        }

        static func areEqual(_ given: [UInt8], _ expected: [UInt8]) -> Bool {
            guard given.count == expected.count else { return false }
            var difference: UInt8 = 0
            for index in given.indices { difference |= given[index] ^ expected[index] }
            return difference == 0
        }
    }
#endif
