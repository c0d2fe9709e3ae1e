/// The first page of the file.
///
/// ```
/// magic     8  LBKFLGHT
/// version   4  1
/// zero      4
/// settled  16  the number of the last record that nobody needs to hand over, and its complement
/// settled  16  the same again: the two are written in turn, so that a kill leaves one of them whole
/// ```
/// The ring is the rest of the file: its size is the file's size without this page.
enum RingHeader {
    static let bytes = 4096
    static let magic = Array("LBKFLGHT".utf8)
    static let version: UInt32 = 1
    /// Offsets of the two marks.
    static let marks = [16, 32]

    /// The beginning of the page of a new ring in which nothing is settled.
    static var fresh: [UInt8] {
        var page = magic
        page.append(little: version)
        page.append(little: UInt32(0))
        for _ in marks {
            page.append(little: UInt64(0))
            page.append(little: UInt64.max)
        }
        return page
    }

    /// Records that a program can write: at a thousand million a second, what three centuries bring.
    static let numbers = 1...UInt64(Int64.max)

    /// What a mark says; nil for a damaged one.
    static func settled(_ number: UInt64, _ complement: UInt64) -> UInt64? {
        complement == ~number && number <= numbers.upperBound ? number : nil
    }

    enum Verdict: Equatable {
        /// Nothing was ever written: a new file, or one whose making was interrupted.
        case blank
        case ring(settled: UInt64)
        /// Ours, but too damaged to be read.
        case damaged
        case newer(version: UInt32)
        case foreign
    }

    static func verdict(on file: [UInt8]) -> Verdict {
        if file.prefix(bytes).allSatisfy({ $0 == 0 }) { return .blank }
        guard file.starts(with: magic) else { return .foreign }
        guard file.count > bytes else { return .damaged }
        let version = file[...].little(8, as: UInt32.self)
        if version > Self.version { return .newer(version: version) }
        guard version == Self.version else { return .damaged }
        let settled = marks.compactMap { offset in
            Self.settled(file[...].little(offset, as: UInt64.self), file[...].little(offset + 8, as: UInt64.self))
        }
        return settled.max().map { .ring(settled: $0) } ?? .damaged
    }
}
