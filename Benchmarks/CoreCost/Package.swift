// swift-tools-version: 6.2
import PackageDescription

// What logging costs: `./run` measures and compares with the bars, `./gate` counts instructions and allocations and fails when they grow.
// A package in a folder is named after the folder, whatever that is called here.
let root = Context.packageDirectory.split(separator: "/").dropLast(2).last.map(String.init) ?? "logbook"

let package = Package(
    name: "LoggingBench",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(path: "../..", traits: []),
        // The logging system that most Swift packages use: what its own handler costs.
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        // Counts allocations and reads the clocks.
        .target(name: "Counters"),
        .executableTarget(
            name: "LoggingBench",
            dependencies: [
                "Counters", .product(name: "Logbook", package: root), .product(name: "Logging", package: "swift-log"),
            ]),
    ]
)
