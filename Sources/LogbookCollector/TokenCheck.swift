#if Collector
    internal import LogbookCore

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
                let digest = Array(HexadecimalDigest.of(text.utf8).utf8)
                // Every digest is looked at, and every byte of it, so that the time says nothing.
                for token in tokens where areEqual(digest, Array(token.digest.utf8)) && found == nil { found = token }
            }
            return found
        }

        /// `Bearer <token>`, or the original `<scheme> <parameter>="<token>"`, where the token may hold anything.
        private static func texts(in field: String?, scheme: String?, parameter: String?) -> [Substring] {
            guard let field, let space = field.firstIndex(of: " ") else { return [] }
            let name = field[..<space]
            var value = field[space...].drop { $0 == " " }
            while value.last == " " { value.removeLast() }
            var texts = name.lowercased() == "bearer" ? [value] : []
            if scheme == nil || name.lowercased() == scheme?.lowercased(), let equals = value.firstIndex(of: "="),
                parameter == nil || value[..<equals].lowercased() == parameter?.lowercased()
            {
                texts.append(unquoted(value[value.index(after: equals)...]))
            }
            return texts
        }

        private static func unquoted(_ text: Substring) -> Substring {
            guard text.count >= 2, let quote = text.first, quote == "\"" || quote == "'", text.last == quote else {
                return text
            }
            let inner = text.dropFirst().dropLast()
            guard inner.contains("\\") else { return inner }
            var plain = ""
            var isEscaped = false
            for character in inner {
                if character == "\\" && !isEscaped {
                    isEscaped = true
                } else {
                    plain.append(character)
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
