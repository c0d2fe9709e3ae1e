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
        }

        private struct State {
            var folder: FileDescriptor?
            /// Nil where a file of that id has been there before: this one is only looked at.
            var file: FileDescriptor?
            var inflater: GzipStream?
            var hash = logbook_sha256()
            /// As they came.
            var received = 0
            /// Inflated.
            var bytes = 0
        }

        /// What is best handed over at a time.
        static let pieceBytes = 256 << 10

        private let id: String
        private let folderPath: String
        private let part: String
        private let isGzip: Bool
        private let maximumBytes: Int
        private let digest: String?
        private let files: any FileSystem
        private let state: Locked<State>

        /// - Parameters:
        ///   - folder: Made, for this user alone, when there is none.
        ///   - isGzip: The bytes are inflated before they are written.
        ///   - maximumBytes: Of the file, both as it arrives and as it is written.
        ///   - digest: What its SHA-256 must be, in hexadecimal digits; nil for whatever comes.
        init(
            id: String, in folder: String, isGzip: Bool, maximumBytes: Int, digest: String?,
            files: any FileSystem = RestartingFileSystem(SystemFileSystem())
        ) {
            self.files = files
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
        /// - Returns: How large it is, and false when a file of that id has been there before, which stays.
        func finish(with bytes: [UInt8]) async throws(Failure) -> (bytes: Int, isNew: Bool) {
            try await onOwnThread { [self] () throws(Failure) in
                try state.withLock { state throws(Failure) in
                    try write(bytes, isLast: true, &state)
                    let found = HexadecimalDigest.text(&state.hash)
                    if let digest, digest != found { throw .damaged }
                    return (state.bytes, try keep(&state))
                }
            }
        }

        /// Removes what has been written.
        func abandon() async {
            try? await onOwnThread { [self] () throws(Failure) in state.withLock { letGo(&$0, removing: true) } }
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
            guard state.folder == nil else { return }
            do throws(GzipError) { if isGzip { state.inflater = try GzipStream.inflating() } } catch { throw .outOfMemory }
            do throws(SystemError) {
                do { try files.makeFolder(at: folderPath) } catch where error.number == EEXIST {}
                let folder = try files.openFolder(at: folderPath)
                state.folder = folder
                do { _ = try files.status(of: id, in: folder) } catch where error.number == ENOENT {
                    let file = try files.openNew(part, in: folder, permissions: 0o600)
                    state.file = file
                    _ = try files.tryLock(file)
                }
            } catch { throw unavailable(error) }
        }

        private func put(_ bytes: UnsafeRawBufferPointer, _ state: inout State) throws(Failure) {
            guard bytes.count <= maximumBytes - state.bytes else { throw .tooLarge }
            state.bytes += bytes.count
            logbook_sha256_add(&state.hash, bytes.baseAddress, bytes.count)
            guard let file = state.file else { return }
            var rest = bytes[...]
            do throws(SystemError) {
                while !rest.isEmpty {
                    let count = try files.append(UnsafeRawBufferPointer(rebasing: rest), to: file)
                    guard count > 0 else { throw SystemError(ENOSPC, in: "write") }
                    rest = rest.dropFirst(count)
                }
            } catch { throw unavailable(error) }
        }

        /// - Returns: False when a file of that id is there already.
        private func keep(_ state: inout State) throws(Failure) -> Bool {
            guard let folder = state.folder else { return false }
            var isNew = state.file != nil
            do throws(SystemError) {
                if let file = state.file {
                    try files.synchronize(file)
                    do { try files.rename(part, to: id, in: folder) } catch where error.number == EEXIST {
                        isNew = false   // sent twice at the same time: the other was first
                    }
                }
                // Also where it was there: whoever has named it may have gone before its name was safe.
                try files.synchronizeFolder(folder)
            } catch { throw unavailable(error) }
            letGo(&state, removing: !isNew)
            return isNew
        }

        private func letGo(_ state: inout State, removing: Bool) {
            if let file = state.file {
                if removing, let folder = state.folder { try? files.remove(part, in: folder) }
                files.close(file)
            }
            if let folder = state.folder { files.close(folder) }
            state.file = nil
            state.folder = nil
        }

        private func unavailable(_ error: SystemError) -> Failure {
            .unavailable(.unavailable(reason: "\(folderPath)/\(id): \(error)"))
        }

        /// Not on the threads that serve requests: the disk may take its time.
        private func onOwnThread<Value: Sendable>(
            _ work: @escaping @Sendable () throws(Failure) -> Value
        ) async throws(Failure) -> Value {
            let outcome: Result<Value, Failure> = await withCheckedContinuation { continuation in
                let started = LogThread.start("collector-file") {
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
