internal import CLogbookSystem
package import LogbookCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A page on which losses are recorded, and what a later run would find there.
package final class PageInMemory: Sendable {
    package let page: LossPage
    private let folder = TemporaryFolder(inMemory: true)
    private let file: Int32
    package static let boot = "0123456789abcdef0123456789abcdef0123"

    /// - Parameter dirty: What stands everywhere on it before it is begun.
    package init(at time: LogTime = LogTime(seconds: 1), dirty: UInt8 = 0) {
        file = open(folder("page"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        precondition(file >= 0 && ftruncate(file, off_t(LossPage.bytes)) == 0, "cannot make a page in memory")
        let memory = mmap(nil, LossPage.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)!
        memset(memory, Int32(dirty), LossPage.bytes)
        guard let kept = logbook_keep_from_children(memory, LossPage.bytes, -1) else { preconditionFailure("no memory") }
        let address = UInt(bitPattern: kept)
        page = LossPage(memory, boot: Self.boot, at: time) { logbook_let_go(OpaquePointer(bitPattern: address)) }
    }

    deinit { close(file) }

    /// By a system call, as another process reads them.
    package var bytes: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: LossPage.bytes)
        precondition(pread(file, &bytes, bytes.count, 0) == bytes.count, "cannot read the page")
        return bytes
    }

    /// What a run finds that begins now; nil where it finds no record.
    package func losses(boot: String = boot) -> [LossRecord]? {
        if case .record(let losses) = LossPage.verdict(on: bytes, boot: boot) { losses } else { nil }
    }
}
