// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

// The rooms in which threads meet, by themselves: the whole package takes many minutes to build with the thread sanitizer.
// Their sources are links to ../../Sources and ../../Tests. `run` builds and runs them.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

func room(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ room: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: room + "Tests", dependencies: [.byName(name: room), "LogbookTestKit"] + dependencies, swiftSettings: settings)
}

let package = Package(
    name: "Logbook",
    platforms: [.macOS(.v15)],
    targets: [
        .target(name: "CLogbookSystem"),
        room("LogbookCore", ["CLogbookSystem"]),
        .target(name: "CLogbookCurl", linkerSettings: [.linkedLibrary("curl")]),
        room("LogbookHTTP", ["CLogbookCurl", "LogbookCore"]),
        room("LogbookTrackingSyntax"),
        room("LogbookTrackingPlan", ["LogbookTrackingSyntax"]),
        .macro(name: "LogbookTrackingMacros", dependencies: ["LogbookTrackingSyntax"], swiftSettings: settings),
        room("LogbookTracking", ["CLogbookSystem", "LogbookCore", "LogbookTrackingPlan", "LogbookTrackingMacros"]),
        room("LogbookTestKit", ["LogbookCore", "LogbookHTTP"]),
        tests("LogbookCore"),
        tests("LogbookTracking", ["LogbookTrackingMacros", "LogbookTrackingPlan", "LogbookTrackingSyntax"]),
    ],
    swiftLanguageModes: [.v6]
)
