#if Collector
    internal import LogbookCore

    #if canImport(Darwin)
        internal import Darwin
    #elseif canImport(Glibc)
        internal import Glibc
    #elseif canImport(Musl)
        internal import Musl
    #endif

    /// Whole files that programs have sent, each under its id, each once; and where files differ under one id, one beside the other.
    struct FileShelf: Sendable {
        private let path: String
        private let files = RestartingFileSystem(SystemFileSystem())

        static let longestID = 128

        /// - Parameter path: Made, for this user alone, when there is none.
        init(path: String) { self.path = path }

        /// Where a tenant's files are, whether the folder's path ends with a slash or not: no tenant can have an id that is another's.
        static func path(of tenant: String, in folder: String) -> String {
            var folder = folder
            while folder != "/", folder.hasSuffix("/") { folder.removeLast() }
            return tenant == Tenant.standard ? folder : "\(folder)-\(tenant)"
        }

        /// Where the files are of every tenant that the tokens name, and of `default`.
        static func paths(for tokens: [CollectorToken], in folder: String) -> Set<String> {
            Set((tokens.map(\.tenant) + [Tenant.standard]).map { FileShelf.path(of: $0, in: folder) })
        }

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

        /// Receives a file under an id that is fit for it.
        func receive(
            _ id: String, isGzip: Bool, maximumBytes: Int, digest: String?, hasRoom: @escaping @Sendable () -> Bool = { true },
            grow: @escaping @Sendable (_ more: Int, _ bytes: Int) throws(CollectorService.Refusal) -> Void = { _, _ in }
        ) -> ArrivingFile {
            ArrivingFile(id: id, in: path, isGzip: isGzip, maximumBytes: maximumBytes, digest: digest, hasRoom: hasRoom, grow: grow)
        }

        /// Whether a file has the id.
        func holds(_ id: String) -> Bool { (try? SystemFileSystem().status(at: "\(path)/\(id)"))?.kind == .regular }

        /// A hidden name that is nobody else's.
        static func partName(of id: String) -> String { ".\(id).\(UniqueID.make()).part" }

        /// Makes the folder, where there is none, and opens it.
        static func open(_ path: String, _ files: some FileSystem) throws(SystemError) -> FileDescriptor {
            do throws(SystemError) {
                try files.makeFolder(at: path)
                keepName(of: path, files)
            } catch where error.number == EEXIST {}
            return try files.openFolder(at: path)
        }

        /// A folder that is new is as safe as its files only once the one around it is. Where this user may not read that one, nobody but the
        /// system sees to it.
        private static func keepName(of path: String, _ files: some FileSystem) {
            let end = path.last == "/" ? path.dropLast() : path[...], slash = end.lastIndex(of: "/")
            let parent = slash.map { $0 == end.startIndex ? "/" : String(end[..<$0]) } ?? "."
            guard let folder = try? files.openFolder(at: parent) else { return }
            defer { files.close(folder) }
            try? files.synchronizeFolder(folder)
        }

        /// Finds out whether files can be kept: makes one, and removes it. A disk that is full now may have room later.
        func check() throws(CollectorError) { try check(files) }

        func check(_ files: some FileSystem) throws(CollectorError) {
            do throws(SystemError) {
                let folder = try Self.open(path, files)
                defer { files.close(folder) }
                let name = Self.partName(of: "check")
                files.close(try files.openNew(name, in: folder, permissions: 0o600))
                try files.remove(name, in: folder)
            } catch {
                if error.number == ENOSPC || error.number == EDQUOT { return }
                throw .cannotUseFolder(path: path, reason: error.description)
            }
        }

        /// Removes what came before then. What is no file, or has a name that no file has here, is somebody else's and stays.
        /// - Returns: How many files those were, and why there are not more.
        func remove(receivedBefore oldest: LogTime) -> (count: Int, failure: String?) {
            var count = 0, failure: String?
            do throws(SystemError) {
                let folder = try files.openFolder(at: path)
                defer { files.close(folder) }
                for name in try files.names(in: folder) where Self.isName(name) {
                    do throws(SystemError) {
                        let status = try files.status(of: name, in: folder)
                        guard status.kind == .regular, status.modified < oldest else { continue }
                        try files.remove(name, in: folder)
                        count += 1
                    } catch {
                        if error.number != ENOENT, failure == nil { failure = "\(path)/\(name): \(error)" }
                    }
                }
            } catch {
                if error.number != ENOENT { failure = "\(path): \(error)" }   // nothing has come for this tenant
            }
            return (count, failure)
        }

        /// Whether a file may be kept under that name: an id, or where another one has that, what ``ArrivingFile`` adds to it.
        private static func isName(_ name: String) -> Bool {
            let parts = name.split(separator: "~", omittingEmptySubsequences: false)
            guard parts.count <= 2, isValid(String(parts[0])) else { return false }
            return parts.count == 1 || parts[1].utf8.count == besideDigits && parts[1].allSatisfy(\.isHexDigit)
        }

        /// Of its digest, in the name of a file that is kept beside another one.
        static let besideDigits = 16

        /// Removes what a collector that was killed has received of files; what another one receives is locked, and stays.
        func removeLeftovers() {
            guard let folder = try? files.openFolder(at: path) else { return }
            defer { files.close(folder) }
            for name in (try? files.names(in: folder)) ?? [] where name.hasPrefix(".") && name.hasSuffix(".part") {
                guard let file = try? files.openForLocking(name, in: folder) else { continue }
                if (try? files.tryLock(file)) == true { try? files.remove(name, in: folder) }
                files.close(file)
            }
        }
    }
#endif
