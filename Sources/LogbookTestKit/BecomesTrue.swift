package import LogbookCore
#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Looks again and again until it is so.
/// - Returns: False when it was not before the deadline.
package func becomesTrue(by deadline: LogDeadline = .seconds(60), _ isTrue: () throws -> Bool) rethrows -> Bool {
    while try !isTrue() {
        if deadline.hasPassed { return false }
        usleep(5000)
    }
    return true
}
