extension LogService {
    /// Lets go of the providers that a forked child has from its parent, so that it can register its own.
    ///
    /// In a child that was forked and runs no other program, the parent's providers take nothing: what is logged is dropped and
    /// counted as ``DropReason/forkChild``, in accounts that begin at the fork; flush, shutdown and the program's end leave them
    /// alone. Providers that the child registers work, before or after this call; make new ones, with files and an origin of their
    /// own. In a process that was not forked this does nothing.
    ///
    /// Like everything that allocates, this needs a fork that `pthread_atfork` sees, as `fork()` is.
    public func reinitializeAfterFork() {
        // Never let go of for good: closing a file or a store here would close the parent's.
        for inherited in removeInherited() { _ = Unmanaged.passRetained(inherited) }
    }
}
