#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// This process's environment.
enum Environment {
    static func set(_ name: String, _ value: String) { setenv(name, value, 1) }
    static func unset(_ name: String) { unsetenv(name) }
}
