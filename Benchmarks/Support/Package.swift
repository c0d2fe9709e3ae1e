// swift-tools-version: 6.2
import PackageDescription

// What the benchmarks share: programs that run beside a measurement, and the table of what was measured.
let package = Package(
    name: "BenchSupport",
    platforms: [.macOS(.v15)],
    products: [.library(name: "BenchSupport", targets: ["BenchSupport"])],
    targets: [.target(name: "BenchSupport")]
)
