internal import LogbookCore

/// What a log knows of its files beyond their names, kept in `.app.manifest`: which archives are its own, and how they are called
/// by those who deliver them. One line per fact, only ever appended; whoever appends holds the log's lock,
/// but for the lines of those who deliver, which must not keep a full file from rolling.
///
/// ```
/// logbook-manifest 1 586AB00B-F16E-4AE6-8A91-0210264925C7
/// begin 7340123 1763720960123000000
/// archive 42 app-00000042-20251121T102920.123Z.log 1763720960123000000 1048576
/// delivered 42
/// setaside 43
/// forgiven 43
/// ```
/// A line stands here before the file has the name it speaks of, so a kill in between leaves a line too many, never a file too
/// many. Lines that cannot be read are passed over, and a torn one is made such a line: `delivered 4 is torn`.
struct ArchiveManifest: Sendable, Equatable {
    struct Entry: Sendable, Equatable {
        let name: ArchiveName
        let ended: LogTime
        /// Its size when it was rolled; another process may have added a line since.
        let bytes: Int
    }

    /// Names the log itself; nil as long as nothing was written.
    private(set) var log: String?
    private(set) var latestNumber: UInt64 = 0
    private(set) var entries: [UInt64: Entry] = [:]
    /// Archives that somebody has received, and that only have to be deleted.
    private(set) var delivered: Set<UInt64> = []
    /// Archives that their receiver will never take as they are, and that nobody has asked to send again.
    private(set) var setAside: Set<UInt64> = []
    /// The active file's inode and when its first event was written.
    private(set) var active: (inode: UInt64, began: LogTime)?
    /// Lines read, those that no longer mean anything included.
    private(set) var lines = 0

    static func == (left: ArchiveManifest, right: ArchiveManifest) -> Bool {
        left.log == right.log && left.latestNumber == right.latestNumber && left.entries == right.entries && left.delivered == right.delivered
            && left.setAside == right.setAside && left.active?.inode == right.active?.inode && left.active?.began == right.active?.began
    }

    /// An archive's id for good.
    func id(of number: UInt64) -> String {
        var digits = String(number)
        digits = String(repeating: "0", count: max(0, 8 - digits.utf8.count)) + digits
        return "\(log ?? "")-\(digits)"
    }

    static func header(log: String) -> String { "logbook-manifest 1 \(log)\n" }
    static func begin(inode: UInt64, at time: LogTime) -> String { "begin \(inode) \(time.nanoseconds)\n" }
    static func archive(_ name: ArchiveName, ended: LogTime, bytes: Int) -> String {
        "archive \(name.number) \(name.plain.text) \(ended.nanoseconds) \(bytes)\n"
    }
    static func delivered(_ number: UInt64) -> String { "delivered \(number)\n" }
    static func setAside(_ number: UInt64) -> String { "setaside \(number)\n" }
    static func forgiven(_ number: UInt64) -> String { "forgiven \(number)\n" }
    private static func latest(_ number: UInt64) -> String { "latest \(number)\n" }

    /// Everything that still means something, in as few lines as it takes.
    func text(keeping numbers: Set<UInt64>) -> String {
        var text = Self.header(log: log ?? "")
        text += Self.latest(latestNumber)
        if let active { text += Self.begin(inode: active.inode, at: active.began) }
        for number in entries.keys.sorted() where numbers.contains(number) {
            let entry = entries[number]!
            text += Self.archive(entry.name, ended: entry.ended, bytes: entry.bytes)
            if delivered.contains(number) { text += Self.delivered(number) }
            if setAside.contains(number) { text += Self.setAside(number) }
        }
        return text
    }

    /// Takes one more line, without its end.
    mutating func read(_ line: Substring, of name: LogFileName) {
        lines += 1
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        switch words.first {
        case "logbook-manifest":
            if words.count == 3, words[1] == "1", log == nil, !words[2].isEmpty { log = String(words[2]) }
        case "begin":
            guard words.count == 3, let inode = UInt64(words[1]), let began = Int64(words[2]) else { return }
            active = (inode, LogTime(nanoseconds: began))
        case "archive":
            guard words.count == 5, let number = UInt64(words[1]), let ended = Int64(words[3]), let bytes = Int(words[4]),
                let archive = ArchiveName(String(words[2]), of: name), archive.number == number, !archive.isCompressed
            else { return }
            entries[number] = Entry(name: archive, ended: LogTime(nanoseconds: ended), bytes: bytes)
            count(number)
        case "latest":
            if words.count == 2, let number = UInt64(words[1]) { count(number) }
        case "delivered":
            if words.count == 2, let number = UInt64(words[1]) { delivered.insert(number) }
        case "setaside":
            if words.count == 2, let number = UInt64(words[1]) { setAside.insert(number) }
        case "forgiven":
            if words.count == 2, let number = UInt64(words[1]) { setAside.remove(number) }
        default: break
        }
    }

    /// The next archive has a number of its own. A damaged line must not say one after which there is none.
    private mutating func count(_ number: UInt64) {
        if number < ArchiveName.maximumNumber { latestNumber = max(latestNumber, number) }
    }
}
