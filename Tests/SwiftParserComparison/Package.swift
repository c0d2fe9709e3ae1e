// swift-tools-version: 6.2
import PackageDescription

// Compares the scanner that the macro plug-in uses with SwiftParser; see `run`.
// A package of its own: nobody else shall build swift-syntax.
let package = Package(
    name: "SwiftParserComparison",
    platforms: [.macOS(.v15)],
    dependencies: [.package(url: "https://github.com/swiftlang/swift-syntax", exact: "603.0.1")],
    targets: [
        .target(
            name: "LogbookTrackingSyntax",   // a link to the sources; they have no product
            swiftSettings: [.enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility")]),
        .executableTarget(
            name: "Compare",
            dependencies: [
                "LogbookTrackingSyntax", .product(name: "SwiftParser", package: "swift-syntax"),
                .product(name: "SwiftSyntax", package: "swift-syntax"),
            ]),
    ]
)
