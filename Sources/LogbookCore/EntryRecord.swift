// HOT PATH — what a caller leaves in the ring of a transaction's entry, and what the reader makes of it.

/// What an entry says that has no error in words and is about the service's own device, as it lies in the ring: six words behind the
/// record's header, and the transaction's id behind them. Every other entry travels in a ``SpokenEvent``.
struct EntryRecord {
    /// A longer id travels in a ``SpokenEvent``.
    static let maximumIDBytes = 255

    let usecase: Int
    let kind: TransactionEntry.Kind
    let errorCode: Int?
    /// When it was said, exactly by the service's monotonic clock: by it is decided who was logged in.
    let uptime: UInt64
    /// When the object was made that said it, by the same clock.
    let madeAt: UInt64

    private static let idMask: UInt64 = 0xFF
    private static let beganFlag: UInt64 = 1 << 8
    private static let codeFlag: UInt64 = 1 << 9
    /// One word for the length of the id and the flags, and one each for what else there is.
    private static let words = 6

    /// What comes behind the record's header.
    @inline(__always)
    static func bytes(idBytes: Int) -> Int { words * 8 &+ (idBytes &+ 7) & ~7 }

    /// - Parameter id: ``maximumIDBytes`` at most.
    @inline(__always)
    func write(_ id: UnsafeBufferPointer<UInt8>, to words: UnsafeMutablePointer<UInt64>) {
        var first = UInt64(truncatingIfNeeded: id.count)
        if case .happened(let event) = kind { words[2] = UInt64(bitPattern: Int64(event)) } else { first |= Self.beganFlag }
        if let errorCode {
            first |= Self.codeFlag
            words[3] = UInt64(bitPattern: Int64(errorCode))
        }
        words[0] = first
        words[1] = UInt64(bitPattern: Int64(usecase))
        words[4] = uptime
        words[5] = madeAt
        guard let start = id.baseAddress else { return }
        copyText(id.count, from: start, to: UnsafeMutableRawPointer(words + Self.words).assumingMemoryBound(to: UInt8.self))
    }

    init(usecase: Int, kind: TransactionEntry.Kind, errorCode: Int?, uptime: UInt64, madeAt: UInt64) {
        self.usecase = usecase
        self.kind = kind
        self.errorCode = errorCode
        self.uptime = uptime
        self.madeAt = madeAt
    }

    /// - Parameter words: As they were written.
    init(_ words: UnsafePointer<UInt64>) {
        usecase = Int(Int64(bitPattern: words[1]))
        kind = words[0] & Self.beganFlag != 0 ? .began : .happened(Int(Int64(bitPattern: words[2])))
        errorCode = words[0] & Self.codeFlag != 0 ? Int(Int64(bitPattern: words[3])) : nil
        uptime = words[4]
        madeAt = words[5]
    }

    static func id(in words: UnsafePointer<UInt64>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(
            start: UnsafeRawPointer(words + Self.words).assumingMemoryBound(to: UInt8.self), count: Int(words[0] & idMask))
    }
}

/// Makes events of the entries that lie in the ring. Used by one thread at a time.
struct EntryReader {
    /// Transactions whose ids are at hand: what goes on in them need not be given memory for the id again.
    private static let knownIDs = 16

    private let currentDevice: Locked<DeviceFacts>
    private var device: DeviceFacts
    private var isDeviceOfThisRound = true
    private var ids = [String](repeating: "", count: knownIDs)

    /// - Parameter device: The service's.
    init(device: Locked<DeviceFacts>) {
        currentDevice = device
        self.device = device.withLock { $0 }
    }

    /// The entries that follow are about the device that is the service's now.
    mutating func beginRound() { isDeviceOfThisRound = false }

    /// - Parameter memory: A record with an entry.
    mutating func event(of memory: UnsafeRawPointer) -> LogEvent {
        if !isDeviceOfThisRound {
            device = currentDevice.withLock { $0 }
            isDeviceOfThisRound = true
        }
        let record = memory.assumingMemoryBound(to: EventRecord.self), words = EventRecord.body(of: memory), said = EntryRecord(words)
        var entry = TransactionEntry(
            transactionID: id(EntryRecord.id(in: words)), usecase: said.usecase, kind: said.kind, errorCode: said.errorCode, device: device)
        entry.uptime = said.uptime
        entry.madeAt = said.madeAt
        return LogEvent(
            sequence: record.pointee.sequence, time: record.pointee.time, level: record.pointee.level, message: entry.description,
            metadata: [:], thread: record.pointee.thread, source: record.pointee.source, transaction: entry, error: nil, nesting: 0
        ).within(.highest)
    }

    private mutating func id(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        // Ids that begin at the same moment differ at their ends.
        let place = bytes.suffix(2).reduce(0) { ($0 &* 31) &+ Int($1) } & (Self.knownIDs - 1)
        if !ids[place].isSameText(as: bytes) { ids[place] = String(decoding: bytes, as: UTF8.self) }
        return ids[place]
    }
}
