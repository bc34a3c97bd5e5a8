import Foundation
import Testing

/// Tests compile every example of the documentation.
@Suite struct ExamplesTests {
    private let tests: URL
    private let sources: URL

    init() {
        tests = URL(filePath: #filePath).deletingLastPathComponent()
        sources = tests.appending(path: "../../Sources/HindsightStore").standardized
    }

    private func files(in folder: URL, _ kinds: String...) throws -> [(name: String, lines: [String])] {
        let paths = FileManager.default.subpaths(atPath: folder.path) ?? []
        return try paths.sorted().filter { path in kinds.contains { path.hasSuffix($0) } }.map { path in
            let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            return (path, text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
        }
    }

    /// A line without white space and without a trailing comment.
    private func squeezed(_ line: String) -> String {
        let code = line.firstRange(of: " // ").map { line[..<$0.lowerBound] } ?? line[...]
        return String(code.filter { !$0.isWhitespace })
    }

    /// The lines of a file's examples.
    private func examples(in file: (name: String, lines: [String])) -> [String] {
        let isArticle = file.name.hasSuffix(".md")
        var isInside = false
        return file.lines.compactMap { line in
            var line = line.trimmingPrefix { $0.isWhitespace }
            if !isArticle {
                guard line.hasPrefix("///") else {
                    isInside = false
                    return nil
                }
                line = line.dropFirst(3)
            }
            let text = line.trimmingPrefix { $0.isWhitespace }
            if text.hasPrefix("```") {
                isInside = !isInside && text == "```swift"
                return nil
            }
            return isInside ? String(line) : nil
        }
    }

    @Test func `A test compiles every line of an example`() throws {
        let compiled = try [tests, tests.appending(path: "../MainActorApp")].flatMap { try files(in: $0, ".swift") }.map
        { $0.lines.map(squeezed).joined() }.joined()
        // `…` stands for anything, only other packages need @retroactive, a type can conform to one of many
        // `AppAction`s only by its full name, and a test has no entry point of its own.
        let spared = ["@retroactive", "extensionThunk:", "…", "@main"]
        for file in try files(in: sources, ".swift", ".md") {
            for line in examples(in: file) {
                let wanted = squeezed(line)
                if wanted.isEmpty || spared.contains(where: wanted.contains) { continue }
                let isCompiled = compiled.contains(wanted)
                #expect(isCompiled, "no test compiles this line of \(file.name): \(line)")
            }
        }
    }

    @Test func `Every public type has an example`() throws {
        let declaration = /public (?:final )?(?:struct|class|enum|protocol|actor) (\w+)/
        for file in try files(in: sources, ".swift") {
            for (index, line) in file.lines.enumerated() {
                guard let name = line.firstMatch(of: declaration)?.1 else { continue }
                // Parts of a type that has its own example.
                if ["Iterator", "Step"].contains(name) { continue }
                let above = file.lines[..<index].reversed()
                    .prefix { $0.contains("///") || $0.contains("@") }
                #expect(above.contains { $0.contains("```swift") }, "\(file.name): \(name) has no example")
            }
        }
    }
}
