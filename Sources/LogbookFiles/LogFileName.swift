/// The names that belong to one log file: `app.log`, its archives, what is known of them, and the lock that a roll takes.
struct LogFileName: Sendable, Hashable {
    static let suffix = ".log"
    /// `app`
    let base: String
    /// `app.log`
    let active: String
    /// `.app.lock`
    let lock: String
    /// `.app.manifest`
    let manifest: String
    /// `.app.manifest.new`: a manifest that is being written anew.
    let newManifest: String

    init(_ base: String) throws(FileLogProviderError) {
        let isPlain = base.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true  // 0-9 A-Z a-z - . _
            default: false
            }
        }
        guard isPlain, (1...64).contains(base.utf8.count), !base.hasPrefix(".") else { throw .invalidName(base) }
        self.init(unchecked: base)
        // Otherwise retention of `x` would take the active file of `x-00000001-20251121T102920.123Z` for an archive.
        for end in base.indices where base[end] == "-" {
            let shorter = LogFileName(unchecked: String(base[..<end]))
            if !shorter.base.isEmpty, ArchiveName(base + Self.suffix, of: shorter) != nil { throw .invalidName(base) }
        }
    }

    private init(unchecked base: String) {
        self.base = base
        active = base + Self.suffix
        lock = ".\(base).lock"
        manifest = ".\(base).manifest"
        newManifest = manifest + ".new"
    }
}
