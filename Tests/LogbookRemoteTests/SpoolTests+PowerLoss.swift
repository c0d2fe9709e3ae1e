import LogbookCore
import LogbookDelivery
import LogbookHTTP
import LogbookTestKit
import Testing

@testable import LogbookRemote

extension SpoolTests {
    @Test("row 5: whatever a loss of power leaves of a spool, what was accepted as safe is there once, and what was acknowledged may be",
          arguments: [SpoolPolicy.Durability.power, .process])
    func anyRemains(durability: SpoolPolicy.Durability) throws {
        let files = PowerLossFileSystem(), random = LogRandomness.seeded(5)
        let policy = SpoolPolicy(parcelEvents: 3, durability: durability)
        let spool = try makeSpool(policy, files: files)
        var safe: [(number: Int, after: Int)] = [], gone: [(number: Int, before: Int)] = [], waiting: [Int] = [], oldest = 1
        for number in 1...12 {
            _ = spool.take(.numbered(number))
            waiting.append(number)
            if durability == .power || number % 3 == 2 {
                if durability == .process { _ = try spool.makeSafe(by: .never) }
                safe += waiting.map { ($0, files.changes) }
                waiting = []
            }
            guard number % 4 == 0, let parcel = try spool.nextParcel(besides: []) else { continue }
            gone += (oldest..<(oldest + parcel.count)).map { ($0, files.changes) }
            oldest += parcel.count
            try spool.settle(parcel, as: .delivered)
        }
        #expect(safe.count > 8 && gone.count >= 6 && files.changes > 20)
        var states = 0, withLoss = 0
        for moment in 0...files.changes {
            let promised = Set(safe.filter { $0.after <= moment }.map(\.number)).subtracting(gone.filter { $0.before <= moment }.map(\.number))
            for remains in files.remains(after: moment, between: 3, random) {
                let left = TemporaryFolder(remains, of: folder)
                left.makeFolder("spool")
                let next = try Spool(
                    at: left("spool"), policy: policy, destination: CurrentDestination(.collector(url: "http://127.0.0.1:1")),
                    origin: LogOrigin(installation: "I", epoch: 8), clock: .manual(clock), name: "spool", files: SystemFileSystem())
                _ = next.take(.numbered(99))
                clock.advance(by: .seconds(30))
                let receiver = FakeCollector()
                while let parcel = try next.nextParcel(besides: []) {
                    _ = receiver.acknowledge(parcel.contentEncoding.map { [HTTPHeader("Content-Encoding", $0)] } ?? [], parcel.body)
                    try next.settle(parcel, as: .delivered)
                }
                let numbers = receiver.received.compactMap { Int($0.split(separator: " ")[1]) }
                #expect(Set(numbers).isSuperset(of: promised), "\(moment): \(promised.subtracting(numbers).sorted()) of \(remains.mapValues(\.count))")
                #expect(Set(numbers).count == numbers.count && numbers.last == 99, "\(moment): \(numbers)")
                states += 1
                if !Set(numbers).isSuperset(of: 1...12) { withLoss += 1 }
            }
        }
        #expect(states > 60 && withLoss > 30)
    }
}
