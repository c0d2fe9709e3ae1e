internal import LogbookCore
package import LogbookTrackingPlan

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// What a program reports, and under which names: screens and events, from JSON or written in Swift, or both.
///
/// ```json
/// { "trackedScreens": [ { "class": "MainScreen", "label": "Main screen" } ],
///   "trackedEvents": [ { "class": "Cart", "selector": "add(_:quantity:)", "label": "Added $arg.item" } ] }
/// ```
/// Making a plan never fails: what is wrong with it is said, all at once, when it is checked or started.
public struct TrackingPlan: Sendable {
    package var document: PlanDocument

    /// - Parameters:
    ///   - json: The plan's text.
    ///   - file: How issues name it.
    public init(json: String, file: String = "plan.json") { self.init(json: Array(json.utf8), file: file) }

    /// The same for bytes, such as those of a resource.
    public init(json: [UInt8], file: String = "plan.json") { document = PlanReader.read(json, file: file) }

    /// The plan in a file. One that cannot be read is an issue of the plan.
    public init(path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            self.init(unreadable: path, errno)
            return
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = [], buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            if count < 0 {   // a folder, for one
                self.init(unreadable: path, errno)
                return
            }
            if count == 0 { break }
            bytes.append(contentsOf: buffer[..<count])
        }
        self.init(json: bytes, file: path)
    }

    private init(unreadable path: String, _ number: Int32) {
        self.init([])
        let reason = String(cString: strerror(number))
        document.issues.append(PlanIssue(PlanPlace(file: path, line: 0), "cannot read the plan: \(reason)"))
    }

    /// A plan in Swift.
    /// - Parameter usecases: Names for the numbers of use cases and their events.
    public init(_ entries: [TrackingPlanEntry], usecases: [String: TrackingUsecase] = [:]) {
        document = PlanDocument()
        document.entries = entries.map(\.entry)
        document.usecases = usecases.mapValues { PlanDocument.Usecase(number: $0.number, events: $0.events) }
    }

    /// Both plans.
    public static func + (left: TrackingPlan, right: TrackingPlan) -> TrackingPlan {
        var sum = left
        sum.document.append(right.document)
        return sum
    }
}

/// The number of a use case, and those of its events by their names.
public struct TrackingUsecase: Sendable {
    public var number: Int
    public var events: [String: Int]
    public init(_ number: Int, events: [String: Int] = [:]) {
        self.number = number
        self.events = events
    }
}
