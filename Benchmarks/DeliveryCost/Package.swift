// swift-tools-version: 6.2
import PackageDescription

// What delivering events costs: `./run` measures requests against libcurl's own, and events from the log call to the collector's archive.
// A package in a folder is named after the folder, whatever that is called here.
let root = Context.packageDirectory.split(separator: "/").dropLast(2).last.map(String.init) ?? "logbook"

let package = Package(
    name: "DeliveryBench",
    platforms: [.macOS(.v15)],
    dependencies: [.package(path: "../..", traits: []), .package(path: "../Support")],
    targets: [
        // A receiver that throws everything away, and libcurl's easy interface as a program of C would use it.
        .target(name: "Baseline", linkerSettings: [.linkedLibrary("curl")]),
        .executableTarget(
            name: "DeliveryBench",
            dependencies: [
                "Baseline", .product(name: "BenchSupport", package: "Support"), .product(name: "Logbook", package: root),
                .product(name: "LogbookRemote", package: root),
            ]),
    ]
)
