#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// A body that stays where it is until it is sent.
public struct HTTPBodyStream: Sendable, Hashable {
    /// Names the content: equal names are equal bodies.
    public let name: String
    /// The length, which is announced before the first byte is read; nil where it is known only at the end. Such a body is sent in
    /// chunks, which some receivers do not take.
    public let bytes: Int?
    private let opener: @Sendable () throws -> any HTTPBodyReader

    /// - Parameters:
    ///   - bytes: The length.
    ///   - reader: Reads from an offset into the buffer and says how many bytes it gave, at least one before the end. Called on
    ///     the transport's thread; offsets go up, and back to the beginning when the body has to be sent again. An error, or
    ///     nothing before the end, gives the request up with ``HTTPFailure/unreadableBody(_:)``, or the ``HTTPFailure`` that it is.
    public init(
        name: String, bytes: Int,
        reading reader: @escaping @Sendable (_ buffer: UnsafeMutableRawBufferPointer, _ offset: Int) throws -> Int
    ) {
        self.name = name
        self.bytes = bytes
        opener = { ReaderByOffset(reader) }
    }

    /// A body of unknown length.
    /// - Parameter opener: Begins to read the body, from its first byte; called again when it has to be sent again. An error, of it or
    ///   of its reader, gives the request up with ``HTTPFailure/unreadableBody(_:)``, or the ``HTTPFailure`` that it is.
    public init(name: String, opening opener: @escaping @Sendable () throws -> any HTTPBodyReader) {
        self.name = name
        bytes = nil
        self.opener = opener
    }

    /// What a descriptor holds from its beginning on, whatever its own position is. It must stay open until the request is over,
    /// and whoever sends the body again needs it to hold the same.
    /// - Parameter descriptor: Of a file; pipes and sockets cannot be read twice.
    public static func descriptor(_ descriptor: Int32, name: String, bytes: Int) -> HTTPBodyStream {
        HTTPBodyStream(name: name, bytes: bytes) { buffer, offset in
            while true {
                let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
                if count >= 0 { return count }
                if errno != EINTR { throw HTTPFailure.unreadableBody("errno \(errno)") }
            }
        }
    }

    /// Begins to read the body, from its first byte.
    public func open() throws -> any HTTPBodyReader { try opener() }

    public static func == (left: HTTPBodyStream, right: HTTPBodyStream) -> Bool {
        left.name == right.name && left.bytes == right.bytes
    }
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(bytes)
    }
}

/// A body that is being read, from its first byte to its last. Belongs to one thread.
public protocol HTTPBodyReader: AnyObject {
    /// - Returns: How many bytes were read, `1...buffer.count`; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
}

private final class ReaderByOffset: HTTPBodyReader {
    private let reader: @Sendable (UnsafeMutableRawBufferPointer, Int) throws -> Int
    private var offset = 0

    init(_ reader: @escaping @Sendable (UnsafeMutableRawBufferPointer, Int) throws -> Int) { self.reader = reader }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let count = try reader(buffer, offset)
        offset += count
        return count
    }
}
