extension LogEvent {
    /// Whether it may use the reserved room of a queue, and goes from a full one after all others: an error, or what a transaction said.
    package var isPrivileged: Bool { level >= .error || isEntry }

    /// What the event holds in memory, roughly: a fixed share, the text, the metadata, what is said of an error, and a place that is no
    /// literal of the program.
    @inline(__always)   // whom it is called on would be copied
    package var estimatedBytes: Int {
        var bytes = 256 + message.utf8.count + source.heldBytes + errorTextBytes
        if metadata.isEmpty { return bytes }   // without a reference that is counted
        for (key, value) in metadata { bytes += 48 + key.utf8.count + value.estimatedBytes }
        return bytes
    }
}

extension LogValue {
    var estimatedBytes: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .array(let values): values.reduce(0) { $0 + 32 + $1.estimatedBytes }
        case .object(let members): members.reduce(0) { $0 + 48 + $1.key.utf8.count + $1.value.estimatedBytes }
        case .protected(_, let value): value.estimatedBytes
        default: 16
        }
    }
}
