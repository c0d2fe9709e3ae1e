import Foundation
import PackagePlugin

/// Checks the file `tracking-plan.json` of a target against the target's sources, and those of the targets that it uses, at every
/// build in which one of them has changed. A plan that does not fit fails the build.
@main
struct LogbookTrackingCheck: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
        guard let module = target.sourceModule else { return [] }
        let plan = module.directoryURL.appending(path: "tracking-plan.json")
        guard FileManager.default.fileExists(atPath: plan.path) else {
            Diagnostics.error("\(module.name) has no tracking-plan.json in \(module.directoryURL.path)")
            return []
        }
        let modules = [module] + target.recursiveTargetDependencies.compactMap { dependency in
            let isOurs = context.package.targets.contains { $0.id == dependency.id }
            return isOurs ? dependency.sourceModule.flatMap { $0.kind == .generic ? $0 : nil } : nil
        }
        let output = context.pluginWorkDirectoryURL.appending(path: "TrackingPlanChecked.swift")
        var arguments = ["check", "--plan", plan.path, "--output", output.path], sources: [URL] = []
        for module in modules {
            let files = module.sourceFiles(withSuffix: "swift").map(\.url)
            if files.isEmpty { continue }
            arguments += ["--module", module.moduleName] + files.map(\.path)
            sources += files
        }
        return [
            .buildCommand(
                displayName: "Checking the tracking plan of \(module.name)",
                executable: try context.tool(named: "LogbookPlanTool").url, arguments: arguments,
                inputFiles: [plan] + sources, outputFiles: [output])
        ]
    }
}
