import Foundation
import Testing

/// `swift package hindsight` in a new package, which builds this package again: `make test-plugin`.
@Suite struct PluginTests {
    /// Where SwiftPM keeps what it builds, between runs too.
    static let scratch = ProcessInfo.processInfo.environment["HINDSIGHT_PLUGIN"]

    private func swift(_ line: String, in workshop: Workshop) throws -> Finished {
        let words = line.split(separator: " ", maxSplits: 1)
        let scratch = try #require(Self.scratch)
        let command = "${SWIFT:-swift} \(words[0]) --scratch-path '\(scratch)' \(words.dropFirst().joined())"
        // Anything that SwiftPM asks must fail the test instead of waiting.
        return try workshop.shell("\(command) </dev/null 2>&1")
    }

    @Test(.enabled(if: scratch != nil, "needs make test-plugin"))
    func `init creates a tool and a test, and the plugin runs the tool`() throws {
        let workshop = Workshop()
        try workshop.write(
            """
            // swift-tools-version: 6.2
            import PackageDescription

            let package = Package(
                name: "Counting",
                platforms: [.macOS(.v15)],
                dependencies: [.package(path: "\(Workshop.package.path)")]
            )

            """,
            to: "Package.swift"
        )
        let missing = try swift("package hindsight verify .", in: workshop)
        #expect(missing.code == 1)
        #expect(missing.text.contains("swift package hindsight init"), "\(missing.text)")

        // Only macOS has a sandbox, which the option opens.
        let made = try swift("package --allow-writing-to-package-directory hindsight init", in: workshop)
        try #require(made.code == 0, "\(made.text)")
        #expect(made.text.contains("Added 3 targets to Package.swift"), "\(made.text)")
        let again = try swift("package --allow-writing-to-package-directory hindsight init", in: workshop)
        #expect(again.code == 1)

        let help = try swift("package hindsight --help", in: workshop)
        try #require(help.code == 0, "\(help.text)")
        #expect(help.text.contains("Apps that this tool can record and replay: counting."), "\(help.text)")

        let chosen = try swift("package hindsight --tool=counting-hindsight verify --help", in: workshop)
        #expect(chosen.code == 0)
        #expect(chosen.text.contains("Usage: counting-hindsight verify"), "\(chosen.text)")
        let other = try swift("package hindsight --tool another info x.hindsight", in: workshop)
        #expect(other.code == 1)
        #expect(other.text.contains("Those that do: counting-hindsight."), "\(other.text)")
        let unread = try swift("package hindsight info x.hindsight", in: workshop)
        #expect(unread.code == 1)
        #expect(unread.text.contains("exit code 3"), "\(unread.text)")

        let fixtures = "Tests/CountingRecordingTests/Fixtures"
        try workshop.write(#"{"add":{"amount":2}}"# + "\n" + #"{"add":{"amount":3}}"# + "\n", to: "actions.jsonl")
        let recorded = try swift(
            "package --allow-writing-to-package-directory hindsight record --app counting --input actions.jsonl \(fixtures)/first.hindsight",
            in: workshop
        )
        try #require(recorded.code == 0, "\(recorded.text)")

        let verified = try swift("package hindsight verify \(fixtures)", in: workshop)
        #expect(verified.code == 0)
        #expect(verified.text.contains("equal  \(fixtures)/first.hindsight  2 actions"), "\(verified.text)")
        let passed = try swift("test", in: workshop)
        #expect(passed.code == 0, "\(passed.text)")
        #expect(passed.text.contains("a recorded session replays as it was"), "\(passed.text)")

        // A reducer that does something else fails both.
        let source = workshop.url("Sources/CountingCore/SampleApp.swift")
        let text = try String(contentsOf: source, encoding: .utf8)
        try #require(text.contains("+= amount"))
        try Data(text.replacing("+= amount", with: "-= amount").utf8).write(to: source)
        let failed = try swift("package hindsight verify \(fixtures)", in: workshop)
        #expect(failed.code == 1)
        #expect(failed.text.contains("/count"), "\(failed.text)")
        let broken = try swift("test", in: workshop)
        #expect(broken.code == 1)
        #expect(broken.text.contains("/count"), "\(broken.text)")

        // A target that does not compile fails with the compiler's message.
        try Data("nonsense\n".utf8).write(to: source)
        let unbuilt = try swift("package hindsight verify \(fixtures)", in: workshop)
        #expect(unbuilt.code == 1)
        #expect(unbuilt.text.contains("counting-hindsight does not build"), "\(unbuilt.text)")
    }
}
