internal import LogbookTrackingSyntax

/// Finds in the text of a program's sources what the running program would find in itself, so that a plan can be checked before
/// it is built.
package struct SourceCatalog {
    private var points: [JoinPointRecord] = []
    private var types: [TypeRecord] = []
    private var unannotated: Set<String> = []
    /// What is to be woven, by its place among the points or the types, and the imports of the sources that it stands in.
    private(set) var wovenFunctions: [Int: FoundFunction] = [:]
    private(set) var wovenTypes: [Int: FoundType] = [:]
    /// The places of points that stand under a condition of compilation.
    private var conditional: Set<Int> = []
    private(set) var imports: [FoundImport] = []
    /// The protocols of all sources, alone and after their modules, and the selectors of the functions that they ask for.
    private(set) var protocols: Set<String> = []
    private(set) var requirements: Set<String> = []

    package init() {}

    package var catalog: PlanCatalog {
        PlanCatalog(points: points, types: types, unannotated: unannotated, conditional: conditional)
    }

    /// - Parameters:
    ///   - path: Of the file; what is found in it says it comes from its last part.
    ///   - isWoven: Whether what carries no annotation can be named, too, because it will be woven.
    package mutating func add(_ text: String, module: String, path: String, isWoven: Bool = false) {
        var scanner = MemberScanner()
        scanner.scan(text, file: path)
        requirements.formUnion(scanner.requirements)
        for type in scanner.types {
            if type.header.keyword == "protocol" { protocols.formUnion([type.name, module + "." + type.name]) }
            let annotation = type.header.attribute("TrackedType"), isAnnotated = annotation != nil
            if isAnnotated || isWoven && type.header.keyword != "extension" {
                if !isAnnotated { wovenTypes[types.count] = type }
                types.append(
                    TypeRecord(
                        module: module, name: type.name, keyword: type.header.keyword, inheritance: type.header.inheritance,
                        file: Self.fileID(module, type.place), line: type.place.line,
                        hasInstanceTest: type.header.hasInstanceTest(isGeneric: type.isGeneric || annotation?.isGeneric == true)))
            } else if type.header.keyword != "extension" {
                unannotated.insert(type.name)
            }
        }
        for function in scanner.functions { add(function, module: module, isWoven: isWoven) }
        for code in scanner.code where !code.isInGenericContext {
            addAspectPoints(in: code.text, type: code.type, at: code.place, condition: code.condition, module: module)
        }
        if isWoven { imports += scanner.imports }
    }

    /// `Module/File.swift`, as the running program names it.
    static func fileID(_ module: String, _ place: SourcePlace) -> String {
        module + "/" + (place.file.split(separator: "/").last.map(String.init) ?? place.file)
    }

    private mutating func add(_ function: FoundFunction, module: String, isWoven: Bool) {
        let header = function.header, own = header.attribute("Tracked")
        let type = function.typeHeader?.attribute("TrackedType") ?? function.typeHeader?.attribute("TrackedExtension")
        let isAnnotated = own != nil || type.map(header.isTrackedMember) == true
        let isNested = function.typeHeader?.name != function.type
        let isReplaced = !isAnnotated
            || function.typeHeader?.attribute("TrackedType") != nil && Replacement.isMeant(for: header, isNested: isNested)
        if isAnnotated || isWoven && !header.attributeNames.contains("NotTracked") {
            // These are known from their first call on; the plan says that it waits for them.
            if isAnnotated, Self.isKnownLate(function, in: type) { return }
            if !isAnnotated { wovenFunctions[points.count] = function }
            if !function.condition.isEmpty { conditional.insert(points.count) }
            let exceptions = header.exceptions(in: function.typeHeader), kind = Self.kind(of: function)
            let form = PointDescriptor.form(of: header, isReplaced: isReplaced)
            let owner = PointDescriptor.owner(
                of: header, kind: kind.rawValue, in: function.typeHeader, isLeftAlone: own?.leavesInstanceAlone == true)
            points.append(
                JoinPointRecord(
                    module: module, type: function.type, selector: header.selector, kind: kind,
                    parameters: header.parameters.map {
                        JoinPointRecord.Parameter(
                            label: DeclarationHeader.plain($0.label), name: DeclarationHeader.plain($0.name), type: $0.type,
                            isCapturable: $0.isCapturable(except: exceptions))
                    },
                    result: header.result ?? "Void", isAsync: header.isAsync, isThrowing: header.mayThrow,
                    file: Self.fileID(module, function.place), line: function.place.line,
                    form: JoinPointRecord.Form(rawValue: form) ?? .wrapped, owner: JoinPointRecord.Owner(rawValue: owner) ?? .none,
                    leavesIsolation: header.leavesIsolation(of: function.typeHeader)))
        } else {
            unannotated.insert((function.type.isEmpty ? "" : function.type + ".") + header.selector)
        }
        if let body = header.body, !Self.isInGenericContext(function) {
            // In a body that a macro has wrapped, the compiler does not tell a point where it stands.
            let type = isAnnotated && !isReplaced ? "" : function.type
            addAspectPoints(in: body, type: type, at: function.place, condition: function.condition, module: module)
        }
    }

    /// Whether the macros have no place for a record of it that the loader would find.
    private static func isKnownLate(_ function: FoundFunction, in type: TrackingAttribute?) -> Bool {
        let header = function.header, own = header.attribute("Tracked")
        let isGeneric = header.isGeneric || own?.isGeneric == true || type?.isGeneric == true
        guard let around = function.typeHeader else { return own?.isGeneric == true && !header.isGeneric }
        if function.isNestedInGeneric { return true }
        if around.keyword == "extension" { return isGeneric || !around.generics.isEmpty || !around.whereClause.isEmpty }
        if around.attribute("TrackedType") != nil, header.keyword == "func" { return false }   // the type has the records
        return header.keyword == "func" ? !around.generics.isEmpty || isGeneric && !header.isGeneric : isGeneric || !around.generics.isEmpty
    }

    private static func isInGenericContext(_ function: FoundFunction) -> Bool {
        guard let around = function.typeHeader else { return function.header.isGeneric }
        return function.header.isGeneric || function.isNestedInGeneric || !around.generics.isEmpty || around.keyword == "protocol"
            || around.keyword == "extension" && !around.whereClause.isEmpty
    }

    static func kind(of function: FoundFunction) -> JoinPointRecord.Kind {
        function.header.keyword == "init" ? .initializer : function.header.keyword == "deinit" ? .deinitializer
            : function.type.isEmpty ? .function : function.header.isStatic ? .staticMethod : .method
    }

    /// The named points in a text: `#aspectPoint("name", ["key": value])`.
    private mutating func addAspectPoints(in text: String, type: String, at place: SourcePlace, condition: String, module: String) {
        guard text.containsText("#aspectPoint") else { return }
        var scanner = DeclarationScanner(text)
        while !scanner.isAtEnd {
            scanner.skipTrivia()
            if scanner.isAtLiteral {
                scanner.skipLiteral()
                continue
            }
            guard scanner.current == UInt8(ascii: "#") else {
                scanner.position += 1
                continue
            }
            scanner.position += 1
            guard scanner.name() == "aspectPoint", let call = scanner.aspectPoint(), !call.isGeneric else { continue }
            if !condition.isEmpty { conditional.insert(points.count) }
            points.append(
                JoinPointRecord(
                    module: module, type: type, selector: call.name, kind: .point,
                    parameters: call.values.map {
                        JoinPointRecord.Parameter(label: $0.key, name: $0.key, type: "Any", isCapturable: true)
                    },
                    result: "Void", isAsync: false, isThrowing: false, file: Self.fileID(module, place), line: place.line,
                    form: .wrapped, owner: .none))
        }
    }

    /// A plan that names everything there is, for people to delete from.
    package static func skeleton(of catalog: PlanCatalog) -> String {
        let entries = catalog.points.map { point in
            let isAlone = catalog.aspectPoints(sharing: point.selector).isEmpty
            let place = point.kind == .point
                ? "\"point\": \"\(isAlone ? point.selector : point.id)\"" : "\"class\": \"\(point.type.isEmpty ? point.module : point.type)\", \"selector\": \"\(point.selector)\""
            return "    { \(place), \"label\": \"\(point.name)\" }"
        }
        return "{ \"version\": 1,\n  \"trackedScreens\": [],\n  \"trackedEvents\": [\n\(entries.joined(separator: ",\n")) ] }\n"
    }
}
