internal import LogbookTrackingSyntax

/// What weaving a plan into sources gives: a source of its own, or what keeps it from being written.
package struct WovenPlan {
    package var text = ""
    /// As compilers say it: each error at the plan, with a note at the source where there is one.
    package var issues: [String] = []
}

extension SourceCatalog {
    /// Writes what takes the place of the functions that a plan names and that carry no annotation.
    ///
    /// Each gets a join point and a `@_dynamicReplacement` that reports the call and calls the original.
    /// - Parameters:
    ///   - module: The module that the text becomes part of.
    ///   - isImplicitlyDynamic: Whether it is compiled with `-enable-implicit-dynamic`; otherwise only functions that say `dynamic`
    ///     themselves can be woven.
    package func weave(_ plan: PlanDocument, into module: String, isImplicitlyDynamic: Bool) -> WovenPlan {
        let catalog = catalog
        var woven = WovenPlan()
        woven.issues = PlanCheck.check(plan, against: catalog, names: PlanCheck.Names()).issues.map(\.description)
        var check = PlanCheck(catalog, names: PlanCheck.Names(), usecases: plan.usecases)
        var functions: Set<Int> = [], types: Set<Int> = []
        for entry in plan.entries {
            guard let found = check.place(of: entry, isQuiet: true) else { continue }   // late, or said to be unknown
            if let type = found.instancesOf ?? catalog.type(catalog.points[found.point].type) { types.insert(type) }
            for point in catalog.all(found.point) {
                guard let function = wovenFunctions[point] else { continue }
                let place = entry.selector?.place ?? entry.place, name = catalog.points[point].name
                if let obstacle = Self.obstacle(to: function, isImplicitlyDynamic: isImplicitlyDynamic)
                    ?? self.obstacle(to: function, in: catalog)
                    ?? Self.outerType(namedBy: function, in: catalog).map({ "names a type around its own; write \($0) there" }) {
                    woven.issues.append(PlanIssue(place, "\(name) cannot be woven: it \(obstacle)").description)
                    woven.issues.append("\(function.place): note: \(name) is declared here")
                } else if let type = found.instancesOf.flatMap({ wovenTypes[$0] }), type.isPrivate {
                    woven.issues.append(
                        PlanIssue(entry.type?.place ?? place, "\(type.name) cannot be woven: it is private to its file").description)
                    woven.issues.append("\(type.place): note: \(type.name) is declared here")
                } else {
                    functions.insert(point)
                }
            }
        }
        guard woven.issues.isEmpty else { return woven }

        types.formUnion(types.flatMap { catalog.ancestors(of: catalog.types[$0].id).compactMap(catalog.type) })
        let chosen = functions.sorted().flatMap { variants(of: $0) }
        woven.text = ([importText(for: chosen)] + types.sorted().compactMap { wovenTypes[$0] }.enumerated().map { number, type in
            Self.conditional(type.condition, Self.text(of: type, number: number, module: module))
        } + chosen.enumerated().map { number, function in
            Self.conditional(function.condition, text(of: function, number: number, module: module, in: catalog))
        }).joined(separator: "\n")
        return woven
    }

    private static func obstacle(to function: FoundFunction, isImplicitlyDynamic: Bool) -> String? {
        if let obstacle = Replacement.obstacle(to: function.header) { return obstacle }
        if function.isInPrivateType { return "is in a type that is private to its file" }
        if let builder = function.header.attributeNames.first(where: { $0.hasSuffix("Builder") }) { return "has the result builder @\(builder)" }
        if !isImplicitlyDynamic, !function.header.modifiers.contains("dynamic") {
            return "is not dynamic; write dynamic before it, or build its target with -enable-implicit-dynamic"
        }
        return nil
    }

    /// What an extension of a protocol has for a function that the protocol asks for is called by way of the type that has it: the type
    /// has the replacement by then. Whether a protocol asks for it that nobody has shown is not known.
    private func obstacle(to function: FoundFunction, in catalog: PlanCatalog) -> String? {
        guard function.typeHeader?.keyword == "extension", protocols.contains(function.type) else { return nil }
        let known = protocols.union(["AnyObject", "Sendable", "~Copyable", "~Escapable"])
        let isShown = catalog.ancestors(of: function.type).allSatisfy(known.contains)
        if isShown, !requirements.contains(function.header.selector) { return nil }
        return "may stand for what a protocol asks for, and a replacement that calls the original would call itself"
    }

    /// The full name of a type that a signature calls by its short one, because the type stands in one of those around the function's own:
    /// an extension of the function's type does not see it.
    private static func outerType(namedBy function: FoundFunction, in catalog: PlanCatalog) -> String? {
        guard let own = function.typeHeader?.name, own != function.type else { return nil }
        let header = function.header, around = function.type.split(separator: ".")
        let texts = header.parameters.map(\.type) + [header.result ?? "", header.thrownType ?? "", header.generics, header.whereClause]
        var scanner = DeclarationScanner(texts.joined(separator: " "))
        while !scanner.isAtEnd {
            scanner.skipTrivia()
            let isMember = scanner.position > 0 && scanner.byte(at: scanner.position - 1) == UInt8(ascii: ".")
            guard let word = scanner.name() else {
                scanner.position += 1
                continue
            }
            if isMember || catalog.type(function.type + "." + word) != nil { continue }
            for count in (1..<around.count).reversed() {
                let name = (around.prefix(count) + [word[...]]).joined(separator: ".")
                if catalog.type(name) != nil { return name }
            }
        }
        return nil
    }

    /// The function, or all that have its name under different conditions of compilation.
    private func variants(of point: Int) -> [FoundFunction] {
        guard let function = wovenFunctions[point] else { return [] }
        if function.condition.isEmpty { return [function] }
        var conditions: Set<String> = []
        return wovenFunctions.sorted { $0.key < $1.key }.map(\.value).filter {
            $0.type == function.type && $0.header.selector == function.header.selector && !$0.condition.isEmpty
                && conditions.insert($0.condition).inserted
        }
    }

    // MARK: Text

    private static func conditional(_ condition: String, _ text: String) -> String {
        condition.isEmpty ? text : "#if \(condition)\n\(text)#endif\n"
    }

    /// What the sources of the functions import, since their types are spoken of here, too. Whatever says who sees an import says
    /// `internal` here: who says nothing may not be contradicted.
    private func importText(for functions: [FoundFunction]) -> String {
        let files = Set(functions.map(\.place.file))
        let own = imports.contains { $0.path == "LogbookTracking" && !$0.modifiers.isEmpty }
        var lines = [(own ? "internal " : "") + "import LogbookTracking\n"]
        for found in imports where files.contains(found.place.file) && found.path != "LogbookTracking" {
            let attributes = found.attributes.filter { $0 != "_exported" }.map { "@\($0) " }.joined()
            let line = attributes + (found.modifiers.isEmpty ? "" : "internal ") + "import \(found.path)\n"
            let text = Self.conditional(found.condition, line)
            if !lines.contains(text) { lines.append(text) }
        }
        return lines.joined()
    }

    private static func text(of type: FoundType, number: Int, module: String) -> String {
        let descriptor = TypeDescriptor(
            module: module, name: type.name, header: type.header, fileID: fileID(module, type.place), line: type.place.line)
        let test = descriptor.instanceTest(isGeneric: type.isGeneric || type.isPrivate)
        return """
            \(type.header.availability)fileprivate nonisolated enum __WovenType\(number) {
            \(PointText.record("LogbookTracking.TrackingExpansion4.registerType(\"\(descriptor.literal)\", \(test))"))
            }

            """
    }

    private func text(of function: FoundFunction, number: Int, module: String, in catalog: PlanCatalog) -> String {
        let type = catalog.type(function.type).flatMap { wovenTypes[$0]?.header } ?? function.typeHeader
        let kind = Self.kind(of: function).rawValue
        let descriptor = PointDescriptor(
            module: module, type: function.type, kind: kind, header: function.header,
            exceptions: function.header.exceptions(in: function.typeHeader), fileID: Self.fileID(module, function.place),
            line: function.place.line,
            form: PointDescriptor.form(of: function.header, isReplaced: true),
            owner: PointDescriptor.owner(of: function.header, kind: kind, in: type),
            leavesIsolation: function.header.leavesIsolation(of: type))
        let point = "__WovenPoint\(number)"
        // The module is part of the name: an extension may not override what one of a superclass in another module declares.
        let replacement = Replacement(
            of: function.header, descriptor, named: "__woven_\(module)_\(number)", begin: "\(point).gate.begin(",
            isMember: !function.type.isEmpty, isCopyable: type?.isCopyable ?? true
        ).text
        let gate = PointText.gate(named: point, descriptor, access: "fileprivate ")
        return gate + (function.typeHeader.map { Self.extended(function.type, $0, by: replacement) } ?? replacement)
    }

    /// An extension like the one in which a function stands, or of the type in which it does.
    private static func extended(_ type: String, _ header: DeclarationHeader, by text: String) -> String {
        let isExtension = header.keyword == "extension"
        let attributes = header.attributes.filter { attribute in
            isExtension ? !attribute.hasPrefix("Tracked") : attribute.hasPrefix("available")
        }
        let modifiers = header.modifiers.filter { isExtension && $0 == "nonisolated" }
        let words = attributes.map { "@" + $0 } + modifiers + ["extension", type + (isExtension ? header.generics : "")]
            + (isExtension && !header.whereClause.isEmpty ? [header.whereClause] : [])
        return words.joined(separator: " ") + " {\n" + text + "}\n"
    }
}
