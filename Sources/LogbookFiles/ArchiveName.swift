internal import LogbookCore
internal import LogbookFormat

/// The name of a file that was rolled: `app-00000042-20251121T102920.123Z.log`.
///
/// The number counts up for good, so names sort in the order of creation even when the clock jumps; the time, in UTC, is when
/// the file was closed. A compressed archive's name has `.gz` behind it. Only what matches to the letter is ever taken for ours.
struct ArchiveName: Sendable, Hashable, Comparable {
    static let compressedSuffix = ".gz"

    let text: String
    let number: UInt64
    let isCompressed: Bool

    init(number: UInt64, rolledAt time: LogTime, of name: LogFileName) {
        let civil = CivilTime(time, in: .utc)
        var bytes: [UInt8] = []
        bytes.append(utf8Of: name.base)
        bytes.append(0x2D)
        bytes.append(decimal: Int(number), width: Self.minimumDigits)
        bytes.append(0x2D)
        bytes.append(decimal: civil.year, width: 4)
        bytes.append(decimal: civil.month, width: 2)
        bytes.append(decimal: civil.day, width: 2)
        bytes.append(0x54)
        bytes.append(decimal: civil.hour, width: 2)
        bytes.append(decimal: civil.minute, width: 2)
        bytes.append(decimal: civil.second, width: 2)
        bytes.append(0x2E)
        bytes.append(decimal: civil.nanosecond / 1_000_000, width: 3)
        bytes.append(0x5A)
        bytes.append(utf8Of: LogFileName.suffix)
        text = String(decoding: bytes, as: UTF8.self)
        self.number = number
        isCompressed = false
    }

    private init(text: String, number: UInt64, isCompressed: Bool) {
        self.text = text
        self.number = number
        self.isCompressed = isCompressed
    }

    /// The name of the same archive as it was rolled.
    var plain: ArchiveName {
        isCompressed
            ? ArchiveName(
                text: String(text.dropLast(Self.compressedSuffix.count)), number: number, isCompressed: false) : self
    }
    /// The name of the same archive once it is compressed.
    var compressed: ArchiveName {
        isCompressed ? self : ArchiveName(text: text + Self.compressedSuffix, number: number, isCompressed: true)
    }
    /// What the compressed archive is called until it is whole: `.app-00000042-20251121T102920.123Z.log.gz.part`.
    var part: String { "." + compressed.text + ".part" }

    /// Nil unless `text` is an archive's name of `name`, to the letter.
    init?(_ text: String, of name: LogFileName) {
        guard text.hasPrefix(name.base + "-") else { return nil }
        let rest = text.utf8.dropFirst(name.base.utf8.count + 1)
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        // Larger numbers than the eight digits hold come without leading zeros, so each number has one spelling.
        guard (Self.minimumDigits...Self.maximumDigits).contains(digits.count),
            digits.count == Self.minimumDigits || digits.first != 0x30,
            let number = UInt64(Substring(digits))
        else { return nil }
        let isCompressed = text.hasSuffix(Self.compressedSuffix)
        let stamp = rest.dropFirst(digits.count).dropLast(isCompressed ? Self.compressedSuffix.utf8.count : 0)
        guard stamp.count == Self.stampPattern.count,
            zip(stamp, Self.stampPattern).allSatisfy({ byte, pattern in
                pattern == 0x30 ? (0x30...0x39).contains(byte) : byte == pattern
            })
        else { return nil }
        self.text = text
        self.number = number
        self.isCompressed = isCompressed
    }

    /// The largest number whose name can be read back. No log comes near it: a number that leaves no next one is a stranger's, or damage.
    static let maximumNumber: UInt64 = 999_999_999_999_999
    private static let minimumDigits = 8
    private static let maximumDigits = 15
    /// `0` stands for any digit.
    private static let stampPattern = Array("-00000000T000000.000Z.log".utf8)

    static func < (left: ArchiveName, right: ArchiveName) -> Bool {
        (left.number, left.text) < (right.number, right.text)
    }
}
