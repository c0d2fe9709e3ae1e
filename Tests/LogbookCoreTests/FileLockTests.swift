import LogbookTestKit
import Testing

@testable import LogbookCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite struct FileLockTests {
    private let folder = TemporaryFolder()

    @Test func oneAtATimeHoldsIt() throws {
        var first = try FileLock(folder("lock"))
        #expect(first != nil)
        #expect(try FileLock(folder("lock")) == nil)
        first = nil
        #expect(try FileLock(folder("lock")) != nil)
    }

    @Test("it is free at once, though a child that is just being started has the descriptor too")
    func aChildDoesNotKeepIt() throws {
        var first = try FileLock(folder("lock"))
        let inherited = dup(try #require(first).descriptor)
        defer { close(inherited) }
        first = nil
        #expect(try FileLock(folder("lock")) != nil)
    }

    @Test func whatCannotBeOpenedIsSaid() {
        #expect(throws: SystemError(ENOENT, in: "openat")) { try FileLock(folder("no/lock")) }
    }
}
