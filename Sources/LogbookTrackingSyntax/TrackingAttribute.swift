/// What is written in the brackets of `@TrackedType` and its siblings.
package struct TrackingAttribute: Sendable, Equatable {
    /// The parameters that may never be captured.
    package let exceptions: [String]
    package let isGeneric: Bool
    package let includesInitializers: Bool
    package let leavesInstanceAlone: Bool

    /// What is wrong with an argument: one that is no plain literal can only be read by the compiler, and nothing would come of it.
    package let problem: String?

    package init(_ text: String) {
        var exceptions: [String] = [], flags: [String: Bool] = [:], problem: String?, label = ""
        for argument in DeclarationScanner.arguments(of: text) {
            label = argument.label ?? label   // what has none belongs to the list that has begun
            let value = argument.value
            if label == "except" {
                let name = value.dropFirst().dropLast()
                if value.hasPrefix("\""), value.hasSuffix("\""), !name.contains("\""), !name.contains("\\") {
                    exceptions.append(String(name))
                } else {
                    problem = problem ?? "`\(value.onOneLine)` says no name; write that of a parameter between quotation marks"
                }
            } else if value == "true" || value == "false" {
                flags[label] = value == "true"
            } else {
                problem = problem ?? "`\(value.onOneLine)` cannot be read here; write true or false"
            }
        }
        self.exceptions = exceptions
        self.problem = problem
        isGeneric = flags["generic"] == true
        includesInitializers = flags["initializers"] == true
        leavesInstanceAlone = flags["instance"] == false
    }

    /// The first name that no parameter of these functions has; nil when all of them protect something.
    package func exceptionWithoutParameter(in functions: [DeclarationHeader]) -> String? {
        let parameters = functions.flatMap(\.parameters)
        let names = Set((parameters.map(\.name) + parameters.map(\.label)).map(DeclarationHeader.plain))
        return exceptions.first { !names.contains($0) }
    }
}

extension DeclarationHeader {
    /// The attribute of this name, whatever module it is written with.
    package func attribute(_ name: String) -> TrackingAttribute? {
        attributes.first { Self.name(ofAttribute: $0) == name }.map { TrackingAttribute($0) }
    }

    /// The parameters of a function that may never be captured: by its own account, and by that of the type or extension around it.
    package func exceptions(in type: DeclarationHeader?) -> [String] {
        [attribute("Tracked"), type?.attribute("TrackedType"), type?.attribute("TrackedExtension")].flatMap { $0?.exceptions ?? [] }
    }

    private static func name(ofAttribute attribute: String) -> Substring {
        attribute.prefix { $0 != "(" }.split(separator: ".").last ?? ""
    }

    package var attributeNames: [String] { attributes.map { String(Self.name(ofAttribute: $0)) } }

    /// Functions whose body other modules get: it may not hold the type that an expansion needs.
    package var isInlinable: Bool {
        attributeNames.contains { ["inlinable", "_transparent", "_alwaysEmitIntoClient", "backDeployed"].contains($0) }
    }

    /// Whether it consumes or sends a parameter: that cannot be handed on to the closure that a result needs.
    package var consumes: Bool {
        parameters.contains { parameter in ["consuming", "__owned", "sending"].contains { parameter.modifiers.contains($0) } }
    }
    /// Whether it consumes its instance: no closure may do that for it, and no way out of it may leave that undone.
    package var consumesSelf: Bool { modifiers.contains("consuming") }
    package var consumesForAResult: Bool { consumes && !returnsNothing && result != "Never" }
    /// What comes out of a closure is not sent.
    package var sendsResult: Bool { result?.hasPrefix("sending ") ?? false }

    /// Whether its `self` can be put in a box.
    package var isSelfCapturable: Bool { !modifiers.contains("consuming") && !modifiers.contains("borrowing") }

    /// Whether it runs elsewhere than what its instance holds is used. In an actor that goes for all that is not the actor's own; other
    /// types say nothing of the actor of a superclass or of their module, so there the word alone counts. A function that runs where its
    /// caller does is left out there: it is how functions are that belong to nobody.
    package func leavesIsolation(of type: DeclarationHeader?) -> Bool {
        if type?.keyword == "actor" {
            return modifiers.contains("nonisolated") || attributeNames.contains("concurrent")
                || parameters.contains { $0.modifiers.contains("isolated") }
        }
        return modifiers.contains("nonisolated") && !isNonsending
    }

    /// Whether `@TrackedType` makes it a join point.
    package func isTrackedMember(of attribute: TrackingAttribute) -> Bool {
        let isWanted = keyword == "func" && !isOperator || keyword == "init" && attribute.includesInitializers
        return isWanted && body != nil && !attributeNames.contains("NotTracked") && !isInlinable && !consumesForAResult
            && !sendsResult
    }
}

extension ParameterHeader {
    /// A closure that does not escape, a borrowed value and a pack cannot be put in a box, and what is sent would not be sent any more;
    /// what is excepted may not be.
    package func isCapturable(except exceptions: [String]) -> Bool {
        name != "_" && !type.containsText("->") && !type.containsText("~Copyable")
            && modifiers.allSatisfy { !["consuming", "borrowing", "__owned", "__shared", "repeat", "sending"].contains($0) }
            && !exceptions.contains(DeclarationHeader.plain(name)) && !exceptions.contains(DeclarationHeader.plain(label))
    }
}
