internal import LogbookCore
internal import LogbookGzip
public import LogbookFiles

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

extension ArchiveCompression {
    /// gzip at its fastest level, which is what logs want: `app-00000042-20251121T102920.123Z.log.gz`.
    public static let gzip = ArchiveCompression(
        suffix: ".gz", encoding: "gzip",
        compressing: { try GzipCodec { try GzipStream.compressing() } }, inflating: { try GzipCodec { try GzipStream.inflating() } })
}

private struct GzipCodec: StreamCodec {
    let stream: GzipStream
    init(_ begin: () throws -> GzipStream) throws { stream = try Self.naming(begin) }

    func take(
        _ bytes: UnsafeRawBufferPointer, isLast: Bool, _ output: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try Self.naming { try stream.take(bytes, isLast: isLast, output) }
    }

    /// A lack of memory is the machine's, and passes: the file is not damaged for it.
    private static func naming<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch GzipError.outOfMemory { throw SystemError(ENOMEM, in: "zlib") }
    }
}
