// HOT PATH — made where the call stands: two addresses, and a number that the compiler knows.

/// Where in the program a call stands.
@usableFromInline
struct CallSite {
    @usableFromInline let file: UnsafePointer<UInt8>, function: UnsafePointer<UInt8>
    /// The line in the lower half; then the bytes of the file's name and of the function's, in 16 bits each.
    @usableFromInline let numbers: UInt64

    /// Nil for the rare literal that is a lone scalar and lies nowhere, and for names of 64 KiB.
    @inlinable
    @inline(__always)
    init?(_ file: StaticString, _ function: StaticString, _ line: UInt32) {
        guard file.hasPointerRepresentation, function.hasPointerRepresentation,
            (file.utf8CodeUnitCount | function.utf8CodeUnitCount) >> 16 == 0
        else { return nil }
        self.file = file.utf8Start
        self.function = function.utf8Start
        numbers =
            UInt64(line) | UInt64(truncatingIfNeeded: file.utf8CodeUnitCount) << 32
            | UInt64(truncatingIfNeeded: function.utf8CodeUnitCount) << 48
    }

    @inline(__always)
    var line: UInt32 { UInt32(truncatingIfNeeded: numbers) }

    /// The names as a record carries them, each with its address and length in one word; nil where no program is loaded today.
    @inline(__always)
    var words: Words? {
        let words = Words(site: self)
        return (words.fileAddress | words.functionAddress) >> 48 == 0 ? words : nil
    }

    /// Made where they are stored: on the way there they would be two values more to keep.
    struct Words {
        fileprivate let site: CallSite

        @inline(__always)
        fileprivate var fileAddress: UInt64 { UInt64(UInt(bitPattern: site.file)) }
        @inline(__always)
        fileprivate var functionAddress: UInt64 { UInt64(UInt(bitPattern: site.function)) }
        @inline(__always)
        var file: UInt64 { fileAddress << 16 | site.numbers >> 32 & 0xFFFF }
        @inline(__always)
        var function: UInt64 { functionAddress << 16 | site.numbers >> 48 }
    }

    var source: LogSource {
        LogSource(
            file: StaticText(start: file, count: Int(numbers >> 32 & 0xFFFF)),
            function: StaticText(start: function, count: Int(numbers >> 48)), line: line)
    }
}
