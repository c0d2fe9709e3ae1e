internal import LogbookCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// What conditions ask about the machine.
protocol MachineState: Sendable {
    var isOnExternalPower: Bool { get }
    /// How full the battery is, `0...1`; nil without one.
    var battery: Double? { get }
    /// Per processor, over the last minute; nil when nobody knows.
    var load: Double? { get }
    /// The network costs by the byte.
    var isMetered: Bool { get }
}

/// The machine itself: power from `/sys/class/power_supply`, load from `getloadavg`, the network from NetworkManager.
struct LinuxMachine: MachineState {
    private let powerSupplies: String
    private let busPath: String?
    private let patience: Duration

    /// - Parameters:
    ///   - busPath: Where the message bus is; nil for where systems have it.
    ///   - patience: How long NetworkManager may take to answer.
    init(powerSupplies: String = "/sys/class/power_supply", busPath: String? = nil, patience: Duration = .seconds(1)) {
        self.powerSupplies = powerSupplies
        self.busPath = busPath
        self.patience = patience
    }

    /// Folders of supplies, by kind: `Mains`, `USB` or `Battery`; batteries of mice and the like left out.
    private func supplies(_ kind: String) -> [String] {
        let files = SystemFileSystem()
        guard let folder = try? files.openFolder(at: powerSupplies) else { return [] }
        defer { files.close(folder) }
        return ((try? files.names(in: folder)) ?? []).filter { name in
            text("\(name)/type") == kind && text("\(name)/scope") != "Device"
        }
    }

    private func text(_ name: String) -> String? {
        guard let file = fopen("\(powerSupplies)/\(name)", "re") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count].prefix { $0 > 0x20 }, as: UTF8.self)
    }

    var isOnExternalPower: Bool {
        let batteries = supplies("Battery")
        if batteries.isEmpty { return true }
        return (supplies("Mains") + supplies("USB")).contains { text("\($0)/online") == "1" }
            || batteries.allSatisfy { ["Charging", "Full"].contains(text("\($0)/status")) }
    }

    var battery: Double? {
        let shares = supplies("Battery").compactMap { text("\($0)/capacity").flatMap(Double.init) }
        return shares.isEmpty ? nil : shares.reduce(0, +) / Double(shares.count) / 100
    }

    var load: Double? {
        var averages = [0.0]
        guard getloadavg(&averages, 1) == 1 else { return nil }
        return averages[0] / Double(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    }

    /// Where there is no NetworkManager, or it does not know, nothing is metered.
    var isMetered: Bool {
        #if os(Linux)
            do throws(SystemBus.Failure) {
                let bus = try SystemBus(at: busPath ?? SystemBus.path, by: .after(patience))
                let state = try bus.number(
                    "Metered", of: "org.freedesktop.NetworkManager", at: "/org/freedesktop/NetworkManager",
                    from: "org.freedesktop.NetworkManager")
                // NMMetered: 0 unknown, 1 yes, 2 no, 3 probably, 4 probably not.
                return state == 1 || state == 3
            } catch { return false }
        #else
            return false
        #endif
    }
}
