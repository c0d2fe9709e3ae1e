#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// What a sanitizer changes for a test that looks at its process from outside.
package enum Sanitizer {
    /// The address sanitizer sets aside what is freed, up to 256 MiB: how much memory a program takes says nothing of the program then.
    package static let keepsWhatIsFreed = dlsym(dlopen(nil, RTLD_NOW), "__asan_init") != nil
    /// The same of the programs that a test starts: not where it is told of others than those beside it.
    package static let keepsWhatProgramsFree = keepsWhatIsFreed && getenv(ChildProcess.programsVariable) == nil
    private static let looksAtThreads = dlsym(dlopen(nil, RTLD_NOW), "__tsan_init") != nil
    /// How many of many rounds a test makes: a tenth where the thread sanitizer looks, to which each takes ten times as long and which sees in
    /// a few what it sees in all.
    package static func share(of rounds: Int) -> Int { looksAtThreads ? max(1, rounds / 10) : rounds }
}
