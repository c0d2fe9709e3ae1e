#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

#if os(Linux)
    /// A terminal at whose other end nobody reads.
    final class Terminal {
        let input: Int32
        private let output: Int32

        /// Nil where the machine has none to give.
        init?() {
            let (getNumber, lock) = (UInt(0x8004_5430), UInt(0x4004_5431))   // TIOCGPTN and TIOCSPTLCK
            var number: UInt32 = 0, isLocked: Int32 = 0
            output = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
            guard output >= 0, ioctl(output, lock, &isLocked) == 0, ioctl(output, getNumber, &number) == 0 else { return nil }
            input = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
            if input < 0 { return nil }
        }

        /// Makes it the terminal of this process, which then gets SIGHUP when it is closed.
        func becomeControlling() -> Bool { setsid() > 0 && ioctl(input, UInt(0x540E), 0) == 0 }   // TIOCSCTTY

        deinit {
            close(input)
            close(output)
        }
    }
#endif
