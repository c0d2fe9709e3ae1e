#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A child made by `fork`, which Swift does not let one call by its name.
///
/// Whatever another thread does for the first time in its process at that moment (find a conformance, make a generic type), it does
/// under locks of Swift's own runtime, which nobody hands over to a child. So tests have done everything once before they fork.
package struct ForkedChild {
    package let identifier: Int32

    /// - Parameter body: What the child does; it ends with 0 where that is true and with 1 where it is not.
    package init(_ body: () -> Bool) {
        typealias Fork = @convention(c) () -> pid_t
        identifier = unsafeBitCast(dlsym(nil, "fork"), to: Fork.self)()
        if identifier == 0 {
            var signals = sigset_t()   // the pool's threads, one of which forked, block all of them
            sigemptyset(&signals)
            pthread_sigmask(SIG_SETMASK, &signals, nil)
            alarm(60)
            _exit(body() ? 0 : 1)
        }
    }

    /// - Returns: The status of the child, that of `SIGALRM` for one that blocks.
    package func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
        return status
    }
}

/// - Returns: The status of a child that does this.
package func forked(_ child: () -> Bool) -> Int32 { ForkedChild(child).wait() }
