// swift-tools-version: 6.2
import PackageDescription

// What storing costs a client: `./run` measures the provider of application transactions against the same rows over SQLite's C interface
// and through GRDB.
// A package in a folder is named after the folder, whatever that is called here.
let root = Context.packageDirectory.split(separator: "/").dropLast(2).last.map(String.init) ?? "logbook"

let package = Package(
    name: "StoreBench",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(path: "../..", traits: ["Transactions"]), .package(path: "../Support"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .executableTarget(
            name: "StoreBench",
            dependencies: [
                .product(name: "BenchSQLite", package: "Support"), .product(name: "BenchSupport", package: "Support"), .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logbook", package: root), .product(name: "LogbookTransactions", package: root),
            ]),
    ]
)
