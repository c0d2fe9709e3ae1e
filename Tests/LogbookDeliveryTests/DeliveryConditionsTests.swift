import LogbookCore
import LogbookFormat
import LogbookHTTP
import LogbookTestKit
import Testing

@testable import LogbookDelivery

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A machine as a test wants it.
private struct FakeMachine: MachineState {
    var isOnExternalPower = true
    var battery: Double?
    var load: Double?
    var isMetered = false
}

/// Each has a value outside its range.
private let wrongConditions = [
    DeliveryConditions(minimumBattery: 20), DeliveryConditions(minimumBattery: Double.nan), DeliveryConditions(maximumLoad: -1),
    DeliveryConditions(maximumLoad: Double.nan), DeliveryConditions(hours: (9, 9)), DeliveryConditions(hours: (9, 25)),
    DeliveryConditions(hours: (-1, 9)),
]

private func use(_ conditions: DeliveryConditions) {
    _ = Courier(
        name: "test", source: MemoryParcels(), destination: StatusDestination(), transport: ScriptedTransport(.status(200)),
        conditions: conditions)
}

@Suite struct DeliveryConditionsTests {
    private let folder = TemporaryFolder()
    private let now = LogTime(seconds: 1_763_720_960)  // 10:29:20 UTC

    @Test("D1: each condition closes by itself, and says so")
    func conditions() {
        func obstacle(_ conditions: DeliveryConditions, _ machine: FakeMachine = FakeMachine()) -> String? {
            conditions.obstacle(on: machine, at: now)
        }
        let away = FakeMachine(isOnExternalPower: false, battery: 0.01, load: 99, isMetered: true)
        #expect(obstacle(.none, away) == nil)
        #expect(obstacle(DeliveryConditions(needsExternalPower: true)) == nil)
        #expect(obstacle(DeliveryConditions(needsExternalPower: true), away) == "the machine runs on its battery")
        #expect(obstacle(DeliveryConditions(minimumBattery: 0.5)) == nil)
        #expect(obstacle(DeliveryConditions(minimumBattery: 0.5), FakeMachine(battery: 0.5)) == nil)
        #expect(obstacle(DeliveryConditions(minimumBattery: 0.5), FakeMachine(battery: 0.49)) == "the battery is too low")
        #expect(obstacle(DeliveryConditions(maximumLoad: 1)) == nil)
        #expect(obstacle(DeliveryConditions(maximumLoad: 1), FakeMachine(load: 1.1)) == "the machine is too busy")
        #expect(obstacle(DeliveryConditions(needsUnmeteredNetwork: true)) == nil)
        #expect(obstacle(DeliveryConditions(needsUnmeteredNetwork: true), away) == "the network costs by the byte")
        #expect(obstacle(DeliveryConditions(hours: (10, 11), zone: .utc)) == nil)
        #expect(obstacle(DeliveryConditions(hours: (11, 12), zone: .utc)) == "the hour is not between 11 and 12")
        #expect(obstacle(DeliveryConditions(hours: (22, 11), zone: .utc)) == nil)
        #expect(obstacle(DeliveryConditions(hours: (22, 6), zone: .utc)) == "the hour is not between 22 and 6")
        #expect(obstacle(DeliveryConditions(custom: { true })) == nil)
        #expect(obstacle(DeliveryConditions(custom: { false })) == "the program's own condition does not hold")
    }

    @Test("D1: a value outside its range ends the program when the conditions are put to use", arguments: 0..<7)
    func outsideTheRange(number: Int) async {
        await #expect(processExitsWith: .failure) { [number = number as Int] in use(wrongConditions[number]) }
    }

    @Test func withinTheRange() {
        use(DeliveryConditions(minimumBattery: 0, maximumLoad: 0, hours: (0, 23)))
        use(DeliveryConditions(minimumBattery: 1, maximumLoad: .infinity, hours: (23, 0)))
    }

    @Test("D2: what waits is overdue after the longest deferral, whatever a clock said")
    func overdue() {
        let conditions = DeliveryConditions(maximumDeferral: .seconds(60))
        #expect(!conditions.isOverdue(since: now.adding(.seconds(-59)), at: now))
        #expect(conditions.isOverdue(since: now.adding(.seconds(-60)), at: now))
        #expect(!conditions.isOverdue(since: LogTime(nanoseconds: .max), at: now))
        #expect(conditions.isOverdue(since: LogTime(nanoseconds: .min), at: now))
        #expect(!DeliveryConditions(maximumDeferral: .seconds(Int64.max)).isOverdue(since: LogTime(nanoseconds: .min), at: now))
    }

    @Test("D1: power and battery are read from the system's files")
    func powerSupplies() {
        func machine(_ supplies: [String: [String: String]]) -> LinuxMachine {
            for (name, files) in supplies {
                mkdir("\(folder.path)/\(name)", 0o700)
                for (file, text) in files {
                    let stream = fopen("\(folder.path)/\(name)/\(file)", "we")!
                    fputs(text + "\n", stream)
                    fclose(stream)
                }
            }
            return LinuxMachine(powerSupplies: folder.path)
        }
        #expect(machine([:]).isOnExternalPower)
        #expect(machine([:]).battery == nil)
        let mouse = machine(["mouse": ["type": "Battery", "scope": "Device", "capacity": "3", "status": "Discharging"]])
        #expect(mouse.isOnExternalPower)
        #expect(mouse.battery == nil)
        let laptop = machine([
            "AC": ["type": "Mains", "online": "1"], "BAT0": ["type": "Battery", "capacity": "87", "status": "Discharging"],
        ])
        #expect(laptop.isOnExternalPower)
        #expect(laptop.battery == 0.87)
        let away = machine(["AC": ["type": "Mains", "online": "0"]])
        #expect(!away.isOnExternalPower)
        #expect(LinuxMachine().load != nil)
        #expect(LinuxMachine(powerSupplies: "/nowhere").isOnExternalPower)
    }
}
