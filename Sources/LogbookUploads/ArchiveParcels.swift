internal import LogbookCompression
internal import LogbookCore
internal import LogbookDelivery
internal import LogbookFiles
internal import LogbookHTTP

/// A log's archives as parcels, oldest first; several couriers may each have a source of their own over the same archives, in
/// one process or in several: what one has in hand, the others pass over.
final class ArchiveParcels<Base: FileSystem>: ParcelSource {
    private struct Sending {
        let claim: ArchiveClaim
        /// What its parcels were made for.
        let term: CurrentRequest.Term
        /// Nil where the file goes in pieces.
        let body: ArchiveBody?
        let content: FileInPieces?
        var parcel: Parcel
    }
    /// What a look into the folder has found and nobody has received since, oldest first.
    private struct Found {
        /// For which terms it was looked.
        let term: Int
        let hasUndeletable: Bool
        /// Those that were taken or had to be passed over: each is tried again before what comes behind it.
        var tried: ArraySlice<LogArchive> = []
        var rest: ArraySlice<LogArchive>
    }
    private enum Outcome {
        case parcel(Parcel)
        case passedOver
        /// Nobody has to come back for it.
        case gone
    }
    private struct State {
        var sending: Sending?
        /// Nil once nothing of it can go.
        var found: Found?
        /// There may be more than was found.
        var looksAgain = false
        // By ids: of a log whose folder was removed, and that began anew, an archive may have a number again.
        /// What was begun, and has waited for conditions since: it goes on where it was.
        var held: [String: Sending] = [:]
        /// What was set aside and could not be noted: not sent again in this run before ``forgive()``.
        var setAside: Set<String> = []
        var undeletable: Set<String> = []
        var waitsForConditions = false
        var waitsForOthers = false
        /// Whether the latest look passed something over that is in other hands.
        var passesOver = false
        var maximumBytes: Int?
        var isClosed = false
    }

    private let shelf: ArchiveShelf<Base>
    private let request: CurrentRequest
    private let gate: UploadGate
    private let unreadable: UnreadableFiles
    private let state = Locked(State())
    private let onEvent: @Sendable (UploadEvent) -> Void

    /// How often archives in other hands, and those that cannot be deleted, are looked at again.
    private static var pause: Duration { .seconds(1) }
    /// Pieces are not made smaller than this, however often the receiver calls them too large.
    private static var smallestPiece: Int { 64 << 10 }

    init(
        _ shelf: ArchiveShelf<Base>, request: CurrentRequest, gate: UploadGate, unreadable: UnreadableFiles,
        onEvent: @escaping @Sendable (UploadEvent) -> Void
    ) {
        self.shelf = shelf
        self.request = request
        self.gate = gate
        self.unreadable = unreadable
        self.onEvent = onEvent
    }

    var passesOver: Bool { state.withLock { $0.passesOver } }

    /// Sends again what was set aside, in earlier runs too.
    func forgive() {
        state.withLock { state in
            state.setAside = []
            state.maximumBytes = nil
        }
        defer { lookAgain() }
        do { try shelf.forgive() } catch {
            LogDiagnostics.report("upload", "what was set aside earlier stays set aside, because that cannot be noted: \(error)")
        }
    }

    /// Lets go of what is in hand, for others to send.
    func close() {
        let claims = state.withLock { state in
            state.isClosed = true
            defer { (state.sending, state.held) = (nil, [:]) }
            return ([state.sending].compactMap { $0 } + state.held.values).map(\.claim)
        }
        for claim in claims { claim.release() }
    }

    /// The folder is looked through anew before another file is taken.
    func lookAgain() { state.withLock { $0.looksAgain = true } }

    func nextParcel() throws -> Parcel? {
        if let parcel = try parcelInHand() { return parcel }
        let term = request.term.number
        // To look through a folder of thousands for each of them takes minutes.
        let found = state.withLock { state in
            defer { (state.found, state.looksAgain) = (nil, false) }
            return state.looksAgain || state.found?.term != term ? nil : state.found
        }
        var isOpen: Bool?  // asked once, and only for something that waits
        if let found, let parcel = try parcel(of: found, &isOpen) { return parcel }
        return try parcel(of: look(for: term), &isOpen)
    }

    private func look(for term: Int) throws -> Found {
        let calls = gate.calls, (archives, undeletable) = try shelf.waiting()
        for archive in undeletable where state.withLock({ $0.undeletable.insert(archive.id).inserted }) { sayCannotDelete(archive) }
        gate.keep(archives, listedAfter: calls)
        unreadable.keep(archives.lazy.map(\.id))
        keepHeld(among: archives)
        return Found(term: term, hasUndeletable: !undeletable.isEmpty, rest: ArraySlice(archives.filter { !$0.isSetAside }))
    }

    /// - Returns: Nil when nothing of it may or can go.
    private func parcel(of found: Found, _ isOpen: inout Bool?) throws -> Parcel? {
        let setAside = state.withLock { state in
            state.waitsForConditions = false
            state.waitsForOthers = found.hasUndeletable
            state.passesOver = false
            return state.setAside
        }
        let isPassed = gate.passes()
        let skipped = setAside.union(unreadable.resting)
        var left = found, again = found.tried
        left.tried = []
        while let archive = again.popFirst() ?? left.rest.popFirst() {
            var outcome = Outcome.passedOver
            if !skipped.contains(archive.id) {
                var mayGo = isPassed(archive)
                if !mayGo {
                    mayGo = isOpen ?? gate.isOpen()
                    isOpen = mayGo
                }
                if mayGo || gate.mayBeUrgent(archive) {
                    outcome = try take(archive, mayGo: mayGo)
                } else {
                    state.withLock { $0.waitsForConditions = true }
                }
            }
            if case .gone = outcome { continue }
            left.tried.append(archive)
            guard case .parcel(let parcel) = outcome else { continue }
            left.tried += again
            state.withLock { $0.found = left }
            return parcel
        }
        return nil
    }

    /// - Returns: Nil when nothing is in hand, or nothing that may go on: the terms in force are others, its file went bad, or the
    ///   conditions do not hold.
    private func parcelInHand() throws -> Parcel? {
        guard let sending = state.withLock({ $0.sending }) else { return nil }
        guard sending.term.number == request.term.number else {
            letGo(sending)
            state.withLock { $0.maximumBytes = nil }   // a receiver before may have asked for smaller pieces since
            return nil
        }
        switch sending.body?.fault {
        case nil:
            if gate.mayGoOn(sending.claim) { return sending.parcel }
            state.withLock { state in
                state.held[sending.claim.archive.id] = sending
                state.sending = nil
            }
        case .unreadable(let error)?:
            letGo(sending)
            try unreadable.add(sending.claim.archive, error)
        case let fault?: setAside(sending.claim, because: "\(fault)")
        }
        return nil
    }

    private func sayCannotDelete(_ archive: LogArchive) {
        LogDiagnostics.report("upload", "cannot delete \(archive.path), which has arrived; it is tried again")
        onEvent(.cannotDelete(id: archive.id))
    }

    /// Lets go of what was held and is gone, or was begun under other terms.
    private func keepHeld(among archives: [LogArchive]) {
        let term = request.term.number
        let present = Set(archives.map(\.id))
        let dropped = state.withLock { state in
            let dropped = state.held.filter { !present.contains($0.key) || $0.value.term.number != term }
            for id in dropped.keys { state.held[id] = nil }
            return dropped
        }
        for sending in dropped.values { sending.claim.release() }
    }

    /// Lets go of a file that cannot be read any further. What has arrived of it does not go again.
    private func putBack(_ sending: Sending, _ content: FileInPieces) {
        unreadable.note(arrived: content.taken, of: sending.claim.archive, under: sending.term.number)
        letGo(sending)
    }

    private func letGo(_ sending: Sending) {
        state.withLock { $0.sending = nil }
        sending.claim.release()
    }

    /// Passes over what has to wait, cannot be read, or cannot be sent as it is.
    private func take(_ archive: LogArchive, mayGo: Bool) throws -> Outcome {
        let held = state.withLock { $0.held[archive.id] }
        do {
            guard let claim = try held?.claim ?? shelf.claim(archive) else {
                guard try shelf.isInOtherHands(archive) else { return .gone }
                state.withLock { state in
                    state.waitsForOthers = true
                    state.passesOver = true
                }
                return .passedOver
            }
            guard !state.withLock({ $0.isClosed }) else {
                claim.release()
                return .passedOver
            }
            guard mayGo || gate.isUrgent(claim) else {
                if held == nil { claim.release() }
                state.withLock { $0.waitsForConditions = true }
                return .passedOver
            }
            if let held {
                state.withLock { $0.held[archive.id] = nil }
                return keep(held)
            }
            let outcome = try begin(claim)
            unreadable.remove(archive)
            return outcome
        } catch let error as SystemError {
            try unreadable.add(archive, error)
            return .passedOver
        }
    }

    /// Not after ``close()``, which may have come while the file was read: nobody would let go of it any more.
    private func keep(_ sending: Sending) -> Outcome {
        let isClosed = state.withLock { state in
            if !state.isClosed { state.sending = sending }
            return state.isClosed
        }
        if isClosed { sending.claim.release() }
        return isClosed ? .passedOver : .parcel(sending.parcel)
    }

    /// Sets aside what cannot be sent as it is.
    private func begin(_ claim: ArchiveClaim) throws -> Outcome {
        let term = request.term
        if claim.isTruncated || claim.bytes == 0 {
            setAside(claim, because: "\(ArchiveBody.Fault.cut)")
            return .passedOver
        }
        let compressed = claim.archive.isCompressed
        do {
            if term.request.maximumBytes != nil {
                let start = unreadable.arrived(of: claim.archive, under: term.number)
                let content = try FileInPieces(claim, inflating: compressed, from: start)
                guard let parcel = try nextPiece(of: content, claim, term.request) else {
                    // What could not be read any further may have been its end.
                    if start > 0 { try noteDelivered(claim) } else { setAside(claim, because: "the file is empty") }
                    return .passedOver
                }
                return keep(Sending(claim: claim, term: term, body: nil, content: content, parcel: parcel))
            }
            let body = try ArchiveBody(claim, inflates: compressed && !term.request.takesGzip)
            let parcel = Parcel(
                id: claim.archive.id, body: [],
                stream: HTTPBodyStream(name: body.digest, bytes: body.bytes) { try body.read(into: $0, at: $1) },
                contentType: term.request.contentType,
                contentEncoding: compressed && term.request.takesGzip ? ArchiveCompression.gzip.encoding : nil, count: 1,
                sealed: claim.archive.ended)
            return keep(Sending(claim: claim, term: term, body: body, content: nil, parcel: parcel))
        } catch let error as SystemError { throw error } catch {
            setAside(claim, because: "\(ArchiveBody.Fault(error))")
            return .passedOver
        }
    }

    private func nextPiece(of content: FileInPieces, _ claim: ArchiveClaim, _ request: UploadRequest) throws -> Parcel? {
        let limit = min(state.withLock { $0.maximumBytes } ?? .max, request.maximumBytes ?? .max)
        guard let piece = try content.next(upTo: limit, maximumLineBytes: request.maximumLineBytes) else { return nil }
        return Self.parcel(piece, claim, request)
    }

    private static func parcel(_ piece: FileInPieces.Piece, _ claim: ArchiveClaim, _ request: UploadRequest) -> Parcel {
        Parcel(
            id: "\(claim.archive.id)@\(piece.range.lowerBound)-\(piece.range.upperBound)", body: piece.bytes,
            contentType: request.contentType, count: 1, sealed: claim.archive.ended)
    }

    /// - Parameter isReceivers: The courier says what a receiver refuses.
    private func setAside(_ claim: ArchiveClaim, because reason: String, isReceivers: Bool = false) {
        if !isReceivers { LogDiagnostics.report("upload", "sets aside \(claim.archive.path), which stays there: \(reason)") }
        let isNoted: Bool
        do {
            try shelf.setAside(claim)
            isNoted = true
        } catch { isNoted = false }
        state.withLock { state in
            if !isNoted { state.setAside.insert(claim.archive.id) }
            state.sending = nil
        }
        unreadable.forgetArrived(of: claim.archive)
        claim.release()
        onEvent(.setAside(id: claim.archive.id, reason: reason))
    }

    func settle(_ parcel: Parcel, as fate: ParcelFate) throws {
        guard let sending = state.withLock({ $0.sending }), sending.parcel.id == parcel.id else { return }
        switch fate {
        case .rejected(let reason):
            // Under other terms it may be taken.
            guard sending.term.number == request.term.number else { return letGo(sending) }
            setAside(sending.claim, because: reason, isReceivers: true)
        case .delivered:
            if let content = sending.content {
                content.take()
                do {
                    if let next = try nextPiece(of: content, sending.claim, sending.term.request) {
                        return state.withLock { $0.sending?.parcel = next }
                    }
                } catch let error as SystemError {
                    putBack(sending, content)
                    return try unreadable.add(sending.claim.archive, error)
                } catch {
                    // It is noted all the same: asked again, the file would be as damaged as it is.
                    return setAside(sending.claim, because: "\(ArchiveBody.Fault(error))")
                }
            }
            try noteDelivered(sending.claim)
        }
    }

    /// All of it has arrived: it is deleted, and nobody has it in hand any more.
    private func noteDelivered(_ claim: ArchiveClaim) throws {
        let isDeleted = try shelf.settle(claim)
        unreadable.forgetArrived(of: claim.archive)
        state.withLock { $0.sending = nil }
        claim.release()
        onEvent(.delivered(id: claim.archive.id))
        if isDeleted { return }
        let isNews = state.withLock { state in
            state.waitsForOthers = true
            return state.undeletable.insert(claim.archive.id).inserted
        }
        if isNews { sayCannotDelete(claim.archive) }
    }

    /// The receiver calls a piece too large: the rest goes in pieces of half the size. Where it cannot be read just now, the file goes
    /// again when it can.
    /// - Returns: False when it cannot be made smaller.
    func halve(_ parcel: Parcel) -> Bool {
        guard parcel.body.count > Self.smallestPiece, let sending = state.withLock({ $0.sending }), let content = sending.content,
            sending.parcel.id == parcel.id
        else { return false }
        let limit = max(Self.smallestPiece, parcel.body.count / 2), request = sending.term.request
        state.withLock { $0.maximumBytes = limit }
        do {
            let next = try content.next(upTo: limit, maximumLineBytes: request.maximumLineBytes)
            // A line that is too large alone makes the same piece again.
            guard let next, next.bytes.count < parcel.body.count else { return false }
            let smaller = Self.parcel(next, sending.claim, request)
            state.withLock { state -> Void in state.sending?.parcel = smaller }
        } catch let error as SystemError {
            putBack(sending, content)
            try? unreadable.add(sending.claim.archive, error)   // what is not about this file is met again, and said, with the next
        } catch {
            setAside(sending.claim, because: "\(ArchiveBody.Fault(error))")
        }
        return true
    }

    var nextParcelIsDue: Duration? {
        state.withLock { state in
            if state.waitsForOthers { return Self.pause }
            return state.waitsForConditions ? UploadConditions.pause : unreadable.nextTry
        }
    }

    /// Files, or, where they go in pieces, their bytes: never fewer than the parcels there will be. One where the folder cannot be
    /// looked through: whoever waits is not told that nothing is left.
    var pendingCount: Int {
        guard let waiting = try? shelf.waiting().archives else { return 1 }
        let setAside = state.withLock { $0.setAside }
        let archives = waiting.filter { !$0.isSetAside && !setAside.contains($0.id) }
        let goesInPieces = request.term.request.maximumBytes != nil
        return goesInPieces ? archives.reduce(0) { $0 + max(1, $1.bytes) * 100 } : archives.count
    }
}
