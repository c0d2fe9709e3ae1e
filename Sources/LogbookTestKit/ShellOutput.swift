#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// What a shell command prints. It inherits what any program would that a user's program starts, unlike a ``ChildProcess``.
@discardableResult
package func output(of command: String) -> String {
    #if canImport(Darwin)
        let mode = "r"
    #else
        let mode = "re"   // our end of the pipe is no other program's
    #endif
    guard let stream = popen(command, mode) else { return "" }
    defer { pclose(stream) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
        let count = fread(&buffer, 1, buffer.count, stream)
        if count == 0 { return String(decoding: bytes, as: UTF8.self) }
        bytes += buffer[..<count]
    }
}
