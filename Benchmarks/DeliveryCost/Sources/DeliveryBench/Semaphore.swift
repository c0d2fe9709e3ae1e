#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Lets so many in at a time.
final class Semaphore: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    init(_ count: Int) { sem_init(semaphore, 0, UInt32(count)) }
    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }
    func wait() { while sem_wait(semaphore) != 0 {} }
    func signal() { sem_post(semaphore) }
}
