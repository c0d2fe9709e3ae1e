internal import LogbookTrackingSyntax

extension Expansion {
    /// The body of a tracked function: the original, verbatim, inside a gate.
    ///
    /// Closures, not a local function, hold it: `#function` stays right, `self` stays implicit, `inout` parameters can be
    /// captured, and a body of one expression still needs no `return`.
    func body() -> Answer {
        guard let text = header.body else { return refusal("@\(request.macro) needs a function with a body") }
        let body = isLate ? text.withGenericPoints : text
        guard !header.isInlinable else {
            return refusal("a function whose body other modules get cannot be tracked; take @inlinable or @\(request.macro) away")
        }
        guard !header.consumesForAResult else {
            return refusal(
                "a function that consumes or sends a parameter and returns a result cannot be tracked; borrow the parameter or write @NotTracked")
        }
        guard !header.sendsResult else { return refusal("a function that sends its result cannot be tracked; write @NotTracked") }
        let isInitializer = header.keyword == "init", isDeinitializer = header.keyword == "deinit"
        let gate = gate(isInitializer: isInitializer, isDeinitializer: isDeinitializer)
        if PointDescriptor.form(of: header) != "wrapped" { return Answer(source: bracketed(returning(body), by: gate)) }

        let effects = (header.isAsync ? " async" : "") + header.throwsClause
        let signature = header.returnsOpaque ? "" : " ()\(effects) -> \(header.optionalResult ?? "Void") in"
        let call = (header.mayThrow ? "try " : "") + (header.isAsync ? "await " : "") + gate.run
            + (header.isAsync ? "of: __trackedOwner, " : "")
        return Answer(
            source: """
                {
                \(gate.declaration)\(header.isAsync ? owner : "")return \(call)\(gate.values)) {\(signature)
                \(located(body))}
                }
                """)
    }

    /// What an asynchronous body belongs to. It has to be known, since a closure that does not name its actor leaves it unless its type
    /// says otherwise. The compiler alone knows whether an extension is one of an actor, and what a function without a word runs on.
    private var owner: String {
        let callers = "let __trackedOwner = LogbookTracking.TrackingExpansion4.CallersActor.self\n"
        let isOfNone = "let __trackedOwner = Never.self\n"
        if header.attributeNames.contains("concurrent") { return isOfNone }
        if header.isNonsending || header.parameters.contains(where: { $0.modifiers.contains("isolated") }) { return callers }
        let type = isMember ? request.context.first(where: \.isType) : nil
        let isOfInstance = !header.isStatic && !header.modifiers.contains("nonisolated") && !header.modifiers.contains("mutating")
        let other = type == nil || !isOfInstance ? isOfNone : type?.keyword == "actor" ? callers : "let __trackedOwner = Self.self\n"
        if other == callers { return callers }
        return "#if hasFeature(NonisolatedNonsendingByDefault)\n\(callers)#else\n\(other)#endif\n"
    }

    /// Whether a type is around the function, and no other function.
    private var isMember: Bool {
        request.context.contains(where: \.isType)
            && !request.context.contains { ["func", "init", "deinit", "subscript"].contains($0.keyword) }
    }

    /// A body that no closure may hold: one of an initializer, or one that consumes what it was given.
    private func bracketed(_ body: String, by gate: GateText) -> String {
        let isSkippable = header.keyword == "func" && header.returnsNothing && !header.consumesSelf
        let skipping = isSkippable ? "if let __trackedCall, __trackedCall.isSkipped { return }\n" : ""
        var statements = DeclarationScanner(body)
        statements.skipTrivia()
        if statements.isAtEnd { return "{\n\(gate.declaration)\(gate.begin)\(gate.values))?.end()\n}" }
        // Of a body that throws nothing the compiler would say that its errors are caught for nothing. One that consumes its instance may
        // have no other way out, and one that rethrows throws what it was given alone.
        let throwing = header.isRethrowing || header.consumesSelf ? "" : "try { ()\(header.throwsClause) in }()\n"
        let inner = header.mayThrow
            ? "do\(header.typedThrows) {\n\(throwing)\(located(body))} catch { __trackedCall?.threw(error); throw error }\n" : located(body)
        return """
            {
            \(gate.declaration)let __trackedCall = \(gate.begin)\(gate.values))
            defer { __trackedCall?.end(\(gate.instanceAfterwards)) }
            \(skipping)\(inner)}
            """
    }

    /// A body that is one expression gives its value only where no statement stands before it: then it says `return` itself.
    private func returning(_ body: String) -> String {
        guard header.consumesSelf, !header.returnsNothing, header.result != "Never" else { return body }
        var scanner = DeclarationScanner(body)
        scanner.skipTrivia()
        let start = scanner.position, first = scanner.name() ?? ""
        let statements = [
            "let", "var", "guard", "for", "while", "repeat", "do", "defer", "discard", "throw", "fatalError", "preconditionFailure", "return",
        ]
        if statements.contains(first) || ["if", "switch"].contains(first) && body.containsText("return") { return body }
        while !scanner.isAtEnd {   // a `return` in a closure is none of the function's own
            scanner.skipTrivia()
            if "([{".utf8.contains(scanner.current) {
                scanner.skipBalanced()
            } else if scanner.isAtLiteral {
                scanner.skipLiteral()
            } else if let word = scanner.name() {
                if word == "return" { return body }
            } else {
                scanner.position += 1
            }
        }
        scanner.position = start
        return scanner.text(0..<start) + "return " + scanner.text(start..<body.utf8.count)
    }

    /// With this, a crash, a breakpoint and a compile error in the body name the user's file and line.
    private func located(_ body: String) -> String {
        """
        #sourceLocation(file: \(request.declarationPlace.fileName.swiftLiteral), line: \(bodyLine))
        \(body)
        #sourceLocation()

        """
    }

    /// Whether it is generic, or something around it is. No static stored property may stand in it then.
    private var isLate: Bool { request.attribute.isGeneric || header.isGeneric || isInGenericContext }

    private struct GateText {
        /// What has to stand before the call.
        var declaration = ""
        /// The beginning of a call around a closure, and of one that brackets statements.
        var run: String
        var begin: String
        /// Closures that give the instance and the arguments, asked for only while the gate is open.
        var values: String
        /// A closure that gives a value that may have changed; nothing where it is the same as before, or is gone.
        var instanceAfterwards = ""
    }

    private func gate(isInitializer: Bool, isDeinitializer: Bool) -> GateText {
        let type = request.context.first(where: \.isType)
        let kind =
            isInitializer ? "initializer" : isDeinitializer ? "deinitializer"
            : !isMember ? "function" : header.isStatic ? "staticMethod" : "method"
        let descriptor = descriptor(of: header, kind: kind, line: line, owner: type)
        let isCopyable = type?.isCopyable ?? true
        let instance =
            !isMember || isInitializer || isDeinitializer || !isCopyable || !header.isSelfCapturable || request.attribute.leavesInstanceAlone
            ? "nil" : header.isStatic ? "Self.self" : "self"
        let values = "{ \(instance) }, { \(descriptor.arguments()) }"
        let instanceAfterwards = instance == "self" && header.modifiers.contains("mutating") ? "{ self }" : ""
        if isLate {   // the point is looked for by its name instead
            let expansion = "LogbookTracking.TrackingExpansion4"
            return GateText(
                run: "\(expansion).runLate(\"\(descriptor.literal)\", ",
                begin: "\(expansion).beginLate(\"\(descriptor.literal)\", ", values: values, instanceAfterwards: instanceAfterwards)
        }
        return GateText(
            declaration: PointText.gate(named: "__TrackedPoint", descriptor),
            run: "__TrackedPoint.gate.run(", begin: "__TrackedPoint.gate.begin(", values: values, instanceAfterwards: instanceAfterwards)
    }
}
