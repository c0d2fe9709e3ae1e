// swift-tools-version: 6.2
import PackageDescription

// What storing costs a collector: `./run` measures `logbook collect` against the same rows over SQLite's C interface.
let package = Package(
    name: "CollectorBench",
    platforms: [.macOS(.v15)],
    dependencies: [.package(path: "../Support")],
    targets: [
        .executableTarget(name: "CollectorBench", dependencies: [.product(name: "BenchSQLite", package: "Support"), .product(name: "BenchSupport", package: "Support")]),
    ]
)
