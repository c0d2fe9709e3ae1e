#if Collector
    #if canImport(Darwin)
        internal import Darwin
    #elseif canImport(Glibc)
        internal import Glibc
    #elseif canImport(Musl)
        internal import Musl
    #endif

    /// Where a log is, for those who name its active file, `logs/app.log`, and not its folder.
    struct LogPlace: Equatable {
        let folder: String
        /// `<name>.log` is the active file.
        let name: String

        /// Nil where there is a folder, nothing, or a file that is no log's active one.
        init?(ofFile path: String) {
            guard Self.isFile(path), path.hasSuffix(".log") else { return nil }
            let slash = path.lastIndex(of: "/")
            let last = slash.map { path[path.index(after: $0)...] } ?? path[...]
            guard last.utf8.count > 4 else { return nil }
            name = String(last.dropLast(4))
            folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        }

        /// What to give in the place of a file where a folder is meant; nil where that is no file.
        static func remedy(for path: String) -> String? {
            if let place = LogPlace(ofFile: path) { return "\(path) is a file: give \(place.folder) --name \(place.name)" }
            return isFile(path) ? "\(path) is a file: give the folder of the log, and its --name" : nil
        }

        private static func isFile(_ path: String) -> Bool {
            var facts = stat()
            return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
        }
    }
#endif
