#if Transactions
internal import CLogbookSQLite

/// The texts of rows that are bound and not written yet, one behind the other: SQLite would ask for memory for each and give it back.
final class BoundTexts {
    /// Of all rows of a statement; what finds no room is copied by SQLite.
    static let maximumBytes = 64 << 10

    private let statements: [RowStatement]
    private let memory = UnsafeMutableRawPointer.allocate(byteCount: maximumBytes, alignment: 1)
    private var used = 0

    /// - Parameter statements: Those to which texts are bound; nothing is bound to them any more once this is gone.
    init(of statements: [RowStatement]) { self.statements = statements }

    deinit {
        for statement in statements { statement.forget() }
        memory.deallocate()
    }

    /// - Returns: Where the text stands until ``removeAll()``; nil where it finds no room.
    func add(_ text: UnsafeBufferPointer<UInt8>) -> UnsafeRawBufferPointer? {
        guard text.count <= Self.maximumBytes - used else { return nil }
        let place = UnsafeMutableRawBufferPointer(start: memory + used, count: text.count)
        place.copyMemory(from: UnsafeRawBufferPointer(text))
        used += text.count
        return UnsafeRawBufferPointer(place)
    }

    /// The rows are written.
    func removeAll() { used = 0 }
}
#endif
