internal import LogbookTrackingSyntax

extension Expansion {
    func freestanding(_ expression: String) -> Answer {
        var scanner = DeclarationScanner(expression)
        scanner.skipTrivia()
        scanner.position += 1
        _ = scanner.name()
        scanner.skipTrivia()
        if request.macro == "aspectPoint" {
            if let call = scanner.aspectPoint() {
                if let problem = call.problem { return Answer(source: nil, problem: problem, place: request.expressionPlace) }
                return Answer(source: aspectPoint(call))
            }
        } else if scanner.current == UInt8(ascii: "(") {
            let opening = scanner.position
            scanner.skipBalanced()
            return Answer(source: joinPoint(scanner.text(opening + 1..<max(opening + 1, scanner.position - 1)).trimmed))
        }
        return Answer(source: nil, problem: "#\(request.macro) needs arguments", place: request.expressionPlace)
    }

    /// The name as text, beside a closure that nobody calls: it makes the compiler look the method up.
    private func joinPoint(_ reference: String) -> String {
        "LogbookTracking.JoinPointName(\(reference.swiftLiteral)) { () -> Any in \(reference) }"
    }

    /// A join point in the middle of a body. The values are evaluated when a plan asks.
    private func aspectPoint(_ call: AspectPointCall) -> String {
        var header = DeclarationHeader()
        header.name = call.name
        header.parameters = call.values.map { ParameterHeader(label: $0.key, name: $0.key, type: "Any") }
        let place = request.expressionPlace
        let descriptor = PointDescriptor(
            module: place.module, type: typePath, kind: "point", header: header, exceptions: [], fileID: place.fileID,
            line: place.line, form: PointDescriptor.form(of: header), owner: PointDescriptor.owner(of: header, kind: "point", in: nil))
        let closures = "{ nil }, { [\(call.values.map { "(\($0.text)) as Any" }.joined(separator: ", "))] }"
        if isInGenericContext || call.isGeneric {
            return "LogbookTracking.TrackingExpansion4.runLate(\"\(descriptor.literal)\", \(closures)) { () -> Void in }"
        }
        return """
            {
            \(PointText.gate(named: "__TrackedPoint", descriptor))
            __TrackedPoint.gate.run(\(closures)) { () -> Void in }
            }()
            """
    }
}
