import Foundation
import Testing

@testable import HindsightInit

@Suite struct InitializationTests {
    private func facts(libraries: [String] = [], _ more: String...) throws -> PackageFacts {
        try PackageFacts(
            ["--directory", "/package", "--package", "MyApp", "--dependency", "hind"]
                + libraries.flatMap { ["--library", $0, "/package/Sources/\($0)", "--existing", $0] } + more
        )
    }

    private let app = DeclaredApp(target: "Shop-Core", constant: "shop", name: "the-shop")

    @Test func `without an app, init creates a sample, a tool and a test`() throws {
        let made = try Initialization(try facts(), declared: [])
        #expect(made.isSample)
        #expect(
            made.files.map(\.path) == [
                "Sources/MyAppCore/SampleApp.swift", "Sources/myapp-hindsight/main.swift",
                "Tests/MyAppRecordingTests/RecordingTests.swift", "Tests/MyAppRecordingTests/Fixtures/README.md",
            ]
        )
        #expect(made.files[1].text == "import HindsightCLI\nimport MyAppCore\n\nHindsightTool.run(sampleApp)\n")
        #expect(
            made.targets == [
                """
                .target(
                    name: "MyAppCore",
                    dependencies: [
                        .product(name: "HindsightStore", package: "hind"),
                        .product(name: "HindsightRecorder", package: "hind"),
                    ]
                )
                """,
                """
                .executableTarget(
                    name: "myapp-hindsight",
                    dependencies: [
                        "MyAppCore",
                        .product(name: "HindsightCLI", package: "hind"),
                    ]
                )
                """,
                """
                .testTarget(
                    name: "MyAppRecordingTests",
                    dependencies: [
                        "MyAppCore",
                        .product(name: "HindsightTesting", package: "hind"),
                    ],
                    exclude: ["Fixtures"]
                )
                """,
            ]
        )
    }

    @Test func `the tool and the test use the declared app`() throws {
        let made = try Initialization(try facts(libraries: ["Shop-Core", "Other"], "--app=shop 2"), declared: [app])
        #expect(!made.isSample)
        #expect(made.files.map(\.path).first == "Sources/shop-2-hindsight/main.swift")
        #expect(made.files[0].text == "import HindsightCLI\nimport Shop_Core\n\nHindsightTool.run(shop)\n")
        #expect(made.files[1].path == "Tests/Shop2RecordingTests/RecordingTests.swift")
        #expect(made.files[1].text.contains("expectReplay(of: recording, by: shop)"))
        #expect(made.targets.count == 2)
        #expect(made.targets[0].contains("\"Shop-Core\","))
    }

    @Test func `the tool runs all apps of the target`() throws {
        let other = DeclaredApp(target: "Shop-Core", constant: "till", name: nil)
        let made = try Initialization(try facts(libraries: ["Shop-Core"]), declared: [app, other])
        #expect(made.files[0].text.contains("HindsightTool.run(shop, till)"))
    }

    @Test func `a constant that several branches declare counts once`() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "declared-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let source = """
            #if V2
            public let shop = ReplayableApp(name: "shop", initialState: Shop(), reducer: reducer)
            #else
            public let shop = ReplayableApp(name: "shop", initialState: OldShop(), reducer: oldReducer)
            #endif
            public let till = ReplayableApp(name: "till", initialState: Till(), reducer: tillReducer)
            """
        try source.write(to: directory.appending(path: "Apps.swift"), atomically: true, encoding: .utf8)
        #expect(try DeclaredApp.all(in: directory, of: "Shop").map(\.constant) == ["shop", "till"])
    }

    @Test func `an unclear app is an error that says what to do`() throws {
        let elsewhere = DeclaredApp(target: "Other", constant: "till", name: nil)
        func error(_ facts: PackageFacts, _ declared: [DeclaredApp]) -> InitFailure? {
            #expect(throws: InitFailure.self) { try Initialization(facts, declared: declared) }
        }
        let libraries = ["Shop-Core", "Other"]
        #expect(
            error(try facts(libraries: libraries), [app, elsewhere])?.lines == [
                "Several library targets declare apps: Other, Shop-Core.", "Choose one: --target Other",
            ]
        )
        let chosen = try Initialization(
            try facts(libraries: libraries, "--target", "Other"),
            declared: [app, elsewhere]
        )
        #expect(chosen.app == elsewhere)
        #expect(
            error(try facts(libraries: libraries, "--target", "Otter"), [app])?.lines == [
                "The package has no library target Otter.", "Its library targets: Shop-Core, Other.",
            ]
        )
        #expect(
            error(try facts(libraries: libraries, "--target", "Other"), [app])?.lines.first
                == "The target Other declares no public app at its top level."
        )
        #expect(
            error(try facts("--existing", "myapp-hindsight"), [])?.lines.first
                == "The package already has a target myapp-hindsight."
        )
        #expect(
            error(try facts(libraries: ["MyAppCore"]), [])?.lines == [
                "The package already has a target MyAppCore.",
                "Declare the app in it, at its top level: " + Initialization.declaration,
            ]
        )
    }

    @Test func `wrong arguments are errors`() {
        for words in [["--ap", "x"], ["--app"], ["--app", "--target"], ["x"], ["--directory", ""], []] {
            #expect(throws: InitFailure.self, "\(words)") { try PackageFacts(words) }
        }
    }

    @Test(arguments: [
        ("MyApp", "myapp", "MyApp"), ("my app", "my-app", "MyApp"), ("2048", "2048", "App2048"), ("é!", "app", "App"),
    ])
    func `names of files and modules come from the package's name`(package: String, app: String, type: String) {
        let names = Names(package)
        #expect(names.app == app)
        #expect(names.type == type)
    }

    @Test func `apps are found in Swift text`() {
        let text = """
            public let one = ReplayableApp("first", version: "1", initial: S(), reducer: r)
            public let two = ReplayableApp(
                "second",
                initial: S()
            )
            nonisolated public let three: ReplayableApp = make()
            public nonisolated var four: ReplayableApp { make() }
            public let five = ReplayableApp(name, initial: S())
            let hidden = ReplayableApp("hidden")
            // public let comment = ReplayableApp("comment")
            enum Apps {
                public static let inner = ReplayableApp("inner")
            }
            public let other = ReplayableApps("other")
            """
        let found = DeclaredApp.all(in: text, of: "T")
        #expect(found.map(\.constant) == ["one", "two", "three", "four", "five"])
        #expect(found.map(\.name) == ["first", "second", nil, nil, nil])
    }

    /// An empty directory, removed after the test.
    private func inDirectory(_ body: (URL) throws -> Void) throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "hindsight-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: directory) } }
        try body(directory)
    }

    @Test func `init writes the files and extends the manifest, once`() throws {
        try inDirectory { directory in
            let manifest = directory.appending(path: "Package.swift")
            try Data("let package = Package(name: \"MyApp\", targets: [])\n".utf8).write(to: manifest)
            let made = try Initialization(try facts(), declared: [])
            let lines = try made.write(into: directory)
            #expect(lines.first == "Added 3 targets to Package.swift, and created:")
            for file in made.files {
                #expect(try String(contentsOf: directory.appending(path: file.path), encoding: .utf8) == file.text)
            }
            let edited = try String(contentsOf: manifest, encoding: .utf8)
            #expect(edited.contains("name: \"myapp-hindsight\""))
            let library = directory.appending(path: "Sources/MyAppCore")
            #expect(try DeclaredApp.all(in: library, of: "MyAppCore").map(\.constant) == ["sampleApp"])

            #expect(throws: InitFailure.self) { try made.write(into: directory) }
            #expect(try String(contentsOf: manifest, encoding: .utf8) == edited)
        }
    }

    @Test func `if the manifest has no list of targets, init prints the targets and leaves the manifest`() throws {
        try inDirectory { directory in
            let manifest = directory.appending(path: "Package.swift")
            let text = "let package = Package(name: \"MyApp\", targets: all)\n"
            try Data(text.utf8).write(to: manifest)
            let made = try Initialization(try facts(), declared: [])
            let lines = try made.write(into: directory)
            for target in made.targets { #expect(lines.contains(target + ",")) }
            #expect(try String(contentsOf: manifest, encoding: .utf8) == text)
        }
    }
}
