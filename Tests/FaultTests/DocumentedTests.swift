import Foundation
import Testing

/// Some articles name the tests that show a statement. These tests exist.
@Suite("The articles that name tests") struct DocumentedTests {
    private static let package = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: package.appending(path: path), encoding: .utf8)
    }

    /// All tests, with runs of white space collapsed, so that a name is found across line breaks.
    private static func tests() throws -> String {
        let files = try #require(FileManager.default.enumerator(atPath: package.appending(path: "Tests").path))
        var all = ""
        for case let file as String in files where file.hasSuffix(".swift") { all += try text("Tests/\(file)") }
        return all.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    @Test(
        "Each test that an article names exists",
        arguments: ["HindsightRecorder.docc/WhatSurvivesWhat", "HindsightRecording.docc/PostMortem"]
    )
    func article(name: String) throws {
        let article = try Self.text("Sources/\(name.prefix { $0 != "." })/\(name).md")
        let tests = try Self.tests()
        // In a list, or in the last column of a table.
        let parts = article.split(separator: "\n- *").dropFirst() + article.split(separator: "| *").dropFirst()
        let named = parts.compactMap { $0.split(separator: "*").first }
        #expect(named.count >= 10)
        for name in named {
            let words = name.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(tests.contains("\"\(words)\"") || tests.contains("`\(words)`"), "no test: \(words)")
        }
    }

    @Test("Each suite in the table of what survives exists")
    func table() throws {
        let section = try Self.text("Sources/HindsightRecorder/HindsightRecorder.docc/WhatSurvivesWhat.md")
        let tests = try Self.tests()
        let named = Set(section.matches(of: #/`(\w+Tests)`/#).map { String($0.output.1) })
        #expect(named.count >= 4)
        for suite in named { #expect(tests.contains("struct \(suite) "), "no suite: \(suite)") }
    }
}
