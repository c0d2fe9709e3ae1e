internal import LogbookTrackingPlan

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Checks a tracking plan against sources, or weaves it into them, for the build-tool plug-ins and for people.
///
///     LogbookPlanTool check --plan plan.json --output checked.swift --module App Sources/App/*.swift [--module …]
///     LogbookPlanTool weave --plan plan.json --output woven.swift --implicit-dynamic --module App Sources/App/*.swift [--module …]
///     LogbookPlanTool list --module App Sources/App/*.swift
@main
enum PlanTool {
    private static let usage = """
        usage: LogbookPlanTool check --plan <plan.json> [--output <file>] --module <name> <source>… [--module …]
               LogbookPlanTool weave --plan <plan.json> [--output <file>] [--implicit-dynamic] --module <name> <source>… [--module …]
               LogbookPlanTool list --module <name> <source>… [--module …]
        The first module is the one that is woven. Without --output, what is woven is written to standard output.

        """

    private enum Command: String { case check, weave, list }

    static func main() {
        var arguments = CommandLine.arguments.dropFirst()
        guard let command = arguments.popFirst().flatMap(Command.init(rawValue:)) else { stop(64, usage) }
        var plan: String?, output: String?, modules: [String] = [], isImplicitlyDynamic = false, sources = SourceCatalog()
        while let argument = arguments.popFirst() {
            switch argument {
            case "--plan": plan = arguments.popFirst()
            case "--output": output = arguments.popFirst()
            case "--implicit-dynamic": isImplicitlyDynamic = true
            case "--module": modules += [arguments.popFirst()].compactMap { $0 }
            default:
                guard let module = modules.last else { stop(64, usage) }
                sources.add(
                    String(decoding: contents(of: argument), as: UTF8.self), module: module, path: argument,
                    isWoven: command == .weave && modules.count == 1)
            }
        }
        if command == .list {
            return show(SourceCatalog.skeleton(of: sources.catalog))
        }
        guard let plan, let module = modules.first else { stop(64, usage) }
        let document = PlanReader.read(contents(of: plan), file: plan)
        if command == .weave {
            let woven = sources.weave(document, into: module, isImplicitlyDynamic: isImplicitlyDynamic)
            if !woven.issues.isEmpty { stop(1, woven.issues.map { $0 + "\n" }.joined()) }
            if let output { save(woven.text, to: output) } else { show(woven.text) }
        } else {
            let issues = PlanCheck.check(document, against: sources.catalog, names: PlanCheck.Names()).issues
            if !issues.isEmpty { stop(1, issues.map { $0.description + "\n" }.joined()) }
            if let output { save("// The tracking plan fits the sources.\n", to: output) }
        }
    }

    private static func contents(of path: String) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { stop(66, "\(path): error: cannot read it: \(String(cString: strerror(errno)))\n") }
        defer { close(descriptor) }
        var bytes: [UInt8] = [], buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            if count < 0 { stop(66, "\(path): error: cannot read it: \(String(cString: strerror(errno)))\n") }
            if count == 0 { return bytes }
            bytes.append(contentsOf: buffer[..<count])
        }
    }

    private static func save(_ text: String, to path: String) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { stop(73, "\(path): error: cannot write it: \(String(cString: strerror(errno)))\n") }
        guard put(text, to: descriptor), close(descriptor) == 0 else {
            stop(74, "\(path): error: cannot write it: \(String(cString: strerror(errno)))\n")
        }
    }

    private static func show(_ text: String) {
        if !put(text, to: 1) { stop(74, "standard output: error: cannot write it: \(String(cString: strerror(errno)))\n") }
    }

    /// - Returns: False when not everything was written; `errno` says why.
    @discardableResult
    private static func put(_ text: String, to descriptor: Int32) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count <= 0 { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func stop(_ status: Int32, _ text: String) -> Never {
        put(text, to: 2)
        exit(status)
    }
}
