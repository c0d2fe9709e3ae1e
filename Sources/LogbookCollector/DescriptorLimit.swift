#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// How many descriptors this process may have open at the same time.
enum DescriptorLimit {
    #if canImport(Glibc)
        private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
    #else
        private static var resource: Int32 { RLIMIT_NOFILE }
    #endif

    private static var limits: rlimit? {
        var limits = rlimit()
        return getrlimit(resource, &limits) == 0 ? limits : nil
    }

    /// Now; `Int.max` where the system does not say.
    static var current: Int { limits.map { Int(clamping: $0.rlim_cur) } ?? .max }

    /// Lets this process have so many, as far as this user may; takes none from it.
    static func raise(to count: Int) {
        guard var limits else { return }
        #if canImport(Darwin)
            let most = min(limits.rlim_max, rlim_t(OPEN_MAX))   // beyond it the system refuses, whatever the other limit says
        #else
            let most = limits.rlim_max
        #endif
        let wanted = min(rlim_t(clamping: count), most)
        guard wanted > limits.rlim_cur else { return }
        limits.rlim_cur = wanted
        setrlimit(resource, &limits)
    }
}
