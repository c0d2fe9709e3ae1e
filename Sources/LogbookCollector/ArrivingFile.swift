#if Collector
    internal import CLogbookSystem
    internal import LogbookCore
    internal import LogbookGzip

    #if canImport(Darwin)
        internal import Darwin
    #elseif canImport(Glibc)
        internal import Glibc
    #elseif canImport(Musl)
        internal import Musl
    #endif

    /// A file on its way in: written to disk piece by piece under a hidden name, and under its id only when it is whole.
    ///
    /// Where another file has the id it is kept beside it, as `<id>~<first 16 digits of its SHA-256>`: a machine that was set back, or
    /// copied with its log's folder, gives ids again. Where the disk has no room for it and its id is taken, it is only compared with what
    /// is kept: whoever sends again what has been kept hears so.
    ///
    /// End it with ``finish(with:)`` or ``abandon()``.
    final class ArrivingFile: Sendable {
        enum Failure: Error {
            case tooLarge
            /// The bytes are not those whose digest was announced.
            case damaged
            /// Not gzip, or not all of it.
            case notGzip
            case outOfMemory
            case unavailable(ArchiveError)
            /// What it has become, inflated, is not taken.
            case refused(CollectorService.Refusal)
        }

        /// What has become of the file.
        struct Outcome: Sendable {
            /// As they are kept.
            let bytes: Int
            /// Under which it is kept.
            let name: String
            /// False where the same bytes have been there under that name before.
            let isNew: Bool
        }

        /// Where it is while it arrives.
        private struct Place {
            let folder: FileDescriptor
            /// Nil where there is no room for it.
            var file: FileDescriptor?
        }

        private struct State {
            /// Nil before the first bytes, and after the end.
            var place: Place?
            /// Why there is no room for the file.
            var lackOfRoom: SystemError?
            var inflater: GzipStream?
            var hash = logbook_sha256()
            /// As they came.
            var received = 0
            /// Inflated.
            var bytes = 0
            /// How much of that, beyond what came, was told.
            var grown = 0
            /// Whether a file had the id before: then this one is taken for it, and its growth is told when it turns out to be another.
            var isIDTaken = false
            /// Written since the disk's room was looked at; before the first byte it is looked at as well.
            var unseen = ArrivingFile.lookAgainBytes
        }

        /// What is best handed over at a time.
        static let pieceBytes = 256 << 10
        /// After so many the disk's room is looked at again.
        static let lookAgainBytes = CollectorService.lookAgainBytes

        private let id: String
        private let folderPath: String
        private let part: String
        private let isGzip: Bool
        private let maximumBytes: Int
        private let digest: String?
        private let hasRoom: @Sendable () -> Bool
        private let grow: @Sendable (_ more: Int, _ bytes: Int) throws(CollectorService.Refusal) -> Void
        private let files: any FileSystem
        private let startThread: LogThread.Start
        private let state: Locked<State>

        /// - Parameters:
        ///   - folder: Made, for this user alone, when there is none.
        ///   - isGzip: The bytes are inflated before they are written.
        ///   - maximumBytes: Of the file, both as it arrives and as it is written.
        ///   - digest: What its SHA-256 must be, in hexadecimal digits; nil for whatever comes.
        ///   - hasRoom: Whether the disk has room for more of it.
        ///   - grow: As ``CollectorRequest/grow``; asked before what it is asked for is written. Where a file has the id already it is
        ///     asked only when this one is about to be kept beside that: what comes again takes no room.
        init(
            id: String, in folder: String, isGzip: Bool, maximumBytes: Int, digest: String?,
            hasRoom: @escaping @Sendable () -> Bool = { true },
            grow: @escaping @Sendable (_ more: Int, _ bytes: Int) throws(CollectorService.Refusal) -> Void = { _, _ in },
            files: any FileSystem = RestartingFileSystem(SystemFileSystem()),
            startThread: @escaping LogThread.Start = { LogThread.start($0, $1) }
        ) {
            self.hasRoom = hasRoom
            self.grow = grow
            self.files = files
            self.startThread = startThread
            self.id = id
            folderPath = folder
            part = FileShelf.partName(of: id)
            self.isGzip = isGzip
            self.maximumBytes = maximumBytes
            self.digest = digest?.lowercased()
            var state = State()
            logbook_sha256_begin(&state.hash)
            self.state = Locked(state)
        }

        /// Writes the next bytes.
        func append(_ bytes: [UInt8]) async throws(Failure) {
            try await onOwnThread { [self] () throws(Failure) in
                try state.withLock { state throws(Failure) in try write(bytes, isLast: false, &state) }
            }
        }

        /// Writes the last bytes; when this returns the file survives a crash of the machine.
        func finish(with bytes: [UInt8]) async throws(Failure) -> Outcome {
            try await onOwnThread { [self] () throws(Failure) -> Outcome in
                try state.withLock { state throws(Failure) -> Outcome in
                    try write(bytes, isLast: true, &state)
                    let found = HexadecimalDigest.text(&state.hash)
                    if let digest, digest != found { throw .damaged }
                    let outcome = try keep(found, &state)
                    letGo(&state, removing: !outcome.isNew)
                    return outcome
                }
            }
        }

        /// Removes what has been written; on the caller's thread where there is no other.
        func abandon() async {
            do throws(Failure) {
                try await onOwnThread { [self] () throws(Failure) in state.withLock { letGo(&$0, removing: true) } }
            } catch {
                state.withLock { letGo(&$0, removing: true) }
            }
        }

        private func write(_ bytes: [UInt8], isLast: Bool, _ state: inout State) throws(Failure) {
            try open(&state)
            // Inflated alone would not do: gzip of nothing may go on for ever.
            state.received += bytes.count
            guard state.received <= maximumBytes else { throw .tooLarge }
            do {
                try bytes.withUnsafeBytes { bytes in
                    guard let inflater = state.inflater else { return try put(bytes, &state) }
                    try inflater.take(bytes, isLast: isLast) { try put($0, &state) }
                }
            } catch let error as Failure { throw error } catch GzipError.outOfMemory { throw .outOfMemory } catch {
                throw .notGzip
            }
        }

        private func open(_ state: inout State) throws(Failure) {
            if state.place != nil { return }
            do throws(GzipError) { if isGzip { state.inflater = try GzipStream.inflating() } } catch { throw .outOfMemory }
            do throws(SystemError) {
                state.place = Place(folder: try FileShelf.open(folderPath, files))
            } catch { throw unavailable(error) }
            state.isIDTaken = isGzip && (try? files.status(of: id, in: state.place!.folder))?.kind == .regular
            try writing(&state) { state throws(SystemError) in
                let file = try files.openNew(part, in: state.place!.folder, permissions: 0o600)
                state.place!.file = file
                _ = try files.tryLock(file)
            }
        }

        /// Does something for which there may be no room on the disk; then the file is given up, where it may be one that is kept.
        private func writing(
            _ state: inout State, _ body: (inout State) throws(SystemError) -> Void
        ) throws(Failure) {
            do throws(SystemError) { try body(&state) } catch {
                guard error.number == ENOSPC || error.number == EDQUOT, let place = state.place,
                    let kept = try? files.status(of: id, in: place.folder), kept.kind == .regular
                else { throw unavailable(error) }
                removePart(&state)
                state.lackOfRoom = error
            }
        }

        private func put(_ bytes: UnsafeRawBufferPointer, _ state: inout State) throws(Failure) {
            guard bytes.count <= maximumBytes - state.bytes else { throw .tooLarge }
            state.bytes += bytes.count
            if !state.isIDTaken { try tellGrowth(&state) }
            logbook_sha256_add(&state.hash, bytes.baseAddress, bytes.count)
            guard let file = state.place?.file else { return }
            try writing(&state) { state throws(SystemError) in
                state.unseen += bytes.count
                if state.unseen >= Self.lookAgainBytes {
                    guard hasRoom() else { throw SystemError(ENOSPC, in: "write") }   // as the disk itself would say it later
                    state.unseen = 0
                }
                var rest = bytes[...]
                while !rest.isEmpty {
                    let count = try files.append(UnsafeRawBufferPointer(rebasing: rest), to: file)
                    guard count > 0 else { throw SystemError(ENOSPC, in: "write") }
                    rest = rest.dropFirst(count)
                }
            }
        }

        /// Tells what has not been told yet of what it has become beyond what came.
        private func tellGrowth(_ state: inout State) throws(Failure) {
            let more = state.bytes - state.received - state.grown
            guard more > 0 else { return }
            do throws(CollectorService.Refusal) { try grow(more, state.bytes) } catch { throw .refused(error) }
            state.grown += more
        }

        /// Gives the file its name: its id, or one beside it where another file has that.
        private func keep(_ digest: String, _ state: inout State) throws(Failure) -> Outcome {
            if let file = state.place?.file {
                try writing(&state) { _ throws(SystemError) in try files.synchronize(file) }
            }
            let place = state.place!, bytes = state.bytes
            let beside = "\(id)~\(digest.prefix(FileShelf.besideDigits))"
            for name in [id, beside] {
                var isNew = false
                if let lack = state.lackOfRoom {
                    guard (try? files.status(of: name, in: place.folder)) != nil else { throw unavailable(lack) }
                } else {
                    if state.isIDTaken, (try? files.status(of: name, in: place.folder)) == nil { try tellGrowth(&state) }
                    isNew = try rename(to: name, in: place.folder)
                }
                if !isNew, try !isKept(bytes, digest, as: name, in: place.folder) { continue }
                // Also where it was there: whoever has named it may have gone before its name was safe.
                do throws(SystemError) { try files.synchronizeFolder(place.folder) } catch { throw unavailable(error) }
                return Outcome(bytes: bytes, name: name, isNew: isNew)
            }
            if let lack = state.lackOfRoom { throw unavailable(lack) }
            throw .unavailable(
                .unavailable(reason: "\(folderPath)/\(beside) is not what was kept under that name; move it away"))
        }

        /// - Returns: False where something has that name.
        private func rename(to name: String, in folder: FileDescriptor) throws(Failure) -> Bool {
            do throws(SystemError) {
                var isFree = true
                do { try files.rename(part, to: name, in: folder) } catch where error.number == EEXIST { isFree = false }
                return isFree
            } catch { throw unavailable(error) }
        }

        /// Whether the file of that name has just these bytes.
        private func isKept(_ bytes: Int, _ digest: String, as name: String, in folder: FileDescriptor) throws(Failure) -> Bool {
            let status: FileStatus
            do throws(SystemError) { status = try files.status(of: name, in: folder) } catch { throw unavailable(error) }
            guard status.kind == .regular else {
                throw .unavailable(
                    .unavailable(reason: "\(folderPath)/\(name) is no file, and nothing can be kept under that id; move it away"))
            }
            guard status.bytes == bytes else { return false }
            do throws(SystemError) { return try contentDigest(of: name, in: folder) == digest } catch { throw unavailable(error) }
        }

        private func contentDigest(of name: String, in folder: FileDescriptor) throws(SystemError) -> String {
            let file = try files.openForReading(name, in: folder)
            defer { files.close(file) }
            let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceBytes, alignment: 1)
            defer { piece.deallocate() }
            var hash = logbook_sha256()
            logbook_sha256_begin(&hash)
            var offset = 0
            while true {
                let count = try files.read(file, into: piece, at: offset)
                if count == 0 { return HexadecimalDigest.text(&hash) }
                logbook_sha256_add(&hash, piece.baseAddress, count)
                offset += count
            }
        }

        private func letGo(_ state: inout State, removing: Bool) {
            if removing { removePart(&state) }
            guard let place = state.place else { return }
            if let file = place.file { files.close(file) }
            files.close(place.folder)
            state.place = nil
        }

        private func removePart(_ state: inout State) {
            guard let place = state.place, let file = place.file else { return }
            try? files.remove(part, in: place.folder)
            files.close(file)
            state.place?.file = nil
        }

        private func unavailable(_ error: SystemError) -> Failure {
            .unavailable(.unavailable(reason: "\(folderPath)/\(id): \(error)"))
        }

        /// Not on the threads that serve requests: the disk may take its time.
        private func onOwnThread<Value: Sendable>(
            _ work: @escaping @Sendable () throws(Failure) -> Value
        ) async throws(Failure) -> Value {
            let outcome: Result<Value, Failure> = await withCheckedContinuation { continuation in
                let started = startThread("collector-file") {
                    continuation.resume(returning: Result { () throws(Failure) in try work() })
                }
                if !started {
                    continuation.resume(returning: .failure(unavailable(SystemError(EAGAIN, in: "pthread_create"))))
                }
            }
            return try outcome.get()
        }
    }
#endif
