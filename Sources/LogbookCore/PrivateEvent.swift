/// An event of which not every registration may see everything. It stays inside the service; providers get what a lens shows.
struct PrivateEvent {
    /// The stamps: sequence, time, level, source and so on; without texts and metadata.
    let stamped: LogEvent
    let message: MarkedText
    let metadata: LogMetadata
    let error: MarkedError?
    let entry: TransactionEntry?
    /// The entry's error description.
    let entryText: MarkedText?

    init(_ stamped: LogEvent, _ message: MarkedText, _ metadata: LogMetadata, error: MarkedError?) {
        self.init(stamped: stamped, message: message, metadata: metadata, error: error, entry: nil, entryText: nil)
    }

    /// An entry's message is made of what is seen of the entry.
    init(_ stamped: LogEvent, _ metadata: LogMetadata, entry: TransactionEntry, _ text: MarkedText?) {
        self.init(
            stamped: stamped, message: MarkedText(""), metadata: metadata, error: nil, entry: entry, entryText: text)
    }

    /// An event as another run kept it: its marks are gone, so all of it is private where it shows what was marked so.
    /// - Parameter openKeys: Members that are not.
    init(recovered event: LogEvent, openKeys: [String]) {
        let privacy: LogPrivacy = event.showsPrivate ? .private : .public
        let metadata = event.metadata.map { key, value in
            (key, openKeys.contains { MetadataKey.areEqual($0, key) } ? value : LogValue.protected(privacy, value))
        }
        self.init(
            stamped: event, message: MarkedText(event.message, privacy),
            metadata: event.showsPrivate ? LogMetadata(distinct: metadata) : event.metadata,
            error: event.error.map { MarkedError($0, privacy) }, entry: event.transaction,
            entryText: event.transaction?.errorDescription.map { MarkedText($0, privacy) })
    }

    private init(
        stamped: LogEvent, message: MarkedText, metadata: LogMetadata, error: MarkedError?, entry: TransactionEntry?,
        entryText: MarkedText?
    ) {
        self.stamped = stamped
        self.message = message
        self.metadata = metadata
        self.error = error
        self.entry = entry
        self.entryText = entryText
    }

    func seen(through lens: PrivacyLens) -> LogEvent {
        let shownEntry = entry.map { entry in
            TransactionEntry(
                transactionID: entry.transactionID, usecase: entry.usecase, kind: entry.kind, errorCode: entry.errorCode,
                errorDescription: entryText.map(lens.text), device: entry.device
            ).said(as: entry)
        }
        return LogEvent(
            sequence: stamped.sequence, time: stamped.time, level: stamped.level,
            message: shownEntry?.description ?? lens.text(message), metadata: lens.metadata(metadata), thread: stamped.thread,
            source: stamped.source, transaction: shownEntry,
            error: error.map { LogErrorDetails(type: $0.details.type, description: lens.text($0.text(lens.unmarkedTexts))) }, nesting: stamped.nesting
        ).within(.highest).showingPrivate(lens.mode == .revealed && isPrivate(for: lens))
    }

    /// Whether something in it is marked private, or counts as such since nobody has marked it.
    private func isPrivate(for lens: PrivacyLens) -> Bool {
        [message, entryText, error?.text(lens.unmarkedTexts)].contains { $0?.marks.contains { $0.privacy == .private } ?? false }
            || metadata.isPrivate(depth: 0) { lens.unmarkedTexts(under: $0) }
    }
}

/// The views of one event, each made once.
struct PrivateViews {
    private let event: PrivateEvent
    private let terms: PrivacyTerms
    private var made: [(mode: PrivacyMode, event: LogEvent)] = []

    init(of event: PrivateEvent, _ terms: PrivacyTerms) {
        self.event = event
        self.terms = terms
    }

    mutating func view(_ mode: PrivacyMode) -> LogEvent {
        if let view = made.first(where: { $0.mode == mode }) { return view.event }
        let view = event.seen(through: terms.lens(mode))
        made.append((mode, view))
        return view
    }
}

extension LogMetadata {
    /// Whether something that an event can hold of it is marked private.
    /// - Parameter unmarked: What texts under a key are that nobody has marked.
    fileprivate func isPrivate(depth: Int, _ unmarked: (_ key: String) -> LogPrivacy) -> Bool {
        depth <= LogLimits.highest.metadataDepth && contains { $0.value.isPrivate(depth: depth + 1, unmarked($0.key), unmarked) }
    }
}

extension LogValue {
    fileprivate func isPrivate(depth: Int, _ own: LogPrivacy, _ unmarked: (_ key: String) -> LogPrivacy) -> Bool {
        let goesOn = depth <= LogLimits.highest.metadataDepth
        return switch self {
        case .protected(.private, _): true
        case .protected(.public, let value): goesOn && value.isPrivate(depth: depth + 1, .public) { _ in .public }
        case .string: own == .private
        case .array(let values): goesOn && values.contains { $0.isPrivate(depth: depth + 1, own, unmarked) }
        case .object(let members): members.isPrivate(depth: depth) { own == .public ? .public : unmarked($0) }
        default: false
        }
    }
}
