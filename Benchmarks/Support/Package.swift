// swift-tools-version: 6.2
import PackageDescription

// What the benchmarks share: programs that run beside a measurement, SQLite's C interface, and the table of what was measured.
let package = Package(
    name: "BenchSupport",
    platforms: [.macOS(.v15)],
    products: [.library(name: "BenchSupport", targets: ["BenchSupport"]), .library(name: "BenchSQLite", targets: ["BenchSQLite"])],
    targets: [
        .target(name: "BenchSupport"),
        .systemLibrary(name: "CSQLite"),
        .target(name: "BenchSQLite", dependencies: ["BenchSupport", "CSQLite"]),
    ]
)
