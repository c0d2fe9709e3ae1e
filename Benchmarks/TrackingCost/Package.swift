// swift-tools-version: 6.2
import PackageDescription

// What tracking costs: `./run` measures and compares with the bars.
// A package in a folder is named after the folder, whatever that is called here.
let root = Context.packageDirectory.split(separator: "/").dropLast(2).last.map(String.init) ?? "logbook"
let logbook = ["Logbook", "LogbookTracking"].map { Target.Dependency.product(name: $0, package: root) }

let package = Package(
    name: "TrackingBench",
    platforms: [.macOS(.v15)],
    dependencies: [.package(path: "../..", traits: [])],
    targets: [
        // Counts allocations.
        .target(name: "CallCounter"),
        .executableTarget(name: "TrackingBench", dependencies: ["CallCounter"] + logbook),
        // The same thousand methods, tracked and not; made by `run`.
        .executableTarget(name: "ThousandTracked", dependencies: ["CallCounter"] + logbook),
        .executableTarget(name: "ThousandPlain", dependencies: ["CallCounter"] + logbook),
    ]
)
