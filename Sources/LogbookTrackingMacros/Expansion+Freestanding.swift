internal import LogbookTrackingSyntax

extension Expansion {
    func freestanding(_ expression: String) -> Answer {
        var scanner = DeclarationScanner(expression)
        scanner.skipTrivia()
        scanner.position += 1
        _ = scanner.name()
        scanner.skipTrivia()
        guard scanner.current == UInt8(ascii: "(") else {
            return Answer(source: nil, problem: "#\(request.macro) needs arguments", place: request.expressionPlace)
        }
        let opening = scanner.position
        scanner.skipBalanced()
        let arguments = scanner.text(opening + 1..<max(opening + 1, scanner.position - 1)).trimmed
        return Answer(source: request.macro == "joinPoint" ? joinPoint(arguments) : aspectPoint(arguments))
    }

    /// The name as text, beside a closure that nobody calls: it makes the compiler look the method up.
    private func joinPoint(_ reference: String) -> String {
        "LogbookTracking.JoinPointName(\(reference.swiftLiteral)) { () -> Any in \(reference) }"
    }

    /// `#aspectPoint("name", ["key": value])`: a join point in the middle of a body. The values are evaluated when a plan asks.
    private func aspectPoint(_ arguments: String) -> String {
        var scanner = DeclarationScanner(arguments)
        let start = scanner.position
        scanner.skipString()
        let name = String(scanner.text(from: start).dropFirst().dropLast())
        scanner.skipTrivia()
        if scanner.current == UInt8(ascii: ",") { scanner.position += 1 }
        scanner.skipTrivia()
        if scanner.current == UInt8(ascii: "[") { scanner.position += 1 }
        var header = DeclarationHeader(), values: [String] = []
        header.name = name
        while true {
            scanner.skipTrivia()
            guard scanner.isAtString else { break }
            let start = scanner.position
            scanner.skipString()
            let key = String(scanner.text(from: start).dropFirst().dropLast())
            scanner.skipTrivia()
            guard scanner.current == UInt8(ascii: ":") else { break }
            scanner.position += 1
            scanner.skipTrivia()
            let valueStart = scanner.position
            while !scanner.isAtEnd, scanner.current != UInt8(ascii: ","), scanner.current != UInt8(ascii: "]") {
                if "([{".utf8.contains(scanner.current) {
                    scanner.skipBalanced()
                } else if scanner.isAtString {
                    scanner.skipString()
                } else {
                    scanner.position += 1
                }
            }
            header.parameters.append(ParameterHeader(label: key, name: key, type: "Any"))
            values.append("(" + scanner.text(from: valueStart).trimmed + ") as Any")
            if scanner.current == UInt8(ascii: ",") { scanner.position += 1 }
        }
        let place = request.expressionPlace
        let descriptor = PointDescriptor(
            module: place.module, type: typePath, kind: "point", header: header, exceptions: [], fileID: place.fileID,
            line: place.line)
        let closures = "{ nil }, { [\(values.joined(separator: ", "))] }"
        if isInGenericContext {
            return "LogbookTracking.TrackingExpansion1.runLate(\"\(descriptor.literal)\", \(closures)) { () -> Void in }"
        }
        return """
            {
            \(Self.point(named: "__TrackedPoint", descriptor.literal))
            __TrackedPoint.gate.run(\(closures)) { () -> Void in }
            }()
            """
    }
}
