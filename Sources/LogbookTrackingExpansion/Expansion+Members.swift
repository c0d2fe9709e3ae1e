internal import LogbookTrackingSyntax

extension Expansion {
    /// `@TrackedType` gives `@Tracked` to every function with a body that has no word of its own in the matter.
    func memberAttribute() -> String {
        guard header.isTrackedMember(of: request.attribute), header.attribute("Tracked") == nil else { return "" }
        let isNested = request.context.filter(\.isType).count > 1
        if request.macro == "TrackedType", Replacement.isMeant(for: header, isNested: isNested) { return "" }   // woven by the extension
        return request.attribute.isGeneric ? "@Tracked(generic: true)" : "@Tracked"   // what is excepted it finds around it
    }

    /// The functions that stand in a declaration itself.
    func functions(of type: DeclarationHeader) -> [FoundFunction] {
        var scanner = MemberScanner()
        scanner.scan(type.body ?? "", file: request.declarationPlace.fileID, firstLine: bodyLine, isNested: false)
        return scanner.functions
    }

    /// Those of them that are join points.
    var members: [FoundFunction] {
        functions(of: header).filter {
            $0.header.keyword == "func" && ($0.header.isTrackedMember(of: request.attribute) || $0.header.attribute("Tracked") != nil)
        }
    }

    /// Records that cannot stand where they belong: of the type itself, and of everything generic, where static stored properties
    /// are not allowed.
    func peer() -> String {
        header.keyword == "func" ? functionPeer() : header.isType ? typePeer() : ""
    }

    private func functionPeer() -> String {
        let isReachable = !request.context.contains {
            $0.isGeneric || ["extension", "protocol", "func", "init", "deinit"].contains($0.keyword)
        }
        guard header.isGeneric, header.body != nil, isReachable else { return "" }
        let descriptor = descriptor(
            of: header, kind: typePath.isEmpty ? "function" : header.isStatic ? "staticMethod" : "method", line: line,
            owner: request.context.first(where: \.isType))
        return """
            nonisolated enum \(uniqueName) {
            \(PointText.record("LogbookTracking.TrackingExpansion4.registerLate(\"\(descriptor.literal)\")"))
            }
            """
    }

    /// - Parameter owner: The type around it, where there is one. What it excepts is excepted also in a function with a word of its own.
    func descriptor(
        of header: DeclarationHeader, in type: String? = nil, kind: String, line: Int, owner: DeclarationHeader?
    ) -> PointDescriptor {
        let own = header.attribute("Tracked")
        return PointDescriptor(
            module: request.declarationPlace.module, type: type ?? typePath, kind: kind, header: header,
            exceptions: request.attribute.exceptions + header.exceptions(in: owner), fileID: request.declarationPlace.fileID, line: line,
            form: PointDescriptor.form(of: header, isReplaced: request.macro == "TrackedType" && isReplaced(header)),
            owner: PointDescriptor.owner(
                of: header, kind: kind, in: owner,
                isLeftAlone: request.attribute.leavesInstanceAlone || own?.leavesInstanceAlone == true),
            leavesIsolation: header.leavesIsolation(of: owner))
    }

    private func typePeer() -> String {
        guard !request.context.contains(where: \.isGeneric) else { return "" }
        // An extension does not say whether its type is generic: who says that something around is, means that one.
        if request.attribute.isGeneric, header.generics.isEmpty, request.context.contains(where: { $0.keyword == "extension" }) { return "" }
        let path = typePath.isEmpty ? header.name : typePath + "." + header.name
        let isGeneric = !header.generics.isEmpty || request.attribute.isGeneric
        let separators = PointDescriptor.separators
        let late = members.filter { isGeneric || $0.header.isGeneric && isReplaced($0.header) }.map { function in
            let kind = function.header.isStatic ? "staticMethod" : "method"
            return (
                condition: function.condition,
                literal: descriptor(of: function.header, in: path, kind: kind, line: function.place.line, owner: header).literal)
        }
        if header.keyword == "extension", late.isEmpty { return "" }
        let points = late.filter(\.condition.isEmpty).map { separators.point + $0.literal }.joined()
        // What is not compiled is not in the program: its record is under the same condition.
        let conditional = late.filter { !$0.condition.isEmpty }.enumerated().map { number, point in
            let record = PointText.record("LogbookTracking.TrackingExpansion4.registerLate(\"\(point.literal)\")")
            return "#if \(point.condition)\nenum Point\(number) {\n\(record)\n}\n#endif\n"
        }.joined()
        let type = TypeDescriptor(
            module: request.declarationPlace.module, name: path, header: header, fileID: request.declarationPlace.fileID, line: line)
        return """
            \(header.availability)nonisolated enum \(uniqueName) {
            \(PointText.record("LogbookTracking.TrackingExpansion4.registerType(\"\(type.literal)\(points)\", \(type.instanceTest(isGeneric: isGeneric)))"))
            \(conditional)}
            """
    }
}
