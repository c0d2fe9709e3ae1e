import LogbookCore
import LogbookDelivery
import LogbookHTTP
import LogbookTestKit
import Testing

/// What a receiver will never take, and how little it holds up.
@Suite struct PoisonTests {
    let clock = ManualClock(now: LogTime(seconds: 1_000_000))
    let diary = CourierDiary()
    let folder = TemporaryFolder()

    func courier(
        _ source: any ParcelSource, _ transport: ScriptedTransport, to destination: any Destination = StatusDestination(),
        policy: DeliveryPolicy = DeliveryPolicy(), deadLetters: DeadLetterFolder? = nil
    ) -> Courier {
        Courier(
            name: "test", source: source, destination: destination, transport: transport, policy: policy,
            deadLetters: deadLetters, clock: .manual(clock), randomness: .seeded(1), onEvent: { [diary] in diary.note($0) })
    }

    /// Refuses every request that holds one of these numbers.
    static func refusing(_ poison: Set<Int>, with status: Int = 400) -> ScriptedTransport {
        ScriptedTransport { _, request in
            let numbers = String(decoding: request.body, as: UTF8.self).split(separator: ",").compactMap { Int($0) }
            return .status(poison.isDisjoint(with: numbers) ? 200 : status)
        }
    }

    @Test("44: one poison entry in 1,000 is found in 2 log2 n + 1 requests; 999 are delivered, in order", arguments: [0, 1, 499, 500, 777, 999])
    func onePoisonEntryIsFound(poison: Int) throws {
        let source = NumberedParcels([Array(0..<1000), Array(1000..<1010)])
        let transport = Self.refusing([poison])
        let letters = try DeadLetterFolder(at: folder.path + "/dead")
        try courier(source, transport, deadLetters: letters).deliver(by: .seconds(60))
        #expect(source.delivered == (0..<1010).filter { $0 != poison })
        #expect(source.rejected == [poison])
        #expect(transport.requests.count - 1 <= 21)   // without the second parcel; 2 log2(1000) + 1 = 20.9
        #expect(letters.count == 1)
        #expect(folder.text("dead/0000000001-\(poison).body") == "\(poison)")
        let reason = folder.text("dead/0000000001-\(poison).reason.txt")
        #expect(reason.hasPrefix("reason: bad\nparcel: \(poison)\nentries: 1\n"))
        #expect(reason.contains("sealed: 1970-01-12 13:46:40 UTC\n"))
    }

    @Test("44: several poison entries cost the others nothing")
    func severalPoisonEntries() throws {
        let poison: Set = [3, 4, 50, 99]
        let source = NumberedParcels([Array(0..<100)])
        try courier(source, Self.refusing(poison)).deliver(by: .seconds(60))
        #expect(source.delivered == (0..<100).filter { !poison.contains($0) })
        #expect(source.rejected == [3, 4, 50, 99])
    }

    @Test("43: a receiver that refuses one entry after the other is taken to refuse everything, and the rest is kept")
    func aReceiverThatRefusesEverything() throws {
        let source = NumberedParcels([Array(0..<100)])
        let isWilling = Locked(false)
        let transport = ScriptedTransport { _, _ in .status(isWilling.withLock { $0 } ? 200 : 400) }
        let courier = courier(source, transport, policy: DeliveryPolicy(rejectionsInARow: 5))
        #expect {
            try courier.deliver(by: .seconds(60))
        } throws: { error in
            guard case .misconfigured(95, let reason)? = error as? CourierError else { return false }
            return reason.hasSuffix("the latest reason: bad")
        }
        #expect(courier.status.state == .misconfigured)
        #expect(source.rejected.count == 5)
        isWilling.withLock { $0 = true }
        courier.reconfigured()
        try courier.deliver(by: .seconds(60))
        #expect(source.delivered.count == 95)
    }

    @Test("43: while nobody has looked, each pause costs a receiver that refuses everything one entry, and not as many as at first")
    func aReceiverThatGoesOnRefusing() throws {
        let source = NumberedParcels([Array(0..<100)]), policy = DeliveryPolicy(rejectionsInARow: 5)
        let transport = ScriptedTransport { _, _ in .status(400) }
        let courier = courier(source, transport, policy: policy)
        #expect(throws: CourierError.self) { try courier.deliver(by: .seconds(60)) }
        for pauses in 1...10 {
            clock.advance(by: policy.misconfiguredPause)
            #expect(diary.waitForRefusals(1 + pauses))
            #expect(source.rejected.count == 5 + pauses)
        }
    }

    /// Says of each entry what it thinks of its number: poison is refused, busy is for later.
    struct ByEntry: Destination {
        let poison: Set<Int>
        let busy: Locked<Set<Int>>
        func request(for parcel: Parcel) -> HTTPRequest { HTTPRequest(url: "http://127.0.0.1/", body: parcel.body) }
        func verdict(on response: HTTPResponse, for parcel: Parcel) -> DeliveryVerdict {
            let numbers = String(decoding: parcel.body, as: UTF8.self).split(separator: ",").compactMap { Int($0) }
            var fates = EntryFates()
            for (place, number) in numbers.enumerated() {
                if poison.contains(number) { fates.rejected[place] = "bad \(number)" }
                if busy.withLock({ $0.contains(number) }) { fates.again.insert(place) }
            }
            busy.withLock { $0 = [] }
            return fates == EntryFates() ? .delivered : .partly(fates, after: nil)
        }
    }

    @Test("where each entry has its own answer, only those that may pass later go again")
    func onlySomeGoAgain() throws {
        let source = NumberedParcels([Array(0..<10)])
        let transport = ScriptedTransport(.status(200))
        let letters = try DeadLetterFolder(at: folder.path + "/dead")
        let courier = courier(source, transport, to: ByEntry(poison: [2, 7], busy: Locked([4, 5])), deadLetters: letters)
        courier.wake()
        #expect(diary.waitForRetries(1))
        #expect(courier.status.state == .waiting)
        #expect(courier.status.pending == 2)
        clock.advance(by: .seconds(2))
        try courier.deliver(by: .seconds(60))
        #expect(source.delivered == [0, 1, 3, 6, 8, 9, 4, 5])
        #expect(source.rejected == [2, 7])
        #expect(transport.requests.map { String(decoding: $0.body, as: UTF8.self) } == ["0,1,2,3,4,5,6,7,8,9", "4,5"])
        #expect(folder.text("dead/0000000001-2.body") == "2")
        #expect(folder.text("dead/0000000002-7.reason.txt").hasPrefix("reason: bad 7\n"))
    }

    @Test func aSourceThatCannotTakeParcelsApartSendsAllOfItAgain() throws {
        let source = MemoryParcels()
        source.add("0,1,2", count: 3)
        let transport = ScriptedTransport(.status(200))
        let courier = courier(source, transport, to: ByEntry(poison: [1], busy: Locked([0])))
        courier.wake()
        #expect(diary.waitForRetries(1))
        clock.advance(by: .seconds(2))
        try courier.deliver(by: .seconds(60))
        #expect(transport.requests.count == 2)
        #expect(source.settled == [.init(id: "0,1,2", fate: .delivered)])
        #expect(diary.wait { $0 == .rejected(parcel: "0,1,2", count: 1, reason: "bad 1") })
    }

    @Test func aParcelOfWhichEachEntryIsRefusedIsKeptTheFirstTime() throws {
        let source = NumberedParcels([Array(0..<60), [100]])
        let transport = ScriptedTransport(.status(200))
        let courier = courier(source, transport, to: ByEntry(poison: Set(0..<60), busy: Locked([])))
        #expect(throws: CourierError.misconfigured(pending: 61, reason: "it refuses every entry of 0-59: bad 0")) {
            try courier.deliver(by: .seconds(60))
        }
        #expect(source.rejected == [])
        courier.reconfigured()
        _ = try? courier.deliver(by: .seconds(60))
        #expect(source.rejected.count == 60)   // it was not our fault
        courier.reconfigured()
        try courier.deliver(by: .seconds(60))
        #expect(source.delivered == [100])
    }

    @Test("43: a late answer of the receiver before, which refuses each entry, takes none and says nothing of the next", arguments: [false, true])
    func aLateRefusalOfEachEntry(isHeldAlready: Bool) throws {
        let source = NumberedParcels([Array(0..<60)]), count = isHeldAlready ? 1 : 0
        let transport = ScriptedTransport { number, _ in number > count ? .hold : .status(200) }
        let courier = courier(source, transport, to: ByEntry(poison: Set(0..<60), busy: Locked([])))
        courier.wake()
        if isHeldAlready {
            #expect(diary.waitForRefusals(1))
            clock.advance(by: DeliveryPolicy().misconfiguredPause)
        }
        #expect(transport.waitForRequests(count + 1))
        courier.reconfigured(forAnotherReceiver: true)
        transport.release(with: HTTPResponse(status: 200))
        #expect(transport.waitForRequests(count + 2))
        #expect(source.rejected == [])
        transport.release(with: HTTPResponse(status: 200))
        if isHeldAlready {
            #expect(diary.wait { if case .rejected = $0 { true } else { false } })   // both have said so
        } else {
            #expect(diary.waitForRefusals(1))
            #expect(source.rejected == [])
        }
    }

    @Test("43: nor does time alone take a parcel of which each entry is refused, for a day", arguments: [false, true])
    func aRefusedParcelWaitsForSomebodyToLook(isCountAlone: Bool) throws {
        let source = NumberedParcels([Array(0..<60), [100]]), policy = DeliveryPolicy()
        let transport = ScriptedTransport(.status(200))
        let destination: any Destination =
            isCountAlone ? CountAlone(poison: Set(0..<60)) : ByEntry(poison: Set(0..<60), busy: Locked([]))
        let courier = courier(source, transport, to: destination, policy: policy)
        #expect(throws: CourierError.self) { try courier.deliver(by: .seconds(60)) }
        let pausesInADay = Int(86_400 / policy.misconfiguredPause.components.seconds)
        for pauses in 1..<pausesInADay {
            clock.advance(by: policy.misconfiguredPause)
            #expect(diary.waitForRefusals(1 + pauses))
        }
        #expect(source.rejected == [])
        clock.advance(by: policy.misconfiguredPause)
        #expect(diary.waitForRefusals(1 + pausesInADay))
        #expect(source.rejected.count == 60)   // nobody has; what is behind it has waited long enough
        clock.advance(by: policy.misconfiguredPause)
        try courier.deliver(by: .seconds(60))
        #expect(source.delivered == [100])
    }

    /// Says how many it will never take.
    struct CountAlone: Destination {
        let poison: Set<Int>
        var isFinal = false
        func request(for parcel: Parcel) -> HTTPRequest { HTTPRequest(url: "http://127.0.0.1/", body: parcel.body) }
        func verdict(on response: HTTPResponse, for parcel: Parcel) -> DeliveryVerdict {
            let numbers = String(decoding: parcel.body, as: UTF8.self).split(separator: ",").compactMap { Int($0) }
            return .deliveredExcept(rejected: numbers.count { poison.contains($0) }, isFinal: isFinal, "bad")
        }
    }

    @Test("43: what is refused with a receiver's last word on it is settled at once, however much it is, and kept with the dead letters")
    func aLastWordHoldsUpNothing() throws {
        let source = NumberedParcels([Array(0..<60)] + (60..<120).map { [$0] } + [[200]])
        let transport = ScriptedTransport(.status(200)), letters = try DeadLetterFolder(at: folder.path + "/dead")
        let destination = CountAlone(poison: Set(0..<120), isFinal: true)
        try courier(source, transport, to: destination, deadLetters: letters).deliver(by: .seconds(60))
        #expect(source.rejected == Array(0..<120))
        #expect(source.delivered == [200])
        #expect(transport.requests.count == 62)
        #expect(letters.count == 61)
        #expect(folder.text("dead/0000000001-0-59.reason.txt").hasPrefix("reason: bad\nparcel: 0-59\nentries: 60\n"))
    }

    @Test func theStatusSaysHowLongTheOldestHasWaited() {
        let source = NumberedParcels([[1]])
        let courier = courier(source, ScriptedTransport(.status(500)))
        #expect(courier.status.oldestAge == nil)   // the source does not know, and nothing has been looked at
        courier.wake()
        #expect(diary.waitForRetries(1))
        clock.advance(by: .milliseconds(500))
        #expect(courier.status.oldestAge == .milliseconds(500))
    }
}
