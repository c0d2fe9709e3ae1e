/// What is written in the brackets of `@TrackedType` and its siblings.
package struct TrackingAttribute: Sendable, Equatable {
    /// The parameters that may never be captured.
    package let exceptions: [String]
    package let isGeneric: Bool
    package let includesInitializers: Bool
    package let leavesInstanceAlone: Bool

    package init(_ text: String) {
        var scanner = DeclarationScanner(text), exceptions: [String] = []
        while !scanner.isAtEnd {
            guard scanner.isAtString else {
                scanner.position += 1
                continue
            }
            let start = scanner.position
            scanner.skipString()
            exceptions.append(String(scanner.text(from: start).drop { $0 == "#" || $0 == "\"" }.prefix { $0 != "\"" }))
        }
        self.exceptions = exceptions
        let plain = text.split(whereSeparator: \.isWhitespace).joined()
        isGeneric = plain.containsText("generic:true")
        includesInitializers = plain.containsText("initializers:true")
        leavesInstanceAlone = plain.containsText("instance:false")
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
    package var consumesForAResult: Bool { consumes && !returnsNothing && result != "Never" }
    /// What comes out of a closure is not sent.
    package var sendsResult: Bool { result?.hasPrefix("sending ") ?? false }

    /// Whether its `self` can be put in a box.
    package var isSelfCapturable: Bool { !modifiers.contains("consuming") && !modifiers.contains("borrowing") }

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
