import Foundation
import HindsightTesting
import TestSupport
import Testing

@testable import CartTool

/// The guide to recording a store of another kind, with the app of its first part.
@Suite struct OtherStoreTests {
    private let workshop = Workshop()

    private static let sources = Workshop.package.appending(path: "Sources/HindsightRecorder/HindsightRecorder.docc")

    private static func words(_ text: some StringProtocol) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// The blocks of the article in one language.
    private static func blocks(_ language: String) throws -> [String] {
        let article = try String(contentsOf: sources.appending(path: "RecordingAnyStore.md"), encoding: .utf8)
        return article.components(separatedBy: "```\(language)\n").dropFirst().map {
            $0.components(separatedBy: "```")[0]
        }
    }

    /// The whole text of the programs and tests that compile what the article shows.
    private static func code() throws -> String {
        let tests = Workshop.package.appending(path: "Tests")
        let files = [
            "CartTool/CartFeature.swift", "CartTool/main.swift",
            "HindsightRecordingTests/Recorder/StoreGuideTests.swift",
        ]
        return try files.map { words(try String(contentsOf: tests.appending(path: $0), encoding: .utf8)) }
            .joined(separator: "\n")
    }

    @Test func `Each diff of the guide is compiled, and has at most ten new lines`() throws {
        let (code, diffs) = (try Self.code(), try Self.blocks("diff"))
        #expect(diffs.count == 6)
        for diff in diffs {
            let lines = diff.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count { $0.hasPrefix("+") && $0.count > 1 } <= 10, "\(diff)")
            // An empty line stands between two places.
            for part in lines.split(separator: "") {
                let after = part.filter { !$0.hasPrefix("-") }.map { $0.dropFirst() }.joined(separator: "\n")
                #expect(code.contains(Self.words(after)), "\(after)")
            }
        }
    }

    @Test func `The guide's session prints what the guide shows`() throws {
        let tool = Workshop.built("CartTool").path
        _ = try workshop.shell(
            "mkdir bin && ln -s '\(tool)' bin/hindsight; '\(tool)' app session.hindsight 2>/dev/null"
        )
        let lines = try #require(try Self.blocks("console").first).split(separator: "\n")
        var (commands, rest) = (0, ""[...])
        for line in lines {
            if line.hasPrefix("$ ") {
                commands += 1
                let result = try workshop.shell("export PATH=\"$PWD/bin:$PATH\"; \(line.dropFirst(2)) 2>&1")
                #expect(result.code == (line.contains("whatif") ? 1 : 0), "\(line): \(result.text)")
                rest = Self.words(result.text)[...]
                continue
            }
            for part in line.split(separator: "…").map(Self.words) where !part.isEmpty {
                let found = rest.range(of: part)
                #expect(found != nil, "it does not print, or prints earlier: \(part)\n\(rest)")
                if let found { rest = rest[found.upperBound...] }
            }
        }
        #expect(commands == 6)
    }

    @Test func `No command runs a description in which the process ended`() throws {
        let tool = Workshop.built("CartTool").path
        _ = try workshop.shell("CART=asking '\(tool)' app s.hindsight 2>/dev/null")
        let told = "action 5, in which the recorded process ended, was not recorded as a value: nothing runs it"
        for (command, code) in [("verify", 0), ("replay", 0), ("whatif --skip 1", 0)] {
            let result = try workshop.shell("'\(tool)' \(command) s.hindsight 2>&1")
            #expect(result.code == code, "\(command): \(result.text)")
            if command != "whatif --skip 1" { #expect(result.text.contains(told), "\(command): \(result.text)") }
        }
        let compared = try workshop.shell("'\(tool)' compare '\(tool)' '\(tool)' s.hindsight --json").expecting(code: 0)
        // The third action is a description, too.
        #expect(compared.text.contains(#""actions":3,"same":1,"kinds":[],"failed":[]"#), "\(compared.text)")
        for (positions, advice) in [("3", "End before it: give 4"), ("0 4", "Begin after it: give 3")] {
            let test = try workshop.shell("'\(tool)' test s.hindsight \(positions) --constant App.app")
            #expect(test.code == 4 && test.errors.contains("was not recorded as a value"), "\(test.errors)")
            #expect(test.errors.contains(advice), "\(test.errors)")
        }
        // Nothing would be left before it.
        let alone = try workshop.shell("'\(tool)' test s.hindsight 4 5 --constant App.app").expecting(code: 4)
        #expect(alone.errors.contains("so no test can have it.") && !alone.errors.contains("End before it"))
        try workshop.shell("'\(tool)' test s.hindsight 3 4 --constant App.app").expecting(code: 0)
        let log = try workshop.shell("'\(tool)' replay s.hindsight")
        #expect(log.text.contains("/question"), "\(log.text)")
    }

    @Test func `A recording with a description is a test, up to the crash`() throws {
        let tool = Workshop.built("CartTool").path
        _ = try workshop.shell("'\(tool)' app session.hindsight 2>/dev/null")
        let cut = "'\(tool)' recover session.hindsight; '\(tool)' cut session.hindsight 0 4 -o fine.hindsight"
        _ = try workshop.shell(cut)
        let result = try #require(expectReplay(of: workshop.url("fine.hindsight"), by: cartApp))
        #expect(result.matches && result.actions == 3 && result.gaps == [3])
    }
}
