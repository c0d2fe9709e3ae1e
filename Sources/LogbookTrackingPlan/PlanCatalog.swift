/// Everything that a plan can name: found by the running program, or in its sources.
package struct PlanCatalog: Sendable {
    package let points: [JoinPointRecord]
    package let types: [TypeRecord]
    private let placesOfPoints: [String: Int]
    private let placesOfTypes: [String: Int]
    private let selectorsByType: [String: [String]]
    /// The modules that have a type of a name.
    private let modulesByType: [String: Set<String>]

    /// Types, and methods as `Type.selector`, that are there and carry no annotation; known before the program runs only.
    package let unannotated: Set<String>

    package init(points: [JoinPointRecord], types: [TypeRecord], unannotated: Set<String> = []) {
        self.points = points
        self.types = types
        self.unannotated = unannotated
        var placesOfPoints: [String: Int] = [:], selectors: [String: [String]] = [:]
        var modules: [String: Set<String>] = [:]
        for (place, point) in points.enumerated() {
            for name in [point.name, point.id, Self.pointName(of: point)] where placesOfPoints[name] == nil {
                placesOfPoints[name] = place
            }
            selectors[point.type, default: []].append(point.selector)
            selectors[point.module + "." + point.type, default: []].append(point.selector)
            modules[point.type, default: []].insert(point.module)
        }
        var placesOfTypes: [String: Int] = [:]
        for (place, type) in types.enumerated() {
            for name in [type.name, type.id] where placesOfTypes[name] == nil { placesOfTypes[name] = place }
            modules[type.name, default: []].insert(type.module)
        }
        self.placesOfPoints = placesOfPoints
        self.placesOfTypes = placesOfTypes
        selectorsByType = selectors
        modulesByType = modules
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

    package func isType(_ name: String) -> Bool { placesOfTypes[name] != nil || selectorsByType[name] != nil }

    /// The modules that have a type of this name, when they are more than one.
    package func modules(sharing type: String) -> [String] {
        let modules = modulesByType[type] ?? []
        return modules.count > 1 ? modules.sorted() : []
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

    /// The names of the types that a type inherits from; where its own module has one of the name, that one.
    private func ancestors(of type: String) -> [String] {
        var found: [String] = [], waiting = parents(of: type)
        while !waiting.isEmpty {
            let next = waiting.removeFirst()
            if found.contains(next) { continue }
            found.append(next)
            waiting += parents(of: next)
        }
        return found
    }

    private func parents(of type: String) -> [String] {
        guard let record = placesOfTypes[type].map({ types[$0] }) else { return [] }
        return record.inheritance.map { parent in
            let own = record.module + "." + parent
            return isType(own) ? own : parent
        }
    }
}
