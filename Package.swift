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

/// What the fuzzer's targets try.
let fuzzed: [Target.Dependency] = ["HindsightTree", "HindsightRecording", "TestSupport"]

/// What is asked of mutants, and what makes them.
let mutated: [Target.Dependency] = ["HindsightCLI", "HindsightSQLite", "CSQLite", "Samples", "TestSupport"]

let package = Package(
    name: "hindsight",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "HindsightStore", targets: ["HindsightStore"]),
        .library(name: "HindsightTree", targets: ["HindsightTree"]),
        .library(name: "HindsightRecording", targets: ["HindsightRecording"]),
        .library(name: "HindsightReplay", targets: ["HindsightReplay"]),
        .library(name: "HindsightCLI", targets: ["HindsightCLI"]),
        .library(name: "HindsightTesting", targets: ["HindsightTesting"]),
        .executable(name: "hindsight", targets: ["HindsightMain"]),
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
        library(
            "HindsightRecording",
            needs: ["HindsightSupport", "HindsightStore", "HindsightTree", "HindsightSQLite"]
        ),
        library("HindsightReplay", needs: ["HindsightStore", "HindsightTree", "HindsightRecording"]),
        library("HindsightCLI", needs: ["HindsightStore", "HindsightTree", "HindsightRecording", "HindsightReplay"]),
        library(
            "HindsightTesting",
            needs: ["HindsightStore", "HindsightTree", "HindsightSQLite", "HindsightRecording", "HindsightReplay"]
        ),
        library("Samples", needs: ["HindsightStore", "HindsightRecording", "HindsightReplay"]),
        executable("HindsightMain", needs: ["HindsightCLI", "Samples"]),
        executable(
            "Benchmarks",
            needs: ["CSQLite", "HindsightStore", "HindsightTree", "HindsightRecording", "Samples"]
        ),

        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
        testProgram("CounterTool", needs: ["HindsightCLI", "HindsightStore", "HindsightReplay"]),
        .target(
            name: "Ledger",
            dependencies: ["HindsightStore", "HindsightReplay"],
            path: "Tests/Ledger",
            swiftSettings: settings
        ),
        testProgram("LedgerApp", needs: ["Ledger", "HindsightStore", "HindsightRecording"]),
        testProgram("CrashingApp", needs: ["HindsightStore", "HindsightTree", "HindsightRecording"]),
        tests(of: "HindsightSupport"),
        tests(of: "HindsightStore"),
        // Types from C, without any code.
        .systemLibrary(name: "CShapes", path: "Tests/CShapes"),
        tests(of: "HindsightTree", needs: ["CShapes"]),
        tests(of: "HindsightSQLite"),
        tests(of: "HindsightRecording", needs: ["HindsightStore", "HindsightTree", "HindsightSQLite", "CrashingApp"]),
        tests(
            of: "HindsightReplay",
            needs: ["HindsightStore", "HindsightTree", "HindsightSQLite", "HindsightRecording"]
        ),
        tests(
            of: "HindsightCLI",
            needs: ["HindsightStore", "HindsightTree", "HindsightRecording", "HindsightReplay", "Samples"]
        ),
        tests(
            of: "HindsightTesting",
            needs: ["HindsightStore", "HindsightTree", "HindsightSQLite", "HindsightRecording", "HindsightReplay"]
        ),
        tests(of: "Samples", needs: ["HindsightStore", "HindsightTree", "HindsightRecording", "HindsightReplay"]),
        .testTarget(
            name: "FaultTests",
            dependencies: [
                "TestSupport", "Ledger", "LedgerApp", "HindsightStore", "HindsightTree", "HindsightSQLite",
                "HindsightRecording", "HindsightReplay",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "EndToEndTests",
            dependencies: ["HindsightMain", "CounterTool", "CrashingApp", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(name: "FuzzTests", dependencies: fuzzed, exclude: ["Fuzzer"], swiftSettings: settings),
        .testTarget(name: "MutantTests", dependencies: mutated, exclude: ["Program"], swiftSettings: settings),
    ]
)

// `make test-threads` and `make test-memory` build what these run: the libraries, and tests of them.
if let sanitizer = Context.environment["HINDSIGHT_SANITIZED"] {
    var kept: Set = [
        "CSQLite", "CShapes", "HindsightSupport", "HindsightStore", "HindsightTree", "HindsightSQLite",
        "HindsightRecording",
        "HindsightReplay", "TestSupport", "CrashingApp", "Ledger", "LedgerApp",
        "HindsightSupportTests", "HindsightStoreTests", "HindsightTreeTests", "HindsightSQLiteTests",
        "HindsightRecordingTests", "FaultTests",
    ]
    if sanitizer != "thread" { kept.insert("HindsightReplayTests") }
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
            exclude: ["CorpusTests.swift", "Fuzzer/words"],
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
