internal import LogbookCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

extension SystemError {
    /// Whether the next archive may fare better: not where there are no descriptors left, or no memory.
    var isAboutOneArchive: Bool { ![EMFILE, ENFILE, ENOMEM].contains(number) }

    /// No new file has room either.
    var isFullDisk: Bool { [ENOSPC, EDQUOT].contains(number) }
}
