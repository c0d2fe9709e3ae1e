/// The text of a function that takes the place of a `dynamic` one: it reports the call and calls the original, whose body, and with
/// it its lines, its coverage and its breakpoints, stay as they are.
package struct Replacement {
    private let header: DeclarationHeader
    private let descriptor: PointDescriptor
    private let name: String
    /// What begins the call, as far as the opening bracket of its values: `gate.begin(`.
    private let begin: String
    private let instance: String

    /// - Parameters:
    ///   - header: Of the original; one without an ``obstacle(to:)``.
    ///   - isMember: Whether there is a `self`.
    ///   - isCopyable: Whether it can be copied.
    package init(
        of header: DeclarationHeader, _ descriptor: PointDescriptor, named name: String, begin: String, isMember: Bool = true,
        isCopyable: Bool = true
    ) {
        self.header = header
        self.descriptor = descriptor
        self.name = name
        self.begin = begin
        instance = !isMember || !isCopyable || !header.isSelfCapturable ? "nil" : header.isStatic ? "Self.self" : "self"
    }

    /// Why nothing can take the place of a function, as the end of a sentence; nil when something can. All of it is true of Swift 6.3.
    package static func obstacle(to header: DeclarationHeader) -> String? {
        if header.keyword != "func" { return header.keyword == "deinit" ? "is a deinitializer" : "is an initializer" }
        if header.isOperator { return "is an operator" }
        if ([header.name] + header.parameters.map(\.label)).contains(where: Self.needsBackticks) {
            return "has a name that only backticks make one"
        }
        if header.isAsync { return "is asynchronous, and a replacement that calls the original would call itself" }
        if header.isPrivate { return "is private to its file" }
        if header.returnsOpaque { return "returns an opaque type" }
        if header.sendsResult { return "sends its result" }
        if header.isInlinable { return "has a body that other modules get" }
        if header.modifiers.contains("distributed") { return "is distributed" }
        for parameter in header.parameters {
            if parameter.type.hasSuffix("...") { return "takes any number of arguments, which cannot be handed on" }
            if parameter.modifiers.contains("repeat") { return "takes a parameter pack, which cannot be handed on" }
            if parameter.modifiers.contains("isolated") { return "takes an isolated parameter" }
        }
        return nil
    }

    private static func needsBackticks(_ name: String) -> Bool {
        guard name.hasPrefix("`") else { return false }
        let name = DeclarationHeader.plain(name)
        return ["init", "inout", "self"].contains(name)
            || !name.utf8.allSatisfy { $0 == 0x5F || $0 >= 0x80 || $0.isDigit || (0x61...0x7A).contains($0 | 0x20) }
    }

    /// Whether `@TrackedType` has something take the place of a function, instead of wrapping its body.
    /// - Parameter isNested: Whether its type stands in another, whose names an extension of the inner one does not see.
    package static func isMeant(for header: DeclarationHeader, isNested: Bool) -> Bool {
        !isNested && header.modifiers.contains("dynamic") && header.attribute("Tracked") == nil && obstacle(to: header) == nil
    }

    package var text: String {
        let call = (header.mayThrow ? "try " : "") + header.name + "(" + forwardedArguments + ")"
        // Its type tells also the original that returns nothing from another of its name.
        let returning = header.result == "Never"
            ? call : "let __result: \(header.optionalResult ?? "Void") = \(call); __trackedCall?.returned(__result); return __result"
        let catching = header.mayThrow
            ? "do\(header.typedThrows) { \(returning) } catch { __trackedCall?.threw(error); throw error }"
            : returning
        let skipping = header.returnsNothing ? "if let __trackedCall, __trackedCall.isSkipped { return }" : ""
        return """
            @_dynamicReplacement(for: \(header.selector))
            \(signature) {
            let __trackedCall = \(begin){ \(instance) }, { \(descriptor.arguments(named: names)) })
            defer { __trackedCall?.end({ \(instance) }) }
            \(skipping)
            \(catching)
            }

            """
    }

    /// Of its own parameters: one that is called as the function would hide the original.
    private var names: [String] { header.parameters.indices.map { "__tracked\($0)" } }

    private var forwardedArguments: String {
        zip(header.parameters, names).map { parameter, name in
            let isAutomatic = parameter.type.containsText("@autoclosure")
            return (parameter.label == "_" ? "" : DeclarationHeader.plain(parameter.label) + ": ")
                + (parameter.modifiers.contains("inout") ? "&" : "")
                + (isAutomatic && parameter.type.containsText("throws") && !header.mayThrow ? "try " : "")
                + name + (isAutomatic ? "()" : "")
        }.joined(separator: ", ")
    }

    private var signature: String {
        let kept = ["static", "class", "mutating", "consuming", "borrowing", "nonisolated"]
        let left = ["discardableResult", "inlinable", "objc", "inline", "usableFromInline"]
        let attributes = header.attributes.filter { attribute in !left.contains(String(attribute.prefix { $0 != "(" })) }
        let parameters = zip(header.parameters, names).map { parameter, name in
            "\(parameter.label) \(name): " + parameter.modifiers.map { $0 + " " }.joined() + parameter.type
        }
        let effects = header.isRethrowing ? " rethrows" : header.throwsClause
        return attributes.map { "@\($0) " }.joined() + header.modifiers.filter(kept.contains).map { $0 + " " }.joined()
            + "func \(name)\(header.generics)(\(parameters.joined(separator: ", ")))\(effects) -> \(header.result ?? "Void")"
            + (header.whereClause.isEmpty ? "" : " " + header.whereClause)
    }
}
