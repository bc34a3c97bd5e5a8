/// What `init` creates, before it writes anything.
struct Initialization {
    struct File: Equatable {
        /// The path below the package's directory.
        let path: String
        let text: String
    }

    let names: Names
    /// The app that the test replays. The tool runs all apps of the same target.
    let app: DeclaredApp
    let isSample: Bool
    let files: [File]
    let targets: [NewTarget]

    /// - Parameters:
    ///   - facts: The package, and the user's options.
    ///   - declared: The apps that the package's libraries declare.
    /// - Throws: ``InitFailure`` if the app is not clear, or a target of that name exists.
    init(_ facts: PackageFacts, declared: [DeclaredApp]) throws(InitFailure) {
        let names = Names(facts.app ?? facts.package)
        let found = try Self.chosen(facts, declared)
        let sample = DeclaredApp(target: names.library, constant: Templates.sampleConstant, name: names.app)
        let apps = found.isEmpty ? [sample] : found
        (self.names, app, isSample) = (names, apps[0], found.isEmpty)
        var files = [
            File(path: "Sources/\(names.tool)/main.swift", text: Templates.tool(apps)),
            File(path: "Tests/\(names.tests)/RecordingTests.swift", text: Templates.tests(apps[0])),
            File(path: "Tests/\(names.tests)/Fixtures/README.md", text: Templates.fixtures),
        ]
        let library = apps[0].target
        var targets = [
            NewTarget(kind: .executable, name: names.tool, library: library, products: ["HindsightCLI"]),
            NewTarget(kind: .test, name: names.tests, library: library, products: ["HindsightTesting"]),
        ]
        if isSample {
            files.insert(File(path: "Sources/\(library)/SampleApp.swift", text: Templates.sample(names.app)), at: 0)
            let products = ["HindsightStore", "HindsightRecorder"]
            targets.insert(NewTarget(kind: .library, name: library, products: products), at: 0)
        }
        (self.files, self.targets) = (files, targets)
        if let taken = targets.map(\.name).first(where: facts.existing.contains) {
            throw InitFailure(
                .usage,
                "The package already has a target \(taken).",
                isSample && taken == library
                    ? "Declare the app in it, at its top level: \(Self.declaration)"
                    : "To create others beside it, choose another start of their names: --app NAME."
            )
        }
    }

    static let declaration = "public let myApp = ReplayableApp(\"myapp\", initial: …, reducer: …)"

    /// The apps of one target; empty if there are none.
    private static func chosen(_ facts: PackageFacts, _ declared: [DeclaredApp]) throws(InitFailure) -> [DeclaredApp] {
        if let target = facts.target {
            guard facts.libraries.contains(where: { $0.name == target }) else {
                let names = facts.libraries.map(\.name).joined(separator: ", ")
                throw InitFailure(
                    .usage,
                    "The package has no library target \(target).",
                    names.isEmpty
                        ? "Put the state, the actions and the reducer into one: a tool cannot import an executable."
                        : "Its library targets: \(names)."
                )
            }
            let apps = declared.filter { $0.target == target }
            if apps.isEmpty {
                throw InitFailure(
                    .usage,
                    "The target \(target) declares no public app at its top level.",
                    "Add it, and run init again: \(declaration)"
                )
            }
            return apps
        }
        let targets = Set(declared.map(\.target)).sorted()
        if targets.count > 1 {
            throw InitFailure(
                .usage,
                "Several library targets declare apps: \(targets.joined(separator: ", ")).",
                "Choose one: --target \(targets[0])"
            )
        }
        return declared
    }
}
