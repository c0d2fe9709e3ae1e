import CLogbookSystem
import LogbookCore
import LogbookTestKit
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A program keeps its own disposition for the signals of writing, and is not ended by ours.
@Suite struct WriteSignalsTests {
    @Test("a reader that goes while a pipe takes the rest of what is written ends no program")
    func aReaderThatGoesInTheMiddle() async {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_DFL)
            let ends = Unshared.pipe(), reader = ends[0], bytes = [UInt8](repeating: 0x78, count: 1 << 20)
            LogThread.start("reader") {
                var taken = [UInt8](repeating: 0, count: 8192)
                _ = read(reader, &taken, taken.count)
                // The pipe is full, and who writes to it waits.
                var waiting: Int32 = 0
                while waiting < 32 << 10 { _ = ioctl(reader, UInt(FIONREAD), &waiting) }
                close(reader)
            }
            let written = logbook_write(ends[1], bytes, bytes.count)
            #expect(written > 0 && written < bytes.count)
            #expect(logbook_write(ends[1], bytes, bytes.count) == -1 && errno == EPIPE)
        }
    }
}
