#if canImport(Glibc)
    import Glibc
    import LogbookCore
    import LogbookFormat

    struct Messages: LogFormat {
        func append(_ event: LogEvent, to bytes: inout [UInt8]) {
            bytes += Array(event.message.utf8)
            bytes.append(0x0A)
        }
    }

    /// A folder of one victim's own, removed with its files when the test lets go of it.
    final class KillFolder: Sendable {
        let path: String

        init() {
            // In memory where there is such a place: a kill does not care, and hundreds of victims wait for no disk.
            let root = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
            var template = Array("\(root)/logbook-kill-XXXXXX".utf8CString)
            guard mkdtemp(&template) != nil else { preconditionFailure("mkdtemp failed") }
            path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        }

        deinit {
            for name in names { unlink("\(path)/\(name)") }
            rmdir(path)
        }

        /// Everything in it, hidden files included.
        var names: [String] {
            let files = SystemFileSystem()
            guard let folder = try? files.openFolder(at: path) else { return [] }
            defer { files.close(folder) }
            return (try? files.names(in: folder)) ?? []
        }
    }
#endif
