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

    @Test("a file that is removed or replaced before it is locked is no lock: the next of its name is", arguments: [false, true])
    func aFileThatLosesItsName(isReplaced: Bool) throws {
        let path = folder("lock")
        var openings = 0
        let lock = try FileLock(path) {
            openings += 1
            guard openings == 1 else { return }
            unlink(path)
            if isReplaced { close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)) }
        }
        #expect(lock != nil && openings == 2)
        #expect(try FileLock(path) == nil)
        withExtendedLifetime(lock) {}
    }

    @Test func whoLocksTheNextFileOfTheNameSoonerHasIt() throws {
        let path = folder("lock")
        var other: FileLock?
        let lock = try FileLock(path) {
            if other != nil { return }
            unlink(path)
            other = try? FileLock(path)
        }
        #expect(other != nil && lock == nil)
        withExtendedLifetime(other) {}
    }

    @Test func oneThatIsRemovedEachTimeIsGivenUp() {
        let path = folder("lock")
        var openings = 0
        #expect(throws: SystemError(EAGAIN, in: "flock")) {
            try FileLock(path) {
                openings += 1
                unlink(path)
            }
        }
        #expect(openings == FileLock.maximumOpenings)
    }

    @Test func aLinkInItsPlaceIsNotFollowed() throws {
        #expect(symlink(folder("elsewhere"), folder("lock")) == 0)
        #expect(throws: SystemError(ELOOP, in: "openat")) { try FileLock(folder("lock")) }
        #expect(access(folder("elsewhere"), F_OK) != 0)
    }

    @Test("what its holder has written is read without it, through no link and from no pipe")
    func whatIsWritten() throws {
        let lock = try #require(try FileLock(folder("lock")))
        #expect(pwrite(lock.descriptor, "mine", 4, 0) == 4)
        func text(_ name: String) -> String? {
            FileLock.read(folder(name)) { descriptor in
                var bytes = [UInt8](repeating: 0, count: 8)
                let count = pread(descriptor, &bytes, bytes.count, 0)
                return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
            }
        }
        #expect(symlink(folder("lock"), folder("link")) == 0 && mkfifo(folder("pipe"), 0o600) == 0)
        #expect(["lock", "link", "pipe", "none"].map(text) == ["mine", nil, nil, nil])
        withExtendedLifetime(lock) {}
    }

    @Test func aPipeInItsPlaceIsNoLock() {
        #expect(mkfifo(folder("lock"), 0o600) == 0)
        #expect(throws: SystemError(EINVAL, in: "flock")) { try FileLock(folder("lock")) }
    }

    @Test func whatCannotBeOpenedIsSaid() {
        #expect(throws: SystemError(ENOENT, in: "openat")) { try FileLock(folder("no/lock")) }
    }
}
