// swift-tools-version: 6.2
import PackageDescription

// What uploading and reading files costs: `./run` measures the `logbook` tool against curl, grep and zcat.
let package = Package(
    name: "FileBench",
    platforms: [.macOS(.v15)],
    dependencies: [.package(path: "../Support")],
    targets: [.executableTarget(name: "FileBench", dependencies: [.product(name: "BenchSupport", package: "Support")])]
)
