// swift-tools-version: 6.2
import PackageDescription

// One copy of the tracking runtime for a program and the libraries that it opens.
let package = Package(
    name: "Runtime",
    platforms: [.macOS(.v15)],
    products: [.library(name: "AppRuntime", type: .dynamic, targets: ["AppRuntime"])],
    dependencies: [.package(path: "../logbook", traits: [])],
    targets: [
        .target(
            name: "AppRuntime",
            dependencies: [.product(name: "Logbook", package: "logbook"), .product(name: "LogbookTracking", package: "logbook")])
    ]
)
