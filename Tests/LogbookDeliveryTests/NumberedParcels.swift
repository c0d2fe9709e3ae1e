import LogbookCore
import LogbookDelivery
import LogbookTestKit

/// A source of numbered entries that can take its parcels apart, and keeps account of each entry.
final class NumberedParcels: ConcurrentParcelSource {
    private struct State {
        var parcels: [[Int]]
        var delivered: [Int] = []
        var rejected: [Int] = []
    }
    private let state: Locked<State>

    init(_ parcels: [[Int]]) { state = Locked(State(parcels: parcels)) }

    private static func parcel(_ numbers: [Int]) -> Parcel {
        let text = numbers.map(String.init).joined(separator: ",")
        return Parcel(
            id: text.count <= 40 ? text : "\(numbers[0])-\(numbers[numbers.count - 1])", body: Array(text.utf8),
            contentType: "text/plain", count: numbers.count, sealed: LogTime(seconds: 1_000_000))
    }

    func nextParcel(besides onTheirWay: Set<String>) -> Parcel? {
        state.withLock { $0.parcels.lazy.map(Self.parcel).first { !onTheirWay.contains($0.id) } }
    }

    private static func place(of parcel: Parcel, _ state: State) -> Int {
        state.parcels.firstIndex { Self.parcel($0).id == parcel.id }!
    }

    func settle(_ parcel: Parcel, as fate: ParcelFate) {
        state.withLock { state in
            let numbers = state.parcels.remove(at: Self.place(of: parcel, state))
            if fate == .delivered { state.delivered += numbers } else { state.rejected += numbers }
        }
    }

    func settle(_ parcel: Parcel, entries: EntryFates) -> Bool {
        state.withLock { state in
            let own = Self.place(of: parcel, state), numbers = state.parcels.remove(at: own)
            for (place, number) in numbers.enumerated() {
                if entries.rejected[place] != nil {
                    state.rejected.append(number)
                } else if !entries.again.contains(place) {
                    state.delivered.append(number)
                }
            }
            let again = entries.again.sorted().map { numbers[$0] }
            if !again.isEmpty { state.parcels.insert(again, at: own) }
        }
        return true
    }

    func split(_ parcel: Parcel) -> Bool {
        state.withLock { state in
            let place = Self.place(of: parcel, state), numbers = state.parcels[place], half = numbers.count / 2
            state.parcels.replaceSubrange(place...place, with: [Array(numbers[..<half]), Array(numbers[half...])])
        }
        return true
    }

    func excerpt(of parcel: Parcel, entries: Set<Int>) -> Parcel? {
        state.withLock { state in
            let numbers = state.parcels[Self.place(of: parcel, state)]
            return Self.parcel(entries.sorted().map { numbers[$0] })
        }
    }

    var pendingCount: Int { state.withLock { $0.parcels.reduce(0) { $0 + $1.count } } }
    var delivered: [Int] { state.withLock { $0.delivered } }
    var rejected: [Int] { state.withLock { $0.rejected } }
}
