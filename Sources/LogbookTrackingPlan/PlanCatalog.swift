/// Everything that a plan can name: found by the running program, or in its sources.
package struct PlanCatalog: Sendable {
    package let points: [JoinPointRecord]
    package let types: [TypeRecord]
    private let placesOfPoints: [String: Int]
    private let placesOfTypes: [String: Int]
    private let selectorsByType: [String: [String]]

    package init(points: [JoinPointRecord], types: [TypeRecord]) {
        self.points = points
        self.types = types
        var placesOfPoints: [String: Int] = [:], selectors: [String: [String]] = [:]
        for (place, point) in points.enumerated() {
            for name in [point.name, point.id, Self.pointName(of: point)] where placesOfPoints[name] == nil {
                placesOfPoints[name] = place
            }
            selectors[point.type, default: []].append(point.selector)
        }
        var placesOfTypes: [String: Int] = [:]
        for (place, type) in types.enumerated() {
            for name in [type.name, type.id] where placesOfTypes[name] == nil { placesOfTypes[name] = place }
        }
        self.placesOfPoints = placesOfPoints
        self.placesOfTypes = placesOfTypes
        selectorsByType = selectors
    }

    /// Points in the middle of a body are found by their name alone, too.
    private static func pointName(of point: JoinPointRecord) -> String {
        point.kind == .point ? "#" + point.selector : point.name
    }

    package func point(_ type: String, _ selector: String) -> Int? {
        placesOfPoints[type.isEmpty ? selector : type + "." + selector]
    }
    package func point(named name: String) -> Int? { placesOfPoints["#" + name] ?? placesOfPoints[name] }
    package func type(_ name: String) -> Int? { placesOfTypes[name] }

    package var typeNames: [String] { Array(Set(types.map(\.name)).union(points.map(\.type)).subtracting([""])).sorted() }
    package var aspectPointNames: [String] { points.filter { $0.kind == .point }.map(\.selector) }

    package func isType(_ name: String) -> Bool {
        placesOfTypes[name] != nil || selectorsByType[name] != nil
            || name.firstIndex(of: ".").map { selectorsByType[String(name[name.index(after: $0)...])] != nil } ?? false
    }

    /// The point of this selector that the type has or inherits, and the type whose instances alone are meant when it inherits it.
    package func lookup(_ type: String, _ selector: String) -> (point: Int, instancesOf: Int?)? {
        if let place = point(type, selector) { return (place, nil) }
        guard let subject = placesOfTypes[type] else { return nil }
        for ancestor in ancestors(of: type) {
            if let place = point(ancestor, selector) { return (place, subject) }
        }
        return nil
    }

    /// The selectors of a type, and those it inherits.
    package func selectors(of type: String) -> [String] {
        ([type] + ancestors(of: type)).flatMap { selectorsByType[$0] ?? [] }
    }

    private func ancestors(of type: String) -> [String] {
        var found: [String] = [], waiting = placesOfTypes[type].map { types[$0].inheritance } ?? []
        while !waiting.isEmpty {
            let next = waiting.removeFirst()
            if found.contains(next) { continue }
            found.append(next)
            waiting += placesOfTypes[next].map { types[$0].inheritance } ?? []
        }
        return found
    }
}
