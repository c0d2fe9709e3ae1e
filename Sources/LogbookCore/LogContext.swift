internal import Synchronization

/// What a task carries for the events that are said in it.
package final class LogContext: Sendable {
    /// What ``LogService/with(_:_:)`` added, the outermost first.
    let metadata: LogMetadata
    let transaction: LogTransaction?
    let levelScope: LevelScope?
    /// What a message said here gets: the metadata, and the id of the transaction.
    let messageMetadata: LogMetadata

    @TaskLocal package static var current: LogContext?

    private static let open = Atomic<Int>(0)
    /// Whether any task carries a context; without one, none is looked for.
    static var isAnyOpen: Bool { open.load(ordering: .relaxed) > 0 }

    init(metadata: LogMetadata, transaction: LogTransaction?, levelScope: LevelScope?) {
        self.metadata = metadata
        self.transaction = transaction
        self.levelScope = levelScope
        var complete = metadata
        if let transaction { complete[LogMetadata.transactionKey] = .string(transaction.id) }
        messageMetadata = complete
        Self.open.add(1, ordering: .relaxed)
    }
    deinit { Self.open.subtract(1, ordering: .relaxed) }

    static func current(adding metadata: LogMetadata) -> LogContext {
        let outer = current
        return LogContext(
            metadata: outer?.metadata.merging(metadata) ?? metadata, transaction: outer?.transaction,
            levelScope: outer?.levelScope)
    }

    static func current(in transaction: LogTransaction) -> LogContext {
        let outer = current
        return LogContext(metadata: outer?.metadata ?? [:], transaction: transaction, levelScope: outer?.levelScope)
    }

    static func current(at level: LogLevel) -> LogContext {
        let outer = current
        return LogContext(metadata: outer?.metadata ?? [:], transaction: outer?.transaction, levelScope: LevelScope(level))
    }
}
