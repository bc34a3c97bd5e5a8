// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error)
]

func library(_ name: String, needs dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func executable(_ name: String, needs dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(of name: String, needs dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: "\(name)Tests",
        dependencies: [.target(name: name), "TestSupport"] + dependencies,
        swiftSettings: settings
    )
}

/// A program that tests run: the tool of a small app whose reducers can be changed, an app that traps on demand.
func testProgram(_ name: String, needs dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: "Tests/\(name)", swiftSettings: settings)
}

/// An app whose module has the default isolation of Xcode's new apps. All three have the same sources.
func mainActorApp(_ name: String, _ own: [SwiftSetting] = []) -> Target {
    .target(
        name: name,
        dependencies: base + ["HindsightFormat", "HindsightRecorder"],
        path: "Tests/\(name)",
        swiftSettings: settings + [.defaultIsolation(MainActor.self)] + own
    )
}

/// What Xcode's setting Approachable Concurrency turns on.
let approachableConcurrency: [SwiftSetting] = [
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
]

// The layers, each with all below it. `.ci/layers` checks who imports what.
let base: [Target.Dependency] = ["HindsightSupport", "HindsightStore", "HindsightTree", "HindsightSQLite"]
let format = base + ["HindsightFormat"]
let recordings = format + ["HindsightRecorder", "HindsightRecording"]
let replay = recordings + ["HindsightReplay"]
let tool = replay + ["HindsightQuery", "HindsightDebugger", "HindsightView"]

/// What the fuzzer's targets try.
let fuzzed = recordings + ["TestSupport"]

/// What is asked of mutants, and what makes them.
let mutated: [Target.Dependency] = ["HindsightCLI", "HindsightSQLite", "CSQLite", "Samples", "TestSupport"]

let package = Package(
    name: "hindsight",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "HindsightStore", targets: ["HindsightStore"]),
        .library(name: "HindsightRecorder", targets: ["HindsightRecorder"]),
        .library(name: "HindsightRecording", targets: ["HindsightRecording"]),
        .library(name: "HindsightReplay", targets: ["HindsightReplay"]),
        .library(name: "HindsightUpload", targets: ["HindsightUpload"]),
        .library(name: "HindsightCLI", targets: ["HindsightCLI"]),
        .library(name: "HindsightTesting", targets: ["HindsightTesting"]),
        .executable(name: "hindsight", targets: ["HindsightMain"]),
        .plugin(name: "HindsightPlugin", targets: ["HindsightPlugin"]),
    ],
    traits: [
        .trait(name: "Live", description: "view --live, which needs libmicrohttpd"),
        .trait(
            name: "Archive",
            description: "archive: recordings of a fleet in PostgreSQL, which needs libpq and libmicrohttpd"
        ),
    ],
    targets: [
        // Imports run downward only; `.ci/layers` checks it.
        .systemLibrary(
            name: "CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]
        ),
        library("HindsightSupport"),
        library("HindsightStore", needs: ["HindsightSupport"]),
        library("HindsightTree", needs: ["HindsightSupport"]),
        library("HindsightSQLite", needs: ["CSQLite", "HindsightSupport"]),
        library("HindsightFormat", needs: base),
        library("HindsightRecorder", needs: format),
        library("HindsightRecording", needs: format),
        library("HindsightReplay", needs: recordings),
        library("HindsightUpload", needs: format),
        library("HindsightQuery", needs: format + ["HindsightRecording"]),
        library("HindsightDebugger", needs: replay + ["HindsightQuery"]),
        // Embeds the files of the folder Page.
        .target(name: "CPage", exclude: ["Page"]),
        library("HindsightView", needs: format + ["CPage", "HindsightRecording"]),
        .target(name: "CConditions"),
        // Without these traits it has no server, and needs no library.
        .target(
            name: "CServer",
            cSettings: [.define("HINDSIGHT_SERVER", .when(traits: ["Live", "Archive"]))],
            linkerSettings: [.linkedLibrary("microhttpd", .when(traits: ["Live", "Archive"]))]
        ),
        .systemLibrary(
            name: "CPostgres",
            pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]
        ),
        // Without the trait it is empty, and needs no library.
        library(
            "HindsightArchive",
            needs: format + ["HindsightRecording", .target(name: "CPostgres", condition: .when(traits: ["Archive"]))]
        ),
        library(
            "HindsightCLI",
            needs: tool + [
                "CConditions",
                .target(name: "CServer", condition: .when(traits: ["Live", "Archive"])),
                .target(name: "HindsightArchive", condition: .when(traits: ["Archive"])),
            ]
        ),
        library("HindsightTesting", needs: replay + ["HindsightView"]),
        library("Samples", needs: replay),
        executable("HindsightMain", needs: ["HindsightCLI", "Samples"]),
        executable("HindsightInit", needs: []),
        // No permissions: most commands only read, and SwiftPM would ask before each.
        .plugin(
            name: "HindsightPlugin",
            capability: .command(
                intent: .custom(verb: "hindsight", description: "Build this package's hindsight tool, and run it")
            ),
            dependencies: ["HindsightInit"],
            path: "Sources/HindsightPlugin"
        ),
        executable("Benchmarks", needs: tool + ["Samples"]),

        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
        // Recordings of random actions, with the truth about them.
        .target(
            name: "RandomRecordings",
            dependencies: format + ["HindsightRecording", "TestSupport"],
            path: "Tests/RandomRecordings",
            swiftSettings: settings
        ),
        testProgram("CounterTool", needs: replay + ["HindsightCLI"]),
        testProgram("CartTool", needs: replay + ["HindsightCLI"]),
        testProgram("CheckoutTool", needs: replay + ["HindsightCLI", "Samples"]),
        testProgram("PlantedTool", needs: replay + ["HindsightCLI"]),
        testProgram("ImpureTool", needs: replay + ["HindsightCLI"]),
        .target(
            name: "Ledger",
            dependencies: ["HindsightStore", "HindsightReplay"],
            path: "Tests/Ledger",
            swiftSettings: settings
        ),
        mainActorApp("MainActorApp"),
        mainActorApp("MainActorAppSwift5", [.swiftLanguageMode(.v5)]),
        mainActorApp("MainActorAppApproachable", approachableConcurrency),
        .testTarget(
            name: "MainActorAppTests",
            dependencies: replay + ["MainActorApp", "MainActorAppSwift5", "MainActorAppApproachable"],
            swiftSettings: settings
        ),
        testProgram("LedgerApp", needs: recordings + ["Ledger"]),
        testProgram("CrashingApp", needs: recordings),
        testProgram("UploadingApp", needs: ["HindsightUpload"]),
        tests(of: "HindsightSupport"),
        tests(of: "HindsightStore"),
        // Types from C, without any code.
        .systemLibrary(name: "CShapes", path: "Tests/CShapes"),
        tests(of: "HindsightTree", needs: ["CShapes"]),
        tests(of: "HindsightSQLite"),
        tests(of: "HindsightRecording", needs: format + ["HindsightRecorder", "CrashingApp"]),
        tests(of: "HindsightReplay", needs: recordings),
        tests(of: "HindsightQuery", needs: replay + ["RandomRecordings"]),
        tests(of: "HindsightDebugger", needs: replay + ["HindsightQuery", "RandomRecordings"]),
        tests(of: "HindsightView", needs: format + ["CPage", "HindsightRecording"]),
        tests(of: "HindsightCLI", needs: tool + ["Samples"]),
        tests(of: "HindsightTesting", needs: replay + ["HindsightMain"]),
        tests(of: "HindsightInit"),
        tests(of: "Samples", needs: replay + ["HindsightTesting"]),
        .testTarget(
            name: "FaultTests",
            dependencies: replay + ["TestSupport", "Ledger", "LedgerApp"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "HindsightMain", "HindsightTesting", "CartTool", "CounterTool", "CheckoutTool", "PlantedTool",
                "ImpureTool",
                "CrashingApp", "TestSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(name: "FuzzTests", dependencies: fuzzed, exclude: ["Fuzzer", "Corpus"], swiftSettings: settings),
        .testTarget(name: "MutantTests", dependencies: mutated, exclude: ["Program"], swiftSettings: settings),
    ]
)

// `make test-threads`, `make test-memory` and a sample of mutants build what these run: some libraries, and tests of them.
if let part = Context.environment["HINDSIGHT_SANITIZED"] ?? Context.environment["HINDSIGHT_PART"] {
    var kept: Set = [
        "CSQLite", "CShapes", "HindsightSupport", "HindsightStore", "HindsightTree", "HindsightSQLite", "TestSupport",
        "HindsightSupportTests", "HindsightStoreTests", "HindsightTreeTests", "HindsightSQLiteTests",
    ]
    if part != "core" {
        kept.formUnion([
            "HindsightFormat", "HindsightRecorder", "HindsightRecording", "HindsightReplay", "CrashingApp", "Ledger",
            "LedgerApp", "HindsightRecordingTests", "FaultTests",
        ])
    }
    if part == "address" { kept.insert("HindsightReplayTests") }
    package.targets.removeAll { !kept.contains($0.name) }
    package.products.removeAll { !kept.contains($0.name) }
}

// `make fuzz` and `make torture-mutants` build as programs what tests do in small: one under the toolchain's fuzzer, one
// that starts itself again where it dies.
if Context.environment["HINDSIGHT_FUZZ"] != nil {
    package.targets.removeAll { $0.type == .test }
    package.targets += [
        .executableTarget(
            name: "Fuzzer",
            dependencies: fuzzed,
            path: "Tests/FuzzTests",
            exclude: ["CorpusTests.swift", "Corpus", "Fuzzer/words"],
            swiftSettings: settings,
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])]
        ),
        .executableTarget(
            name: "Mutants",
            dependencies: mutated,
            path: "Tests/MutantTests",
            exclude: ["MutantTests.swift", "Program/judge.py"],
            swiftSettings: settings
        ),
    ]
}
