import Foundation
import LogbookCore
import LogbookTestKit
import Testing

@testable import LogbookPipe

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

#if os(Linux)
    /// From here on no file may be larger, and what tries fails.
    private func limitFileSizes(to bytes: UInt) {
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: bytes, rlim_max: .max)
        #expect(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
    }
#endif

@Suite struct OutputFileTests {
    @Test func aReaderIsWaitedForAlsoWhereStandardOutputIsNotToBlock() async {
        await #expect(processExitsWith: .success) {
            let ends = Unshared.pipe(), count = 1 << 20
            #expect(fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0 && dup2(ends[1], 1) == 1)
            close(ends[1])
            // More than a pipe holds.
            LogThread.start("writer") {
                try? OutputFile("-").write([UInt8](repeating: 0x78, count: count))
                close(1)
            }
            var buffer = [UInt8](repeating: 0, count: 4096), bytes = 0
            while case let found = read(ends[0], &buffer, buffer.count), found > 0 { bytes += found }
            #expect(bytes == count)
        }
    }

    #if os(Linux)
        @Test func whatCannotAllBeWrittenLeavesNoHalfALine() async throws {
            let folder = TemporaryFolder(), path = folder("undelivered")
            await #expect(processExitsWith: .success) { [path = path as String] in
                let file = try OutputFile(whenNeeded: path)
                try file.write(Array("first\n".utf8))
                limitFileSizes(to: 50)
                #expect(throws: PipeError.self) { try file.write(Array(repeating: 0x78, count: 100)) }
                limitFileSizes(to: .max)
                try file.write(Array("second\n".utf8))
            }
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "first\nsecond\n")
        }

        @Test func whatAnotherProcessHasWrittenMeanwhileIsNotTakenBack() async throws {
            let folder = TemporaryFolder(), path = folder("undelivered")
            await #expect(processExitsWith: .success) { [path = path as String] in
                let file = try OutputFile(whenNeeded: path)
                try file.write(Array("first\n".utf8))
                let other = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
                defer { close(other) }
                limitFileSizes(to: 50)
                #expect(throws: PipeError.self) {
                    try file.write(Array(repeating: 0x78, count: 100), whenOpened: { #expect(write(other, "other\n", 6) == 6) })
                }
                limitFileSizes(to: .max)
                try file.write(Array("second\n".utf8))
            }
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "first\nother\nsecond\n")
        }
    #endif
}
