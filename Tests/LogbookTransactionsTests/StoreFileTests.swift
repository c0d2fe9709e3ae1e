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

    @Test func aLockThatCannotBeTakenIsNamed() {
        folder.makeFolder("store.sqlite.lock")
        let failure = TransactionStoreError.cannotOpen(
            path: folder.store, reason: "\(folder.store).lock: Is a directory (errno \(EISDIR))")
        #expect(throws: failure) { try StoreFile(folder.store) }
    }
}
#endif
