// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

// One package, many rooms. What a room may import is written here and nowhere else; see README.md, "Traits", for what each
// trait brings. A program that wants console and files enables no trait and resolves no other package.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

// What a sanitizer looks at takes its time: Tests/run names the rooms that are optimized there, as in a release, or `all`; tests are not. A
// package with such a flag cannot be depended on, so nobody else has it.
let optimized = Set((Context.environment["LOGBOOK_OPTIMIZED"] ?? "").split(separator: " ").map(String.init))
// To optimize them takes longer than their tests.
let readersOfSources: Set = ["LogbookTrackingSyntax", "LogbookTrackingPlan", "LogbookTrackingExpansion"]

func room(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    let isOptimized = optimized.contains("all") && !readersOfSources.contains(name) || optimized.contains(name)
    return .target(
        name: name, dependencies: dependencies, swiftSettings: settings + (isOptimized ? [.unsafeFlags(["-O"])] : []))
}

func tests(_ room: String, _ dependencies: [Target.Dependency] = [], resources: [Resource] = []) -> Target {
    .testTarget(
        name: room + "Tests", dependencies: [.byName(name: room), "LogbookTestKit"] + dependencies,
        resources: resources, swiftSettings: settings)
}

// GRDB: schema, migrations, connections and queries for the transaction store and the SQLite archive.
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["Transactions"]))
// libsqlite3 itself, the one that GRDB opens: a setting that GRDB has no word for.
let sqlite = Target.Dependency.target(name: "CLogbookSQLite", condition: .when(traits: ["Transactions"]))
// A disk below SQLite whose k-th call goes wrong, for tests.
let faultyDatabase = Target.Dependency.target(name: "CFaultyDatabase", condition: .when(traits: ["Transactions"]))
// Hummingbird: the collector's HTTP server (limits, deadlines and HTTP parsing we would get wrong ourselves).
let hummingbird = Target.Dependency.product(
    name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Collector"]))
let hummingbirdCore = Target.Dependency.product(
    name: "HummingbirdCore", package: "hummingbird", condition: .when(traits: ["Collector"]))
// TLS for the collector, over swift-nio-ssl: its BoringSSL is what makes the trait's first build longer.
let hummingbirdTLS = Target.Dependency.product(
    name: "HummingbirdTLS", package: "hummingbird", condition: .when(traits: ["Collector"]))
// What Hummingbird stands on: deadlines and caps of connections are kept where their bytes arrive.
let nio = Target.Dependency.product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Collector"]))
// A connection without a network, whose other side takes what a test wants it to.
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio", condition: .when(traits: ["Collector"]))
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["Collector"]))
let nioHTTPTypes = Target.Dependency.product(
    name: "NIOHTTPTypes", package: "swift-nio-extras", condition: .when(traits: ["Collector"]))
// swift-log: the only word for how much Hummingbird says on standard error.
let hummingbirdLogging = Target.Dependency.product(
    name: "Logging", package: "swift-log", condition: .when(traits: ["Collector"]))
// swift-service-lifecycle: how Hummingbird is told to stop, and lets requests in progress end.
let serviceLifecycle = Target.Dependency.product(
    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: .when(traits: ["Collector"]))
// libpq: the PostgreSQL archive's own protocol, authentication and TLS.
let postgres = Target.Dependency.target(name: "CLogbookPostgres", condition: .when(traits: ["Collector"]))
let argumentParser = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Collector"]))
// swift-log: the protocols of the logging system that other packages log through.
let swiftLog = Target.Dependency.product(name: "Logging", package: "swift-log", condition: .when(traits: ["SwiftLog"]))

let package = Package(
    name: "Logbook",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Logbook", targets: ["Logbook"]),
        .library(name: "LogbookCompression", targets: ["LogbookCompression"]),
        .library(name: "LogbookFlightRecorder", targets: ["LogbookFlightRecorder"]),
        .library(name: "LogbookRemote", targets: ["LogbookRemote"]),
        .library(name: "LogbookUploads", targets: ["LogbookUploads"]),
        .library(name: "LogbookTransactions", targets: ["LogbookTransactions"]),
        .library(name: "LogbookSwiftLog", targets: ["LogbookSwiftLog"]),
        .library(name: "LogbookSystemLog", targets: ["LogbookSystemLog"]),
        .library(name: "LogbookCollector", targets: ["LogbookCollector"]),
        .library(name: "LogbookTracking", targets: ["LogbookTracking"]),
        .library(name: "LogbookTestKit", targets: ["LogbookTestKit"]),
        .executable(name: "logbook", targets: ["LogbookTool"]),
        .executable(name: "LogbookPlanTool", targets: ["LogbookPlanTool"]),
    ],
    traits: [
        .default(enabledTraits: ["Transactions", "SwiftLog"]),
        .trait(name: "Transactions", description: "The SQLite store of application transactions (brings GRDB)."),
        .trait(name: "SwiftLog", description: "swift-log in both directions (brings swift-log)."),
        .trait(
            name: "Collector",
            description: "The receiving service and the `logbook` tool (brings Hummingbird and swift-argument-parser).",
            enabledTraits: ["Transactions"]),
        .trait(
            name: "Examples", description: "The example programs of this repository; not for dependents.",
            enabledTraits: ["Collector"]),
    ],
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.90.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.30.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        // Ground
        .target(name: "CLogbookSystem"),
        room("LogbookCore", ["CLogbookSystem"]),

        // Shared
        .target(name: "CLogbookZlib", linkerSettings: [.linkedLibrary("z")]),
        room("LogbookGzip", ["CLogbookZlib"]),
        .target(name: "CLogbookCurl", dependencies: ["CLogbookSystem"], linkerSettings: [.linkedLibrary("curl")]),
        room("LogbookHTTP", ["CLogbookCurl", "CLogbookSystem", "LogbookCore"]),
        room("LogbookFormat", ["CLogbookSystem", "LogbookCore"]),
        room("LogbookDelivery", ["CLogbookSystem", "LogbookCore", "LogbookFormat", "LogbookHTTP"]),

        // Providers
        room("LogbookConsole", ["CLogbookSystem", "LogbookCore", "LogbookFormat"]),
        room("LogbookFiles", ["LogbookCore", "LogbookFormat"]),
        room("LogbookFlightRecorder", ["CLogbookSystem", "LogbookCore", "LogbookFormat"]),
        room(
            "LogbookRemote",
            ["CLogbookSystem", "LogbookCore", "LogbookFormat", "LogbookDelivery", "LogbookHTTP", "LogbookGzip", "LogbookSystemLog"]),
        .systemLibrary(name: "CLogbookSQLite"),
        room(
            "LogbookTransactions",
            ["CLogbookSystem", "LogbookCore", "LogbookFormat", "LogbookDelivery", "LogbookHTTP", grdb, sqlite]),
        room("LogbookSwiftLog", ["LogbookCore", "LogbookFormat", swiftLog]),
        room("LogbookSystemLog", ["CLogbookSystem", "LogbookCore", "LogbookFormat"]),

        // Between rooms: archives and gzip. Apart from LogbookFiles, so that nobody needs zlib who does not compress.
        room("LogbookCompression", ["LogbookCore", "LogbookFiles", "LogbookGzip"]),

        // Tracking: only who takes its product compiles any of this.
        room("LogbookTrackingSyntax"),
        room("LogbookTrackingPlan", ["LogbookTrackingSyntax"]),
        room("LogbookTrackingExpansion", ["LogbookTrackingSyntax"]),
        // No test depends on it: SwiftPM builds the tests of a macro, and all tests with them, for the host, and every target once more.
        .macro(name: "LogbookTrackingMacros", dependencies: ["LogbookTrackingExpansion", "LogbookTrackingSyntax"], swiftSettings: settings),
        room(
            "LogbookTracking",
            ["CLogbookSystem", "LogbookCore", "LogbookTrackingPlan", "LogbookTrackingSyntax", "LogbookTrackingMacros"]),
        .executableTarget(name: "LogbookPlanTool", dependencies: ["LogbookTrackingPlan"], swiftSettings: settings),
        // No products: SwiftPM compiles the plug-ins of a package for everyone who depends on it. Dependents copy the one file of each.
        .plugin(name: "LogbookTrackingCheck", capability: .buildTool(), dependencies: ["LogbookPlanTool"]),
        .plugin(name: "LogbookTrackingWeave", capability: .buildTool(), dependencies: ["LogbookPlanTool"]),

        room(
            "LogbookUploads",
            [
                "CLogbookSystem", "LogbookCore", "LogbookFormat", "LogbookFiles", "LogbookCompression", "LogbookDelivery",
                "LogbookHTTP",
            ]),

        // Face
        room("Logbook", ["LogbookCore", "LogbookFormat", "LogbookConsole", "LogbookFiles"]),

        // Beside
        room("LogbookTestKit", ["CLogbookSystem", "LogbookCore", "LogbookFiles", "LogbookFormat", "LogbookHTTP", swiftLog]),

        // Applications
        .systemLibrary(name: "CLogbookPostgres"),
        room(
            "LogbookCollector",
            [
                "CLogbookSystem", "LogbookCore", "LogbookFormat", "LogbookGzip", "LogbookHTTP", "LogbookTransactions", grdb, sqlite,
                hummingbird, hummingbirdCore, hummingbirdTLS, nio, nioHTTP1, nioHTTPTypes, serviceLifecycle, hummingbirdLogging, postgres,
            ]),
        room(
            "LogbookTail",
            ["CLogbookSystem", "LogbookCore", "LogbookFormat", "LogbookConsole", "LogbookFiles", "LogbookCompression"]),
        room("LogbookPipe", ["CLogbookSystem", "LogbookCore", "LogbookFormat"]),

        // Doors
        .executableTarget(
            name: "LogbookTool",
            dependencies: [
                "CLogbookSystem", "Logbook", "LogbookHTTP", "LogbookRemote", "LogbookCollector", "LogbookPipe", "LogbookTail",
                "LogbookUploads", "LogbookDelivery", "LogbookTransactions", argumentParser,
            ],
            swiftSettings: settings),

        // Examples: programs to copy from. The tests run them.
        .executableTarget(
            name: "ConsoleOnly", dependencies: ["Logbook"], path: "Examples/ConsoleOnly", swiftSettings: settings),

        // Across rooms: what holds for all providers together.
        tests(
            "Logbook",
            [
                "LogbookFlightRecorder", "LogbookGzip", "LogbookHTTP", "LogbookRemote", "LogbookSwiftLog", "LogbookSystemLog",
                "LogbookTransactions", swiftLog,
            ]),
        tests("LogbookCore"),
        tests("LogbookFormat"),
        tests("LogbookConsole", ["ConsoleOnly", "LogbookFormat"]),
        tests("LogbookFiles", ["LogbookCompression", "LogbookFormat"]),
        // Programs that log to files until they are killed: apart from the other tests, which would wait for them.
        .testTarget(
            name: "LogbookFilesKillTests",
            dependencies: ["FilesVictim", "LogbookCompression", "LogbookCore", "LogbookFiles", "LogbookTestKit"],
            swiftSettings: settings),
        .executableTarget(
            name: "FilesVictim",
            dependencies: ["LogbookCompression", "LogbookCore", "LogbookFiles", "LogbookFormat", "LogbookTestKit"],
            path: "Tests/FilesVictim", swiftSettings: settings),
        tests("LogbookFlightRecorder", ["FlightRecorderVictim", "LogbookFiles", "LogbookFormat"]),
        // A program that logs to a flight recorder until somebody kills it.
        .executableTarget(
            name: "FlightRecorderVictim", dependencies: ["LogbookCore", "LogbookFlightRecorder"],
            path: "Tests/FlightRecorderVictim", swiftSettings: settings),
        tests("LogbookGzip"),
        tests("LogbookHTTP"),
        tests("LogbookDelivery", ["LogbookFormat", "LogbookHTTP"]),
        tests("LogbookRemote", ["LogbookDelivery", "LogbookFormat", "LogbookGzip", "LogbookHTTP", "LogbookSystemLog"]),
        // Apart from the other tests, as are those of the files.
        .testTarget(
            name: "LogbookRemoteKillTests", dependencies: ["RemoteVictim", "LogbookCore", "LogbookGzip", "LogbookTestKit"],
            swiftSettings: settings),
        .executableTarget(
            name: "RemoteVictim",
            dependencies: ["LogbookCore", "LogbookDelivery", "LogbookFormat", "LogbookHTTP", "LogbookRemote", "LogbookTestKit"],
            path: "Tests/RemoteVictim", swiftSettings: settings),
        // Apart from the other tests, as are those of the files.
        .testTarget(
            name: "LogbookTransactionsKillTests", dependencies: ["TransactionsVictim", "LogbookTool", "LogbookCore", "LogbookTestKit"],
            swiftSettings: settings),
        .executableTarget(
            name: "TransactionsVictim", dependencies: ["LogbookCore", "LogbookTransactions"], path: "Tests/TransactionsVictim",
            swiftSettings: settings),
        .target(name: "CFaultyDatabase", path: "Tests/CFaultyDatabase"),
        tests("LogbookTransactions", ["LogbookDelivery", "LogbookFormat", "LogbookHTTP", faultyDatabase, grdb]),
        tests("LogbookSwiftLog", [swiftLog]),
        tests("LogbookSystemLog", ["LogbookFormat"]),
        tests(
            "LogbookCollector",
            [
                "LogbookFormat", "LogbookGzip", "LogbookHTTP", "LogbookTransactions", faultyDatabase, grdb, hummingbird, nio, nioEmbedded,
                nioHTTPTypes,
            ]),
        tests("LogbookPipe", ["LogbookFormat"]),
        tests("LogbookTracking", ["LogbookTrackingExpansion", "LogbookTrackingPlan", "LogbookTrackingSyntax"]),
        tests("LogbookTail", ["LogbookCompression", "LogbookFiles"]),
        .testTarget(
            name: "LogbookTestKitTests", dependencies: ["LogbookFiles", "LogbookFormat", "LogbookTestKit", swiftLog],
            swiftSettings: settings),
        tests("LogbookUploads", ["LogbookCompression", "LogbookDelivery", "LogbookFiles", "LogbookFormat", "LogbookHTTP"]),
        tests("LogbookTool", ["LogbookFiles", "LogbookHTTP", "LogbookTransactions", grdb]),
        // Every block of code in README.md and Plugins-Docs/ is compiled and run here.
        .testTarget(
            name: "GuidesTests",
            dependencies: [
                "Logbook", "LogbookCompression", "LogbookFlightRecorder", "LogbookRemote", "LogbookSwiftLog", "LogbookTestKit",
                "LogbookTracking", "LogbookTransactions", "LogbookUploads", swiftLog,
            ],
            swiftSettings: settings),

        // Examples
        .target(
            name: "FuelPurchase",
            dependencies: ["Logbook", "LogbookTransactions", "LogbookTracking", hummingbird],
            path: "Examples/FuelPurchase/Shared", resources: [.embedInCode("tracking-plan.json")], swiftSettings: settings,
            plugins: ["LogbookTrackingCheck"]),
        .executableTarget(
            name: "FuelClient", dependencies: ["FuelPurchase", "Logbook", argumentParser],
            path: "Examples/FuelPurchase/Client", swiftSettings: settings),
        .executableTarget(
            name: "FuelServer", dependencies: ["FuelPurchase", "Logbook", hummingbird, argumentParser],
            path: "Examples/FuelPurchase/Server", swiftSettings: settings),
        .executableTarget(
            name: "RollingUpload",
            dependencies: ["Logbook", "LogbookCompression", "LogbookUploads", argumentParser],
            path: "Examples/RollingUpload", swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
