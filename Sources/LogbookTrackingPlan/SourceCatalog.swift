internal import LogbookTrackingSyntax

/// Finds in the text of a program's sources what the running program would find in itself, so that a plan can be checked before
/// it is built.
package struct SourceCatalog {
    private var points: [JoinPointRecord] = []
    private var types: [TypeRecord] = []
    private var unannotated: Set<String> = []

    package init() {}

    package var catalog: PlanCatalog { PlanCatalog(points: points, types: types, unannotated: unannotated) }

    /// - Parameter name: Of the file, without its folders.
    package mutating func add(_ text: String, module: String, file name: String) {
        let file = module + "/" + name
        var scanner = MemberScanner()
        scanner.scan(text, file: file)
        for type in scanner.types {
            if type.header.attribute("TrackedType") != nil {
                types.append(
                    TypeRecord(
                        module: module, name: type.name, keyword: type.header.keyword, inheritance: type.header.inheritance,
                        file: file, line: type.line))
            } else if type.header.keyword != "extension" {
                unannotated.insert(type.name)
            }
        }
        for function in scanner.functions { add(function, module: module) }
    }

    private mutating func add(_ function: FoundFunction, module: String) {
        let header = function.header, own = header.attribute("Tracked")
        let type = function.typeHeader?.attribute("TrackedType") ?? function.typeHeader?.attribute("TrackedExtension")
        let isKnownLate = function.typeHeader?.keyword == "extension" && (type?.isGeneric == true || own?.isGeneric == true)
        if own != nil || type.map(header.isTrackedMember) == true {
            // Points of extensions of generic types are known from their first call on; the plan says that it waits for them.
            if isKnownLate { return }
            let exceptions = (type?.exceptions ?? []) + (own?.exceptions ?? [])
            let kind: JoinPointRecord.Kind = header.keyword == "init" ? .initializer
                : function.type.isEmpty ? .function : header.isStatic ? .staticMethod : .method
            points.append(
                JoinPointRecord(
                    module: module, type: function.type, selector: header.selector, kind: kind,
                    parameters: header.parameters.map {
                        JoinPointRecord.Parameter(
                            label: DeclarationHeader.plain($0.label), name: DeclarationHeader.plain($0.name), type: $0.type,
                            isCapturable: $0.isCapturable(except: exceptions))
                    },
                    result: header.result ?? "Void", isAsync: header.isAsync, isThrowing: header.isThrowing,
                    file: function.file, line: function.line))
        } else {
            unannotated.insert((function.type.isEmpty ? "" : function.type + ".") + header.selector)
        }
        addAspectPoints(in: function, module: module)
    }

    /// The named points in a body: `#aspectPoint("name", ["key": value])`.
    private mutating func addAspectPoints(in function: FoundFunction, module: String) {
        guard let body = function.header.body, body.containsText("#aspectPoint") else { return }
        var scanner = DeclarationScanner(body)
        while !scanner.isAtEnd {
            scanner.skipTrivia()
            if scanner.isAtString {
                scanner.skipString()
                continue
            }
            guard scanner.current == UInt8(ascii: "#") else {
                scanner.position += 1
                continue
            }
            scanner.position += 1
            guard scanner.name() == "aspectPoint", let call = scanner.aspectPoint() else { continue }
            points.append(
                JoinPointRecord(
                    module: module, type: function.type, selector: call.name, kind: .point,
                    parameters: call.values.map {
                        JoinPointRecord.Parameter(label: $0.key, name: $0.key, type: "Any", isCapturable: true)
                    },
                    result: "Void", isAsync: false, isThrowing: false, file: function.file, line: function.line))
        }
    }

    /// A plan that names everything there is, for people to delete from.
    package static func skeleton(of catalog: PlanCatalog) -> String {
        let entries = catalog.points.filter { $0.kind != .deinitializer }.map { point in
            let place = point.kind == .point
                ? "\"point\": \"\(point.selector)\"" : "\"class\": \"\(point.type.isEmpty ? point.module : point.type)\", \"selector\": \"\(point.selector)\""
            return "    { \(place), \"label\": \"\(point.name)\" }"
        }
        return "{ \"version\": 1,\n  \"trackedScreens\": [],\n  \"trackedEvents\": [\n\(entries.joined(separator: ",\n")) ] }\n"
    }
}
