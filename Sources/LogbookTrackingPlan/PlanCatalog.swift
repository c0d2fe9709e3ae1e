/// Everything that a plan can name: found by the running program, or in its sources.
package struct PlanCatalog: Sendable {
    package let points: [JoinPointRecord]
    package let types: [TypeRecord]
    private let placesOfTypes: [String: Int]
    /// The points of a type, by their selectors. A type is found by its name, and by its name with its module.
    private let pointsByType: [String: [String: Int]]
    /// Points in the middle of a body are found by their name alone, too.
    private let aspectPoints: [String: Int]
    /// The full names of the points that share a name and are not of one type, by that name.
    private let sharedAspectPoints: [String: Set<String>]
    /// The modules that have a type of a name, where they are more than one: each entry asks, and mostly nothing is there.
    private let modulesByType: [String: Set<String>]

    /// Further points of a point's name, by the first one: overloads whose types alone differ, a static method beside another.
    private let namesakes: [Int: [Int]]

    /// Types, and methods as `Type.selector`, that are there and carry no annotation; known before the program runs only.
    package let unannotated: Set<String>

    /// - Parameter conditional: The places of points that are there under a condition of compilation: of several that have one name,
    ///   only the first is looked at, since the others will hardly be there beside it.
    package init(
        points: [JoinPointRecord], types: [TypeRecord], unannotated: Set<String> = [], conditional: Set<Int> = []
    ) {
        self.points = points
        self.types = types
        self.unannotated = unannotated
        struct Name: Hashable { let module: String, type: String }
        var byName: [Name: [String: Int]] = [:], aspectPoints: [String: Int] = [:], sharedAspectPoints: [String: Set<String>] = [:]
        var place = points.count, namesakes: [Int: [Int]] = [:]
        while place > 0 {   // backwards: of two with one name, the earlier one stands
            let first = points[place - 1], name = Name(module: first.module, type: first.type)
            var places = byName.removeValue(forKey: name) ?? [:]
            while place > 0, points[place - 1].type == name.type, points[place - 1].module == name.module {   // mostly a whole type
                place -= 1
                if let later = places.updateValue(place, forKey: points[place].selector) {
                    let others = namesakes.removeValue(forKey: later) ?? []
                    namesakes[place] = conditional.contains(later) ? others : [later] + others
                }
                let point = points[place]
                guard point.kind == .point, let later = aspectPoints.updateValue(place, forKey: point.selector) else { continue }
                if conditional.contains(place) || conditional.contains(later) || points[later].id == point.id { continue }
                sharedAspectPoints[point.selector, default: []].formUnion([point.id, points[later].id])
            }
            byName[name] = places
        }
        var pointsByType: [String: [String: Int]] = [:], modules: [String: Set<String>] = [:]
        for (name, places) in byName {
            for type in [name.type, name.module + "." + name.type] {
                // Mostly both share one dictionary.
                pointsByType[type] = pointsByType[type]?.merging(places) { min($0, $1) } ?? places
            }
            modules[name.type, default: []].insert(name.module)
        }
        var placesOfTypes: [String: Int] = [:]
        for (place, type) in types.enumerated() {
            for name in [type.name, type.id] where placesOfTypes[name] == nil { placesOfTypes[name] = place }
            modules[type.name, default: []].insert(type.module)
        }
        self.placesOfTypes = placesOfTypes
        self.pointsByType = pointsByType
        self.aspectPoints = aspectPoints
        self.sharedAspectPoints = sharedAspectPoints
        self.namesakes = namesakes
        modulesByType = modules.filter { $1.count > 1 }
    }

    /// A free function is found by its module in the place of a type.
    package func point(_ type: String, _ selector: String) -> Int? {
        pointsByType[type]?[selector] ?? pointsByType[type + "."]?[selector]
    }
    /// The point, and all others of its module, type and selector.
    package func all(_ point: Int) -> [Int] { [point] + (namesakes[point] ?? []) }
    /// - Parameter name: The type may stand before it, too.
    package func aspectPoint(_ name: String, in type: String?) -> Int? {
        if let type { return point(type, name) }
        if let place = aspectPoints[name] ?? point("", name) { return place }
        for dot in name.indices where name[dot] == "." {   // a name may have dots of its own
            if let place = point(String(name[..<dot]), String(name[name.index(after: dot)...])) { return place }
        }
        return nil
    }
    /// The full names of the points of a name between which nobody can choose: none where they are all of one type.
    package func aspectPoints(sharing name: String) -> [String] { sharedAspectPoints[name]?.sorted() ?? [] }
    package func type(_ name: String) -> Int? { placesOfTypes[name] }

    package var typeNames: [String] { Array(Set(types.map(\.name)).union(points.map(\.type)).subtracting([""])).sorted() }
    package var aspectPointNames: [String] { points.filter { $0.kind == .point }.map(\.selector) }

    package func isType(_ name: String) -> Bool { placesOfTypes[name] != nil || pointsByType[name] != nil }

    /// The modules between which nobody can choose for a type of this name: none where one alone declares the type, as far as that is
    /// known, and one at most has the selector there: another may have extended it.
    package func modules(sharing type: String, with selector: String) -> [String] {
        guard let modules = modulesByType[type]?.sorted() else { return [] }
        let declaring = modules.filter { placesOfTypes[$0 + "." + type] != nil }
        if declaring.count == 1, modules.count(where: { point($0 + "." + type, selector) != nil }) <= 1 { return [] }
        return modules
    }

    /// The modules that have a free function of this selector, when they are more than one.
    package func modules(ofFunction selector: String) -> [String] {
        let modules = Set(points.filter { $0.type.isEmpty && $0.selector == selector }.map(\.module))
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
        ([type] + ancestors(of: type)).flatMap { pointsByType[$0].map { Array($0.keys) } ?? [] }
    }

    /// The names of the types that a type inherits from; where its own module has one of the name, that one.
    func ancestors(of type: String) -> [String] {
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
        return record.inheritance.flatMap { written in
            let parent = Self.withoutArguments(written)
            var around = record.name.split(separator: ".").dropLast()
            while true {   // as Swift looks: in the innermost type around it first
                let own = ([record.module[...]] + around + [parent[...]]).joined(separator: ".")
                if placesOfTypes[own] != nil { return [own] }
                // Points alone: of a type without a word of its own, or of an extension that the module has made of another's type.
                if isType(own) { return placesOfTypes[parent] == nil ? [own] : [own, parent] }
                if around.popLast() == nil { return [parent] }
            }
        }
    }

    /// `List.Row` for `List<(Order) -> Int>.Row`.
    package static func withoutArguments(_ type: String) -> String {
        guard type.utf8.contains(UInt8(ascii: "<")) else { return type }
        var plain = "", depth = 0, before: Character = " "
        for character in type {
            if character == "<" { depth += 1 }
            if depth == 0, character != " " { plain.append(character) }
            if character == ">", before != "-" { depth -= 1 }
            before = character
        }
        return plain
    }
}
