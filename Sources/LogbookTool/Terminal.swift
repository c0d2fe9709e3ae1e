#if Collector
internal import CLogbookSystem

/// The process's two streams, unbuffered, also when their reader has gone.
enum Terminal {
    static func print(_ text: String) { write(text, to: 1) }
    static func say(_ text: String) { write(text, to: 2) }

    private static func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { logbook_write(descriptor, $0.baseAddress, $0.count) }
            if count <= 0 { return }   // nobody reads
            rest = rest.dropFirst(count)
        }
    }
}
#endif
