#if Collector
    internal import LogbookCore
    #if canImport(Darwin)
        internal import Darwin
    #elseif canImport(Glibc)
        internal import Glibc
    #elseif canImport(Musl)
        internal import Musl
    #endif

    /// What a descriptor gives, which may be a file, a pipe or a terminal.
    enum Input {
        /// Waits for the next bytes; none at the end.
        static func next(_ maximumBytes: Int, from descriptor: Int32) throws(SystemError) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: maximumBytes)
            while true {
                let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
                if count >= 0 { return Array(bytes[..<count]) }
                switch errno {
                case EINTR: continue
                case EAGAIN:   // who shares the descriptor has made it one that does not wait
                    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                    _ = poll(&entry, 1, -1)
                default: throw SystemError(errno, in: "read")
                }
            }
        }
    }
#endif
