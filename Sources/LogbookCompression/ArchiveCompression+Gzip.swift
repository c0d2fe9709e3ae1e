internal import LogbookGzip
public import LogbookFiles

extension ArchiveCompression {
    /// gzip at its fastest level, which is what logs want: `app-00000042-20251121T102920.123Z.log.gz`.
    public static let gzip = ArchiveCompression(
        suffix: ".gz", encoding: "gzip",
        compressing: { GzipCodec(try GzipStream.compressing()) }, inflating: { GzipCodec(try GzipStream.inflating()) })
}

private struct GzipCodec: StreamCodec {
    let stream: GzipStream
    init(_ stream: GzipStream) { self.stream = stream }

    func take(
        _ bytes: UnsafeRawBufferPointer, isLast: Bool, _ output: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try stream.take(bytes, isLast: isLast, output)
    }
}
