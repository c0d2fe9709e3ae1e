#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The machine a transaction ran on, as every set and every request names it.
public struct DeviceFacts: Sendable, Hashable {
    /// Hardware model: `Raspberry Pi 4 Model B Rev 1.4`, `KVM`, `iPhone7,2`; the processor architecture when nothing says.
    public let make: String
    /// Operating system: `Debian GNU/Linux`, `iPhone OS`.
    public let os: String
    /// Its version: `12`, `8.1.2`.
    public let osVersion: String

    public init(make: String, os: String, osVersion: String) {
        self.make = make
        self.os = os
        self.osVersion = osVersion
    }

    /// What this machine says about itself: device tree or DMI for the model, `os-release` for the system, `uname` where they
    /// are silent. Read once.
    public static let current: DeviceFacts = {
        var names = utsname()
        uname(&names)
        let release = systemRelease()
        return DeviceFacts(
            make: firstLine(of: "/proc/device-tree/model") ?? firstLine(of: "/sys/class/dmi/id/product_name")
                ?? text(names.machine),
            os: release["NAME"] ?? text(names.sysname),
            osVersion: release["VERSION_ID"] ?? text(names.release))
    }()

    static func systemRelease() -> [String: String] {
        var found: [String: String] = [:]
        let lines = content(of: "/etc/os-release") ?? content(of: "/usr/lib/os-release") ?? ""
        for line in lines.split(separator: "\n") {
            guard let equals = line.firstIndex(of: "=") else { continue }
            var value = line[line.index(after: equals)...]
            if value.count >= 2, let quote = value.first, quote == "\"" || quote == "'", value.last == quote {
                value = value.dropFirst().dropLast()
            }
            found[String(line[..<equals])] = String(value)
        }
        return found
    }

    /// The first line of a small file; nil where it cannot be read or is empty.
    package static func firstLine(of path: String) -> String? {
        let line = content(of: path)?.prefix { $0 != "\n" && $0 != "\0" }
        return line.flatMap { $0.isEmpty ? nil : String($0) }
    }

    private static func content(of path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = fread(&bytes, 1, bytes.count, file)
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }

    /// Text of a C character array that came in as a tuple.
    private static func text<Tuple>(_ characters: Tuple) -> String {
        withUnsafeBytes(of: characters) { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
