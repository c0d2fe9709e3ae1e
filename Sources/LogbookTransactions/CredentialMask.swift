/// Takes out of a text whatever a request's `Authorization`, `Cookie` and their like hold: all of it at once, so that what one value covers
/// is not gone for another, and in a time that grows with the text and the fields alone. Who asks says what stands in those.
///
/// The automaton of Aho and Corasick: a state is a beginning of some value, and knows the longest value that ends there.
struct CredentialMask {
    /// What is shorter may be a word.
    static let minimumBytes = 6

    private static let fields: Set<String> = [
        "authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "x-auth-token", "x-csrf-token",
    ]

    /// The state behind a state and a byte.
    private var next: [UInt64: Int32] = [:]
    /// The longest other beginning that a state ends with.
    private var shorter: [Int32] = [0]
    /// Bytes of the longest value that ends in a state; 0 for none.
    private var ending: [Int] = [0]
    /// Of the longest value.
    private var longest = 0

    init(_ headers: [(String, String)]) {
        for (name, value) in headers where Self.fields.contains(name.lowercased()) {
            let bytes = Array(value.utf8)
            // Also a part of it: what follows the scheme, or the value of one cookie.
            for part in [bytes[...]] + bytes.split(whereSeparator: { " ;,=\"".utf8.contains($0) }) where part.count >= Self.minimumBytes {
                include(part)
            }
        }
        join()
    }

    private static func step(_ state: Int32, _ byte: UInt8) -> UInt64 { UInt64(state) << 8 | UInt64(byte) }

    private mutating func include(_ value: ArraySlice<UInt8>) {
        var state: Int32 = 0
        for byte in value {
            if let known = next[Self.step(state, byte)] {
                state = known
            } else {
                let new = Int32(ending.count)
                next[Self.step(state, byte)] = new
                ending.append(0)
                shorter.append(0)
                state = new
            }
        }
        ending[Int(state)] = value.count
        longest = max(longest, value.count)
    }

    /// Finds what each state ends with: that of its predecessor, one byte on. Those are shorter, and so are found before.
    private mutating func join() {
        var byState: [(state: Int32, byte: UInt8, from: Int32)] = next.map { step, state in
            (state, UInt8(truncatingIfNeeded: step), Int32(truncatingIfNeeded: step >> 8))
        }
        byState.sort { $0.state < $1.state }   // one that was made later may be nearer the beginning
        var depth = [Int](repeating: 0, count: ending.count)
        for (state, _, from) in byState { depth[Int(state)] = depth[Int(from)] + 1 }
        byState.sort { depth[Int($0.state)] < depth[Int($1.state)] }
        for (state, byte, from) in byState where from != 0 {
            shorter[Int(state)] = follow(shorter[Int(from)], byte)
            ending[Int(state)] = max(ending[Int(state)], ending[Int(shorter[Int(state)])])
        }
    }

    private func follow(_ state: Int32, _ byte: UInt8) -> Int32 {
        var state = state
        while true {
            if let next = next[Self.step(state, byte)] { return next }
            if state == 0 { return 0 }
            state = shorter[Int(state)]
        }
    }

    /// - Parameter count: So many bytes of the text are looked at, and no value is missed that begins in them.
    /// - Returns: The text, as far as it was looked at, with `<private>` in the place of each value, or of several that overlap or touch.
    func masking(_ text: String, upTo count: Int) -> String {
        let bytes = Array(text.utf8.prefix(count + longest))
        if longest == 0 { return String(decoding: bytes, as: UTF8.self) }
        var state: Int32 = 0
        // Where the longest value begins that ends behind each byte.
        var start = bytes.indices.map { place in
            state = follow(state, bytes[place])
            return place + 1 - ending[Int(state)]
        }
        for place in bytes.indices.dropLast().reversed() { start[place] = min(start[place], start[place + 1]) }
        var masked: [UInt8] = [], isHidden = false
        for place in 0..<min(count, bytes.count) {
            if start[place] > place {
                masked.append(bytes[place])
            } else if !isHidden {
                masked += "<private>".utf8
            }
            isHidden = start[place] <= place
        }
        return String(decoding: masked, as: UTF8.self)
    }
}
