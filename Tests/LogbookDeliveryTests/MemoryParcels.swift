import LogbookCore
import LogbookDelivery
import LogbookHTTP
import LogbookTestKit
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A source in memory that can be told to fail.
final class MemoryParcels: ConcurrentParcelSource {
    struct Settled: Equatable {
        let id: String
        let fate: ParcelFate
    }
    private struct State {
        var parcels: [Parcel] = []
        var settled: [Settled] = []
        var settleFailures = 0
        var readFailures = 0
        var counts = 0
        var asked: [Set<String>] = []
    }
    private let state = Locked(State())

    let preparesNextParcel: Bool

    init(_ ids: [String] = [], preparesNextParcel: Bool = false) {
        self.preparesNextParcel = preparesNextParcel
        for id in ids { add(id) }
    }

    func add(_ id: String, count: Int = 1) {
        let parcel = Parcel(
            id: id, body: Array(id.utf8), contentType: "text/plain", count: count, sealed: LogTime(nanoseconds: 0))
        state.withLock { $0.parcels.append(parcel) }
    }

    /// The next calls of `settle` throw.
    func failSettling(times: Int) { state.withLock { $0.settleFailures = times } }
    /// The next calls of `nextParcel` throw.
    func failReading(times: Int) { state.withLock { $0.readFailures = times } }

    func nextParcel(besides onTheirWay: Set<String>) throws -> Parcel? {
        try state.withLock { state in
            state.asked.append(onTheirWay)
            if state.readFailures > 0 {
                state.readFailures -= 1
                throw ScriptedFailure()
            }
            return state.parcels.first { !onTheirWay.contains($0.id) }
        }
    }

    func settle(_ parcel: Parcel, as fate: ParcelFate) throws {
        try state.withLock { state in
            if state.settleFailures > 0 {
                state.settleFailures -= 1
                throw ScriptedFailure()
            }
            state.parcels.removeAll { $0.id == parcel.id }
            state.settled.append(Settled(id: parcel.id, fate: fate))
        }
    }

    var pendingCount: Int {
        state.withLock { state in
            state.counts += 1
            return state.parcels.reduce(0) { $0 + $1.count }
        }
    }
    /// How often somebody wanted to know what is pending.
    var counts: Int { state.withLock { $0.counts } }
    /// Beside which others a parcel was asked for, each time.
    var asked: [Set<String>] { state.withLock { $0.asked } }
    var settled: [Settled] { state.withLock { $0.settled } }
    var waiting: [String] { state.withLock { $0.parcels.map(\.id) } }
}

/// Splits what is too large.
final class SplittingParcels: ParcelSource {
    private let parcels: Locked<[Parcel]>
    private let delivered = Locked<[Parcel]>([])

    init(count: Int) { parcels = Locked([Self.parcel("a", count)]) }

    private static func parcel(_ id: String, _ count: Int) -> Parcel {
        Parcel(id: id, body: [], contentType: "text/plain", count: count, sealed: LogTime(nanoseconds: 0))
    }

    func nextParcel() -> Parcel? { parcels.withLock { $0.first } }
    func settle(_ parcel: Parcel, as fate: ParcelFate) {
        parcels.withLock { _ = $0.removeFirst() }
        if fate == .delivered { delivered.withLock { $0.append(parcel) } }
    }
    func split(_ parcel: Parcel) -> Bool {
        parcels.withLock { parcels in
            let half = parcel.count / 2
            parcels.replaceSubrange(
                0..<1, with: [Self.parcel(parcel.id + "l", half), Self.parcel(parcel.id + "r", parcel.count - half)])
        }
        return true
    }
    var pendingCount: Int { parcels.withLock { $0.reduce(0) { $0 + $1.count } } }
    var deliveredCounts: [Int] { delivered.withLock { $0.map(\.count) } }
}

/// Judges by the status alone: 2xx delivered, 401 misconfigured, 413 too large, 400 rejected, anything else retry.
struct StatusDestination: Destination {
    let token: @Sendable () throws -> String

    init(token: @escaping @Sendable () throws -> String = { "t" }) { self.token = token }

    func request(for parcel: Parcel) throws -> HTTPRequest {
        HTTPRequest(
            url: "http://127.0.0.1/",
            headers: [HTTPHeader("Authorization", try token()), HTTPHeader("Parcel", parcel.id)],
            body: parcel.body)
    }

    func verdict(on response: HTTPResponse, for parcel: Parcel) -> DeliveryVerdict {
        switch response.status {
        case 200..<300: .delivered
        case 400: .rejected("bad")
        case 401: .misconfigured("401")
        case 413: parcel.count > 1 ? .tooLarge("413") : .rejected("413")
        default: .retry(after: RetryAfter.asked(by: response), "\(response.status)")
        }
    }
}

extension ManualClock {
    /// Lets time pass, little by little, until something is so.
    /// - Returns: False when it was not after 30 seconds of real time.
    func advance(by step: Duration = .milliseconds(100), until condition: () -> Bool) -> Bool {
        let deadline = LogDeadline.seconds(30)
        while !condition() {
            if deadline.hasPassed { return false }
            advance(by: step)
            usleep(300)
        }
        return true
    }
}

/// Keeps what a courier says it does.
final class CourierDiary: Sendable {
    private let state = Monitor<[CourierEvent]>([])
    func note(_ event: CourierEvent) {
        state.withLock { access in
            access.value.append(event)
            access.broadcast()
        }
    }
    var events: [CourierEvent] { state.withLock { $0.value } }

    /// Returns once `count` events of a kind have been noted.
    func wait(for count: Int = 1, _ matches: (CourierEvent) -> Bool) -> Bool {
        let deadline = LogDeadline.seconds(30)
        return state.withLock { access in
            while access.value.filter(matches).count < count {
                if !access.wait(until: deadline) { return access.value.filter(matches).count >= count }
            }
            return true
        }
    }
    func waitForRetries(_ count: Int) -> Bool {
        wait(for: count) { if case .willRetry = $0 { true } else { false } }
    }
    func waitForDeliveries(_ count: Int) -> Bool {
        wait(for: count) { if case .delivered = $0 { true } else { false } }
    }
    func waitForRefusals(_ count: Int) -> Bool {
        wait(for: count) { if case .misconfigured = $0 { true } else { false } }
    }
    /// The pauses that were announced.
    var pauses: [Duration] {
        events.compactMap { if case .willRetry(_, let after, _, _, _) = $0 { after } else { nil } }
    }
}
