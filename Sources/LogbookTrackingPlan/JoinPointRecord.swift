/// What is known about a place that a plan can name.
package final class JoinPointRecord: Sendable {
    package enum Kind: String, Sendable {
        case method, staticMethod, initializer, deinitializer, function, point
    }

    /// How a call is noticed: its body is in a closure, stands behind a statement, where it may consume its instance, or is called by what
    /// takes its place.
    package enum Form: String, Sendable {
        case wrapped, bracketed, consumed, replaced
    }

    /// Whom a call belongs to, as far as its instance can be captured.
    package enum Owner: String, Sendable {
        case none, value, object, unknown
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
    package let form: Form
    package let owner: Owner
    /// Whether another thread may be changing what is inside the instance during a call.
    package let leavesIsolation: Bool

    package init(
        module: String, type: String, selector: String, kind: Kind, parameters: [Parameter], result: String, isAsync: Bool,
        isThrowing: Bool, file: String, line: Int, form: Form, owner: Owner, leavesIsolation: Bool = false
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
        self.form = form
        self.owner = owner
        self.leavesIsolation = leavesIsolation
    }

    /// Takes apart what the macro plug-in wrote; see `PointDescriptor`.
    package convenience init?(descriptor: UnsafeBufferPointer<UInt8>) {
        var fields = DescriptorFields(descriptor, separatedBy: 0x1F)
        guard let module = fields.nextText(), let type = fields.nextText(), let selector = fields.nextText(),
            let kind = fields.nextText().flatMap(Kind.init(rawValue:)), let parameters = fields.next(), let result = fields.nextText(),
            let isAsync = fields.next(), let isThrowing = fields.next(), let file = fields.nextText(), let line = fields.nextText(),
            let form = fields.nextText().flatMap(Form.init(rawValue:)), let owner = fields.nextText().flatMap(Owner.init(rawValue:))
        else { return nil }
        self.init(
            module: module, type: type, selector: selector, kind: kind, parameters: Self.parameters(parameters), result: result,
            isAsync: isAsync.first == UInt8(ascii: "1"), isThrowing: isThrowing.first == UInt8(ascii: "1"), file: file,
            line: Int(line) ?? 0, form: form, owner: owner, leavesIsolation: fields.next()?.first == UInt8(ascii: "1"))
    }

    private static func parameters(_ descriptor: UnsafeBufferPointer<UInt8>) -> [Parameter] {
        if descriptor.isEmpty { return [] }
        var descriptors = DescriptorFields(descriptor, separatedBy: 0x1E), parameters: [Parameter] = []
        while let descriptor = descriptors.next() {
            var fields = DescriptorFields(descriptor, separatedBy: 0x1D)
            guard let label = fields.nextText(), let name = fields.nextText(), let type = fields.nextText(), let capturable = fields.next()
            else { continue }
            parameters.append(
                Parameter(label: label, name: name, type: type, isCapturable: capturable.first == UInt8(ascii: "1")))
        }
        return parameters
    }

    /// `Type.selector`, as a plan and a person would say it.
    package var name: String { type.isEmpty ? selector : type + "." + selector }
    /// The name with its module.
    package var id: String { module + "." + name }
    package var returnsNothing: Bool { result == "Void" || result == "()" || result == "Never" }
    package var hasInstance: Bool { owner != .none }
}
