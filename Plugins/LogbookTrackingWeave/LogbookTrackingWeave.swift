import Foundation
import PackagePlugin

/// Weaves the file `tracking-plan.json` of a target into the target's sources, which carry no annotation: a source is added to the
/// target with something in the place of each function that the plan names. A plan that does not fit, or names what cannot be
/// woven, fails the build.
///
/// A target that is built with `-enable-implicit-dynamic` says so by defining `IMPLICIT_DYNAMIC`; in any other, the functions that
/// the plan names have to be `dynamic`.
@main
struct LogbookTrackingWeave: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
        guard let module = target.sourceModule as? SwiftSourceModuleTarget else { return [] }
        let plan = module.directoryURL.appending(path: "tracking-plan.json")
        guard FileManager.default.fileExists(atPath: plan.path) else {
            Diagnostics.error("\(module.name) has no tracking-plan.json in \(module.directoryURL.path)")
            return []
        }
        // What other targets have can be named where it is annotated.
        let others = target.recursiveTargetDependencies.compactMap { dependency in
            let isOurs = context.package.targets.contains { $0.id == dependency.id }
            return isOurs ? dependency.sourceModule.flatMap { $0.kind == .generic ? $0 : nil } : nil
        }
        let output = context.pluginWorkDirectoryURL.appending(path: "TrackingPlanWoven.swift")
        var arguments = ["weave", "--plan", plan.path, "--output", output.path], sources: [URL] = []
        if module.compilationConditions.contains("IMPLICIT_DYNAMIC") { arguments.append("--implicit-dynamic") }
        for module in [module] + others {
            let files = module.sourceFiles(withSuffix: "swift").map(\.url)
            if files.isEmpty { continue }
            arguments += ["--module", module.moduleName] + files.map(\.path)
            sources += files
        }
        return [
            .buildCommand(
                displayName: "Weaving the tracking plan into \(module.name)",
                executable: try context.tool(named: "LogbookPlanTool").url, arguments: arguments,
                inputFiles: [plan] + sources, outputFiles: [output])
        ]
    }
}
