/// What is known about a place that a plan can name.
package final class JoinPointRecord: Sendable {
    package enum Kind: String, Sendable {
        case method, staticMethod, initializer, deinitializer, function, point
    }

    package struct Parameter: Sendable {
        package let label: String
        package let name: String
        package let type: String
        package let isCapturable: Bool
    }

    package let module: String
    /// Nested names with dots between them; empty for a free function.
    package let type: String
    /// The Swift full name, or the name of an `#aspectPoint`.
    package let selector: String
    package let kind: Kind
    package let parameters: [Parameter]
    /// As written; `Void` for none.
    package let result: String
    package let isAsync: Bool
    package let isThrowing: Bool
    /// `Module/File.swift`.
    package let file: String
    package let line: Int

    package init(
        module: String, type: String, selector: String, kind: Kind, parameters: [Parameter], result: String, isAsync: Bool,
        isThrowing: Bool, file: String, line: Int
    ) {
        self.module = module
        self.type = type
        self.selector = selector
        self.kind = kind
        self.parameters = parameters
        self.result = result
        self.isAsync = isAsync
        self.isThrowing = isThrowing
        self.file = file
        self.line = line
    }

    /// Takes apart what the macro plug-in wrote; see `PointDescriptor`.
    package convenience init?(descriptor: UnsafeBufferPointer<UInt8>) {
        let fields = DescriptorFields.split(descriptor, at: 0x1F)
        guard fields.count == 10 else { return nil }
        func text(_ place: Int) -> String { String(decoding: fields[place], as: UTF8.self) }
        guard let kind = Kind(rawValue: text(3)) else { return nil }
        let parameters = DescriptorFields.split(fields[4], at: 0x1E).compactMap { parameter -> Parameter? in
            let parts = DescriptorFields.split(parameter, at: 0x1D)   // one part, of no bytes, where there is no parameter
            guard parts.count == 4 else { return nil }
            return Parameter(
                label: String(decoding: parts[0], as: UTF8.self), name: String(decoding: parts[1], as: UTF8.self),
                type: String(decoding: parts[2], as: UTF8.self), isCapturable: parts[3].first == UInt8(ascii: "1"))
        }
        self.init(
            module: text(0), type: text(1), selector: text(2), kind: kind, parameters: parameters, result: text(5),
            isAsync: text(6) == "1", isThrowing: text(7) == "1", file: text(8), line: Int(text(9)) ?? 0)
    }

    /// `Type.selector`, as a plan and a person would say it.
    package var name: String { type.isEmpty ? selector : type + "." + selector }
    /// The name with its module.
    package var id: String { module + "." + name }
    package var returnsNothing: Bool { result == "Void" || result == "()" || result == "Never" }
    package var hasInstance: Bool { kind == .method }
}
