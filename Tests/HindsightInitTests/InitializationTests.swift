import Foundation
import TestSupport
import Testing

@testable import HindsightInit

@Suite struct InitializationTests {
    private func facts(libraries: [String] = [], _ more: String...) throws -> PackageFacts {
        try PackageFacts(
            ["--directory", "/package", "--package", "MyApp", "--dependency", "hind"]
                + libraries.flatMap { ["--library", $0, "/package/Sources/\($0)", "--existing", $0] } + more
        )
    }

    private let scratch = Scratch()
    private let app = DeclaredApp(target: "Shop-Core", constant: "shop", name: "the-shop")

    @Test(arguments: ["--app=", "--target=", "--name=shop", "shop"])
    func `an argument that init does not know, and an option without its value, are errors`(word: String) {
        #expect(throws: InitFailure.self) { try facts(libraries: [], word) }
    }

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
            made.targets.map { $0.entry(package: "hind") } == [
                """
                .target(
                    name: "MyAppCore",
                    dependencies: [
                        .product(name: "HindsightStore", package: "hind"),
                        .product(name: "HindsightRecorder", package: "hind"),
                    ]
                ),
                """,
                """
                .executableTarget(
                    name: "myapp-hindsight",
                    dependencies: [
                        "MyAppCore",
                        .product(name: "HindsightCLI", package: "hind"),
                    ]
                ),
                """,
                """
                .testTarget(
                    name: "MyAppRecordingTests",
                    dependencies: [
                        "MyAppCore",
                        .product(name: "HindsightTesting", package: "hind"),
                    ],
                    exclude: ["Fixtures"]
                ),
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
        #expect(made.targets.map(\.library) == ["Shop-Core", "Shop-Core"])
    }

    @Test func `the tool runs all apps of the target`() throws {
        let other = DeclaredApp(target: "Shop-Core", constant: "till", name: nil)
        let made = try Initialization(try facts(libraries: ["Shop-Core"]), declared: [app, other])
        #expect(made.files[0].text.contains("HindsightTool.run(shop, till)"))
    }

    @Test func `a constant that several branches declare counts once`() throws {
        let source = """
            #if V2
            public let shop = ReplayableApp(name: "shop", initialState: Shop(), reducer: reducer)
            #else
            public let shop = ReplayableApp(name: "shop", initialState: OldShop(), reducer: oldReducer)
            #endif
            public let till = ReplayableApp(name: "till", initialState: Till(), reducer: tillReducer)
            """
        try source.write(to: scratch.file("Apps.swift"), atomically: true, encoding: .utf8)
        #expect(try DeclaredApp.all(in: scratch.directory, of: "Shop").map(\.constant) == ["shop", "till"])
    }

    @Test func `the packages that a target at the package's root was built with declare no app of it`() throws {
        let checkout = scratch.file(".build/checkouts/other")
        try FileManager.default.createDirectory(at: checkout, withIntermediateDirectories: true)
        for (constant, folder) in [("sample", checkout), ("shop", scratch.directory)] {
            let source = "public let \(constant) = ReplayableApp(\"shop\", initial: Shop(), reducer: reducer)\n"
            try Data(source.utf8).write(to: folder.appending(path: "App.swift"))
        }
        #expect(try DeclaredApp.all(in: scratch.directory, of: "Shop").map(\.constant) == ["shop"])
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

    @Test(arguments: [
        "/* a comment\nDECLARATION\n*/\n",
        "/* one /* in */ another\nDECLARATION\n*/\n",
        "let text = \"\"\"\nDECLARATION\n\"\"\"\n",
        "let text = #\"\"\"\n\"\"\" \\(\nDECLARATION\n\"\"\"#\n",
        "let text = \"\"\"\n\\(list.map { \"\\($0)\" })\nDECLARATION\n\"\"\"\n",
        "/*\n\"\nDECLARATION\n*/\n",
    ])
    func `apps in comments and in string literals are none`(hidden: String) {
        let declaration = #"public let old = ReplayableApp("old", initial: S(), reducer: r)"#
        let text = hidden.replacing("DECLARATION", with: declaration)
        let kept = #"public let kept = ReplayableApp( /* its name */ "kept", initial: S(), reducer: r)"#
        let expected = [DeclaredApp(target: "T", constant: "kept", name: "kept")]
        #expect(DeclaredApp.all(in: text + kept, of: "T") == expected)
        #expect(DeclaredApp.all(in: kept + "\n" + text, of: "T") == expected)
    }

    @Test(arguments: [
        #"let begin = "/*""#, ##"let begin = #"\" /*"#"##, #"let begin = "\(a ? "/*" : "*/") \" /*""#, #"// it's "one"#,
        #"/* " */"#, #"let open = " /*"#, ###"let quote = #"""#"###, ###"let quotes = (#"""#, #"""""#, "")"###,
    ])
    func `what looks like a comment or a literal inside the other hides nothing after it`(line: String) {
        let text = line + "\n" + #"public let shop = ReplayableApp("shop", initial: S(), reducer: r)"#
        let expected = [DeclaredApp(target: "T", constant: "shop", name: "shop")]
        #expect(DeclaredApp.all(in: text, of: "T") == expected)
    }

    /// The facts of a package without targets in the suite's directory, and of a `swift` that notes its commands.
    ///
    /// - Parameter script: What `swift` does after it has noted a command.
    private func packageFacts(_ script: String) throws -> PackageFacts {
        let swift = scratch.file("swift")
        let text = """
            #!/bin/sh
            cd '\(scratch.directory.path)'
            echo "$@" | sed 's/.*--disable-sandbox //' >> commands
            \(script)

            """
        try Data(text.utf8).write(to: swift)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: swift.path)
        try Data("let package = Package(name: \"MyApp\")\n".utf8).write(to: scratch.file("Package.swift"))
        var facts = try facts()
        (facts.directory, facts.swift) = (scratch.directory.path, swift.path)
        return facts
    }

    @Test func `init writes the files, and lets SwiftPM add the targets, once`() throws {
        let stub =
            "if [ $(wc -l < commands) = 1 ]; then mkdir -p Sources/MyAppCore; echo > Sources/MyAppCore/MyAppCore.swift; fi"
        let facts = try packageFacts(stub)
        let made = try Initialization(facts, declared: [])
        let lines = try made.write(facts)
        #expect(lines.first == "Added 3 targets to Package.swift, and created:")
        #expect(lines.contains("  exclude: [\"Fixtures\"],"))
        for file in made.files {
            #expect(try String(contentsOf: scratch.file(file.path), encoding: .utf8) == file.text)
        }
        let library = scratch.file("Sources/MyAppCore")
        #expect(try FileManager.default.contentsOfDirectory(atPath: library.path) == ["SampleApp.swift"])
        #expect(try DeclaredApp.all(in: library, of: "MyAppCore").map(\.constant) == ["sampleApp"])
        let expected = """
            add-target MyAppCore --type library
            add-target-dependency HindsightStore MyAppCore --package hind
            add-target-dependency HindsightRecorder MyAppCore --package hind
            add-target myapp-hindsight --type executable --dependencies MyAppCore
            add-target-dependency HindsightCLI myapp-hindsight --package hind
            add-target MyAppRecordingTests --type test --dependencies MyAppCore
            add-target-dependency HindsightTesting MyAppRecordingTests --package hind

            """
        let commands = scratch.file("commands")
        #expect(try String(contentsOf: commands, encoding: .utf8) == expected)

        #expect(throws: InitFailure.self) { try made.write(facts) }
        #expect(try String(contentsOf: commands, encoding: .utf8) == expected)
    }

    @Test(arguments: [false, true])
    func `platforms are advised if the manifest names none`(names: Bool) throws {
        let facts = try packageFacts("")
        if names {
            let manifest = "let package = Package(name: \"MyApp\", platforms: [.macOS(.v15)])\n"
            try Data(manifest.utf8).write(to: scratch.file("Package.swift"))
        }
        let app = DeclaredApp(target: "Shop", constant: "shop", name: "shop")
        let lines = try Initialization(facts, declared: [app]).write(facts)
        #expect(lines.contains { $0.contains("platforms:") } != names, "\(lines)")
    }

    @Test func `the command that records a first session quotes the app's name`() throws {
        let facts = try packageFacts("")
        let app = DeclaredApp(target: "Shop-Core", constant: "shop", name: "Mom's Shop")
        let lines = try Initialization(facts, declared: [app]).write(facts)
        let command = #"  cat actions.jsonl | swift run myapp-hindsight record --app 'Mom'\''s Shop' "#
        #expect(lines.contains(command + "Tests/MyAppRecordingTests/Fixtures/first.hindsight"), "\(lines)")
    }

    @Test func `a file where SwiftPM writes is not overwritten`() throws {
        let facts = try packageFacts("")
        let made = try Initialization(facts, declared: [])
        let own = scratch.file("Sources/myapp-hindsight/myapp-hindsight.swift")
        let folder = own.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("// mine\n".utf8).write(to: own)
        #expect(throws: InitFailure.self) { try made.write(facts) }
        #expect(try String(contentsOf: own, encoding: .utf8) == "// mine\n")
        #expect(!FileManager.default.fileExists(atPath: scratch.file("commands").path))
    }

    @Test func `if SwiftPM cannot extend the manifest, init prints the targets and leaves the manifest`() throws {
        let script = "echo '// half' >> Package.swift; [ $(wc -l < commands) -lt 3 ]"
        let facts = try packageFacts(script)
        let manifest = scratch.file("Package.swift")
        let text = try String(contentsOf: manifest, encoding: .utf8)
        let made = try Initialization(facts, declared: [])
        let lines = try made.write(facts)
        #expect(lines.first == "Created:")
        for target in made.targets { #expect(lines.contains(target.entry(package: "hind"))) }
        #expect(try String(contentsOf: manifest, encoding: .utf8) == text)
    }
}
