#if Collector
    internal import CLogbookSystem
    internal import LogbookCore

    #if canImport(Darwin)
        internal import Darwin
    #elseif canImport(Glibc)
        internal import Glibc
    #elseif canImport(Musl)
        internal import Musl
    #endif

    /// Whole files that programs have sent, each under its id, each once.
    struct FileShelf: Sendable {
        private let path: String
        private let files = RestartingFileSystem(SystemFileSystem())

        static let longestID = 128

        /// - Parameter path: Made, for this user alone, when there is none.
        init(path: String) { self.path = path }

        /// An id that is fit to be a file's name.
        static func isValid(_ id: String) -> Bool {
            (1...longestID).contains(id.utf8.count) && !id.hasPrefix(".")
                && id.utf8.allSatisfy { byte in
                    switch byte {
                    case 0x30...0x39, 0x40...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true  // 0-9 @ A-Z a-z - . _
                    default: false
                    }
                }
        }

        /// Keeps a file; when this returns it survives a crash of the machine.
        /// - Returns: False when a file of that id is there already.
        func store(_ bytes: [UInt8], as id: String) async throws(ArchiveError) -> Bool {
            // Not on the threads that serve requests: the disk may take its time.
            let outcome: Result<Bool, SystemError> = await withCheckedContinuation { continuation in
                let started = LogThread.start("collector-file") {
                    continuation.resume(
                        returning: Result { () throws(SystemError) in try storeNow(bytes, as: id) })
                }
                if !started { continuation.resume(returning: .failure(SystemError(EAGAIN, in: "pthread_create"))) }
            }
            do { return try outcome.get() } catch { throw .unavailable(reason: "\(path)/\(id): \(error)") }
        }

        private func storeNow(_ bytes: [UInt8], as id: String) throws(SystemError) -> Bool {
            do { try files.makeFolder(at: path) } catch where error.number == EEXIST {}
            let folder = try files.openFolder(at: path)
            defer { files.close(folder) }
            do {
                _ = try files.status(of: id, in: folder)
                return false
            } catch where error.number == ENOENT {}
            let part = ".\(id).\(UniqueID.make()).part"
            let file = try files.openNew(part, in: folder, permissions: 0o600)
            defer { files.close(file) }
            do throws(SystemError) {
                var rest = bytes[...]
                while !rest.isEmpty {
                    let count = try rest.withUnsafeBufferPointer { buffer throws(SystemError) in
                        try files.append(UnsafeRawBufferPointer(buffer), to: file)
                    }
                    guard count > 0 else { throw SystemError(ENOSPC, in: "write") }
                    rest = rest.dropFirst(count)
                }
                try files.synchronize(file)
                try files.rename(part, to: id, in: folder)
                try files.synchronizeFolder(folder)
                return true
            } catch {
                try? files.remove(part, in: folder)
                // Sent twice at the same time: the other was first.
                if error.number == EEXIST { return false }
                throw error
            }
        }

        /// SHA-256 in hexadecimal digits.
        static func digest(_ bytes: [UInt8]) -> String {
            var hash = logbook_sha256()
            logbook_sha256_begin(&hash)
            bytes.withUnsafeBytes { logbook_sha256_add(&hash, $0.baseAddress, $0.count) }
            var digest = [UInt8](repeating: 0, count: 32)
            logbook_sha256_end(&hash, &digest)
            let digits = Array("0123456789abcdef".utf8)
            return String(decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
        }
    }
#endif
