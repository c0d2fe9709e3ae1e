#if Transactions
import LogbookTestKit
import Testing

@testable import LogbookTransactions

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite struct StoreFileTests {
    private let folder = TemporaryFolder()

    @Test("whose store it is that another process has open is read through no link, and from no pipe, that somebody has put there")
    func whatIsPlanted() throws {
        let identity = StoreIdentity(installation: "I", epoch: 7), other = folder("other"), lock = folder.store + ".lock"
        let file = try StoreFile(other)
        file.remember(identity)
        #expect(StoreFile.identityInLock(of: other) == identity)
        #expect(symlink(other + ".lock", lock) == 0)
        #expect(StoreFile.identityInLock(of: folder.store) == nil)
        #expect(unlink(lock) == 0 && mkfifo(lock, 0o600) == 0)
        #expect(StoreFile.identityInLock(of: folder.store) == nil)
        withExtendedLifetime(file) {}
    }

    @Test(
        "row 18: what has the store's name, or a lane's, and is no file is refused, and neither followed, nor waited for, nor changed",
        arguments: ["ln -s other", "mkfifo", "mkdir"])
    func whatIsNoFile(command: String) throws {
        try TransactionStore(path: folder("other")).close()
        _ = shell("cd '\(folder.path)' && \(command) store.sqlite")
        let refusal = TransactionStoreError.cannotOpen(
            path: folder.store,
            reason: command.hasPrefix("ln") ? "it is a link; give the path of the file itself" : "it is a pipe, a device or a folder, and no file")
        #expect(throws: refusal) { try TransactionStore(path: folder.store) }
        #expect(folder.names(in: ".").filter { $0.hasPrefix("store") } == ["store.sqlite"])
        #expect(LogoutMark.current(in: folder.store) == nil)

        _ = shell("cd '\(folder.path)' && mv store.sqlite mine.sqlite.lane-1")
        let lanes = try StoreLanes(at: folder("mine.sqlite"), sharing: .siblings, clock: .system) { file throws(TransactionStoreError) in
            try TransactionStore(file)
        }
        lanes.look()
        #expect(lanes.unopened?.cause.contains("it is a ") == true)
        lanes.close()
    }

    @Test func aLockThatCannotBeTakenIsNamed() {
        folder.makeFolder("store.sqlite.lock")
        let failure = TransactionStoreError.cannotOpen(
            path: folder.store, reason: "\(folder.store).lock: Is a directory (errno \(EISDIR))")
        #expect(throws: failure) { try StoreFile(folder.store) }
    }
}
#endif
