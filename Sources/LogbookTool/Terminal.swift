internal import CLogbookSystem

/// The process's two streams, unbuffered, also when their reader has gone.
enum Terminal {
    static func print(_ text: String) { write(Array(text.utf8), to: 1) }
    static func say(_ text: String) { write(Array(text.utf8), to: 2) }

    /// - Returns: False when nobody reads.
    @discardableResult
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { logbook_write(descriptor, $0.baseAddress, $0.count) }
            if count <= 0 { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
