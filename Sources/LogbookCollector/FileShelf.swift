#if Collector
    internal import LogbookCore

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
            _ id: String, isGzip: Bool, maximumBytes: Int, digest: String?, hasRoom: @escaping @Sendable () -> Bool = { true }
        ) -> ArrivingFile {
            ArrivingFile(id: id, in: path, isGzip: isGzip, maximumBytes: maximumBytes, digest: digest, hasRoom: hasRoom)
        }

        /// Whether a file has the id.
        func holds(_ id: String) -> Bool { (try? SystemFileSystem().status(at: "\(path)/\(id)"))?.kind == .regular }

        /// A hidden name that is nobody else's.
        static func partName(of id: String) -> String { ".\(id).\(UniqueID.make()).part" }

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
