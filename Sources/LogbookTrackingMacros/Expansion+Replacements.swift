internal import LogbookTrackingSyntax

extension Expansion {
    /// A `dynamic` method is woven from outside: its body, and with it its lines, its coverage and its breakpoints, stay as they are.
    ///
    /// An asynchronous one cannot be: calling the original from the replacement calls the replacement (Swift 6.3).
    static func isReplaceable(_ header: DeclarationHeader) -> Bool {
        header.modifiers.contains("dynamic") && !header.isPrivate && !header.isAsync && !header.returnsOpaque
            && !header.parameters.contains { $0.type.hasSuffix("...") || $0.modifiers.contains("isolated") || $0.modifiers.contains("repeat") }
            && header.attribute("Tracked") == nil
    }

    func replacements() -> String {
        let found = members.filter { Self.isReplaceable($0.header) }
        guard !found.isEmpty else { return "" }
        let path = typePath.isEmpty ? header.name : typePath + "." + header.name
        let isGeneric = !header.generics.isEmpty || request.context.contains(where: \.isGeneric)
        return "extension \(request.extendedType ?? path) {\n"
            + found.enumerated().map { replacement($1, number: $0, in: path, isGeneric: isGeneric) }.joined() + "}\n"
    }

    private func replacement(_ function: FoundFunction, number: Int, in path: String, isGeneric: Bool) -> String {
        let header = function.header
        let descriptor = descriptor(
            of: header, in: path, kind: header.isStatic ? "staticMethod" : "method", line: function.line)
        let instance = header.isStatic ? "Self.self" : header.modifiers.contains("consuming") ? "nil" : "self"
        let values = "{ \(instance) }, { \(descriptor.arguments) })"

        // The gate stands in the extension: a type inside a function of an extension that a macro made is not emitted (Swift 6.3).
        let isLate = isGeneric || header.isGeneric
        let gate = isLate ? "" : Self.point(named: "__TrackedPoint\(number)", descriptor.literal, access: "fileprivate ")
        let begin = isLate
            ? "LogbookTracking.TrackingExpansion1.beginLate(\"\(descriptor.literal)\", " : "__TrackedPoint\(number).gate.begin("

        let call = (header.isThrowing ? "try " : "") + header.name + "(" + forwarded(header.parameters) + ")"
        let returning = header.returnsNothing ? call : "let __result = \(call); __trackedCall?.returned(__result); return __result"
        let catching = header.isThrowing
            ? "do\(header.thrownType.map { " throws(\($0))" } ?? "") { \(returning) } catch { __trackedCall?.threw(error); throw error }"
            : returning
        let skipping = header.returnsNothing ? "if let __trackedCall, __trackedCall.isSkipped { return }" : ""
        return """
            \(gate)@_dynamicReplacement(for: \(header.selector))
            \(signature(of: header, named: "__tracked_\(number)")) {
            let __trackedCall = \(begin)\(values)
            defer { __trackedCall?.end({ \(instance) }) }
            \(skipping)
            \(catching)
            }

            """
    }

    private func forwarded(_ parameters: [ParameterHeader]) -> String {
        parameters.map { parameter in
            (parameter.label == "_" ? "" : DeclarationHeader.plain(parameter.label) + ": ")
                + (parameter.modifiers.contains("inout") ? "&" : "") + parameter.name
                + (parameter.type.containsText("@autoclosure") ? "()" : "")
        }.joined(separator: ", ")
    }

    private func signature(of header: DeclarationHeader, named name: String) -> String {
        let kept = ["static", "class", "mutating", "consuming", "borrowing", "nonisolated"]
        let left = ["discardableResult", "inlinable", "objc", "inline", "usableFromInline"]
        let attributes = header.attributes.filter { attribute in !left.contains(String(attribute.prefix { $0 != "(" })) }
        let parameters = header.parameters.map { parameter in
            (parameter.label == parameter.name ? parameter.name : parameter.label + " " + parameter.name) + ": "
                + parameter.modifiers.map { $0 + " " }.joined() + parameter.type
        }
        let effects = header.isRethrowing ? " rethrows"
            : header.isThrowing ? header.thrownType.map { " throws(\($0))" } ?? " throws" : ""
        return attributes.map { "@\($0) " }.joined() + header.modifiers.filter(kept.contains).map { $0 + " " }.joined()
            + "func \(name)\(header.generics)(\(parameters.joined(separator: ", ")))\(effects) -> \(header.result ?? "Void")"
            + (header.whereClause.isEmpty ? "" : " " + header.whereClause)
    }
}
