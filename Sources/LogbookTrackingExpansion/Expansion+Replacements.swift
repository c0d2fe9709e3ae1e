internal import LogbookTrackingSyntax

extension Expansion {
    /// A `dynamic` method is woven from outside, where that is possible; see ``Replacement``.
    func replacements() -> String {
        let found = members.filter { isReplaced($0.header) }
        guard !found.isEmpty else { return "" }
        let path = typePath.isEmpty ? header.name : typePath + "." + header.name
        let isGeneric = !header.generics.isEmpty || request.context.contains(where: \.isGeneric)
        return "\(header.availability)extension \(request.extendedType ?? path) {\n"
            + found.enumerated().map { replacement($1, number: $0, in: path, isGeneric: isGeneric) }.joined() + "}\n"
    }

    /// Whether something takes the place of a member of this type.
    func isReplaced(_ member: DeclarationHeader) -> Bool {
        Replacement.isMeant(for: member, isNested: request.context.contains(where: \.isType))
    }

    private func replacement(_ function: FoundFunction, number: Int, in path: String, isGeneric: Bool) -> String {
        let header = function.header
        let descriptor = descriptor(
            of: header, in: path, kind: header.isStatic ? "staticMethod" : "method", line: function.place.line, owner: self.header)
        // The type is part of the names: an extension may not override what one of a superclass declares.
        let suffix = path.split(separator: ".").joined(separator: "_") + "_\(number)"

        // The gate stands in the extension: a type inside a function of an extension that a macro made is not emitted (Swift 6.3).
        let isLate = isGeneric || header.isGeneric, point = "__TrackedPoint_" + suffix
        let gate = isLate ? "" : PointText.gate(named: point, descriptor, access: "fileprivate ")
        let begin = isLate
            ? "LogbookTracking.TrackingExpansion4.beginLate(\"\(descriptor.literal)\", " : "\(point).gate.begin("
        let text = gate
            + Replacement(of: header, descriptor, named: "__tracked_" + suffix, begin: begin, isCopyable: self.header.isCopyable).text
        return function.condition.isEmpty ? text : "#if \(function.condition)\n\(text)#endif\n"
    }
}
