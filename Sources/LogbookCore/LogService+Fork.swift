extension LogService {
    /// Lets go of the providers that a forked child has from its parent, so that it can register its own.
    ///
    /// In a child that was forked and runs no other program, the parent's providers take nothing: what is logged is dropped and
    /// counted as ``DropReason/forkChild``, in accounts that begin at the fork; flush, shutdown and the program's end leave them
    /// alone. Providers that the child registers work, before or after this call; make new ones, with files and an origin of their
    /// own. A configuration that the child applies makes its own, and needs no such call. In a process that was not forked this does
    /// nothing.
    ///
    /// Like everything that allocates, this needs a fork that `pthread_atfork` sees, as `fork()` is.
    public func reinitializeAfterFork() { Self.keepInherited(removeInherited()) }

    /// Never lets go of those that a forked child has from its parent: closing a file or a store here would close the parent's.
    static func keepInherited(_ registrations: [LogRegistration]) {
        for inherited in registrations where !inherited.isOfThisProcess { _ = Unmanaged.passRetained(inherited) }
    }
}
