import Foundation
import LogbookTrackingSyntax
import SwiftParser
import SwiftSyntax

/// Reads every function, initializer and deinitializer of many files with SwiftParser and with the scanner, and demands that both
/// read the same.
@main
struct Compare {
    static func main() {
        var files = 0, unparsed = 0, declarations = 0, differences = 0
        for folder in CommandLine.arguments.dropFirst() {
            let before = (files, declarations)
            for path in swiftFiles(in: folder) {
                guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { continue }
                let tree = Parser.parse(source: text)
                if tree.hasError {   // the compiler hands over nothing that it could not parse
                    unparsed += 1
                    continue
                }
                files += 1
                let collector = Collector(viewMode: .sourceAccurate)
                collector.walk(tree)
                for (source, expected) in collector.found {
                    declarations += 1
                    var scanner = DeclarationScanner(source)
                    let found = Summary(scanner.header())
                    if found == expected { continue }
                    differences += 1
                    if differences <= 20 { print("\(path)\n  SwiftParser: \(expected)\n  scanner:     \(found)") }
                }
            }
            print("\(folder): \(declarations - before.1) declarations in \(files - before.0) files")
            fflush(nil)
        }
        print("\(declarations) declarations in \(files) files, without \(unparsed) that do not parse: \(differences) differences")
        exit(differences == 0 && declarations > 0 ? 0 : 1)
    }

    static func swiftFiles(in folder: String) -> [String] {
        guard let paths = FileManager.default.enumerator(atPath: folder) else { return [] }
        return paths.compactMap { $0 as? String }
            .filter { ($0.hasSuffix(".swift") || $0.hasSuffix(".swiftinterface")) && !$0.contains(".build/") }
            .map { folder + "/" + $0 }
    }
}

/// What both say about a declaration, without white space.
struct Summary: Equatable, CustomStringConvertible {
    var name = "", generics = "", result = "", condition = "", thrown = ""
    var parameters: [String] = [], modifiers: [String] = [], attributes: [String] = []
    var isAsync = false, isThrowing = false, isRethrowing = false, isFailable = false
    var body: String?

    static func plain(_ text: some StringProtocol) -> String { String(text.filter { !$0.isWhitespace }) }

    init() {}

    init(_ header: DeclarationHeader) {
        name = header.name
        generics = Self.plain(header.generics)
        result = Self.plain(header.result ?? "")
        condition = Self.plain(header.whereClause)
        thrown = Self.plain(header.thrownType ?? "")
        parameters = header.parameters.map { Self.plain("\($0.label) \($0.name): \($0.modifiers.joined())\($0.type)") }
        modifiers = header.modifiers
        attributes = header.attributes.map(Self.plain)
        isAsync = header.isAsync
        isThrowing = header.isThrowing
        isRethrowing = header.isRethrowing
        isFailable = header.isFailable
        body = header.body
    }

    var description: String {
        "\(attributes) \(modifiers) \(name)\(generics)(\(parameters.joined(separator: ", "))) \(isAsync) \(isThrowing) \(isRethrowing) \(thrown) -> \(result) \(condition) body: \(body?.count ?? -1)"
    }
}

final class Collector: SyntaxVisitor {
    var found: [(source: String, expected: Summary)] = []

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        var summary = summary(node.attributes, node.modifiers, node.body, node.genericParameterClause, node.genericWhereClause)
        summary.name = node.name.text
        add(node.signature, to: &summary)
        found.append((node.description, summary))
        return .visitChildren
    }

    override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
        var summary = summary(node.attributes, node.modifiers, node.body, node.genericParameterClause, node.genericWhereClause)
        summary.name = "init"
        summary.isFailable = node.optionalMark != nil
        add(node.signature, to: &summary)
        found.append((node.description, summary))
        return .visitChildren
    }

    override func visit(_ node: DeinitializerDeclSyntax) -> SyntaxVisitorContinueKind {
        var summary = summary(node.attributes, node.modifiers, node.body, nil, nil)
        summary.name = "deinit"
        found.append((node.description, summary))
        return .visitChildren
    }

    private func summary(
        _ attributes: AttributeListSyntax, _ modifiers: DeclModifierListSyntax, _ body: CodeBlockSyntax?,
        _ generics: GenericParameterClauseSyntax?, _ condition: GenericWhereClauseSyntax?
    ) -> Summary {
        var summary = Summary()
        summary.attributes = flat(attributes).map { Summary.plain($0.trimmedDescription.dropFirst()) }
        summary.modifiers = modifiers.map(\.name.text)
        summary.body = body.map { body in
            let text = body.trimmedDescription
            return String(text.utf8.dropFirst().dropLast()) ?? ""
        }
        summary.generics = Summary.plain(generics?.trimmedDescription ?? "")
        summary.condition = Summary.plain(condition?.trimmedDescription ?? "")
        return summary
    }

    private func flat(_ attributes: AttributeListSyntax) -> [AttributeSyntax] {
        attributes.flatMap { element -> [AttributeSyntax] in
            if let attribute = element.as(AttributeSyntax.self) { return [attribute] }
            guard let condition = element.as(IfConfigDeclSyntax.self) else { return [] }
            return condition.clauses.flatMap { clause -> [AttributeSyntax] in
                if case .attributes(let inner) = clause.elements { flat(inner) } else { [] }
            }
        }
    }

    private func add(_ signature: FunctionSignatureSyntax, to summary: inout Summary) {
        summary.parameters = signature.parameterClause.parameters.map { parameter in
            let name = (parameter.secondName ?? parameter.firstName).text
            return Summary.plain("\(parameter.firstName.text) \(name): \(parameter.type.trimmedDescription)\(parameter.ellipsis?.text ?? "")")
        }
        let effects = signature.effectSpecifiers
        summary.isAsync = effects?.asyncSpecifier != nil
        summary.isThrowing = effects?.throwsClause != nil
        summary.isRethrowing = effects?.throwsClause?.throwsSpecifier.text == "rethrows"
        summary.thrown = Summary.plain(effects?.throwsClause?.type?.trimmedDescription ?? "")
        summary.result = Summary.plain(signature.returnClause?.type.trimmedDescription ?? "")
    }
}
