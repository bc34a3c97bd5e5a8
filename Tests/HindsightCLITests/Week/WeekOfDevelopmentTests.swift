import Foundation
import HindsightRecorder
import HindsightRecording
import HindsightStore
import HindsightTree
import Testing

@testable import HindsightCLI

/// A week of development: an app goes through ordinary commits, and `check` and `verify` read a recording that the app
/// of Monday made.
@Suite struct WeekOfDevelopmentTests {
    static let commits = Tuesday.commits + Wednesday.commits + Thursday.commits + Friday.commits

    private let scratch = Scratch()
    private var file: String { scratch.file("monday.hindsight").path }

    /// Records Monday's session.
    init() throws {
        let session = try Monday.app.record(to: scratch.file("monday.hindsight"))
        for (index, action) in Monday.session.enumerated() {
            try session.dispatch(action, origin: Origin(file: "session.jsonl", line: index + 1))
        }
        try session.close()
    }

    private func run(_ app: ReplayableApp, _ words: String...) -> Commit.Answer {
        let harness = ToolHarness(apps: [app])
        let code = harness.run(words + [file])
        return Commit.Answer(code: code, text: plain(harness.text + harness.errorText))
    }

    /// A text with FILE in place of the path. The recorder decides how many whole states there are, so the text counts
    /// them as if there were the first and the last only.
    private func plain(_ text: String) -> String {
        text.replacing(file, with: "FILE")
            .replacing(/\(\d+ states, first state \d+\)/, with: "(state 30)")
            .replacing(/\(state \d+\)/, with: "(state 30)")
            .replacing(/\(\d+ states, first/, with: "(2 states, first")
    }

    private func expect(
        _ answer: Commit.Answer,
        _ expected: Commit.Answer,
        _ command: String,
        _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(answer.code == expected.code, "\(command): \(answer.text)", sourceLocation: location)
        #expect(answer.text == expected.text, "\(command)", sourceLocation: location)
    }

    @Test func `Monday's app fits its own recording`() throws {
        expect(run(Monday.app, "check"), Commit.fits(), "check")
        expect(run(Monday.app, "verify"), Commit.equal(), "verify")
        let last = try Recording(at: URL(filePath: file)).state(at: Recording.Position(seq: 30))
        #expect(last["totals"] == ["food": 1100, "travel": 2000])
    }

    @Test(arguments: commits) func `check and verify say what the commit means for a recording`(
        commit: Commit
    ) throws {
        expect(run(commit.app, "check"), commit.check, "check")
        expect(run(commit.app, "verify"), commit.verify, "verify")
    }

    @Test(arguments: commits) func `After the commit's way forward the recording fits, and is equal`(
        commit: Commit
    ) throws {
        let app: ReplayableApp
        var checkAfter = Commit.migrates()
        switch commit.way {
        case .nothing: (app, checkAfter) = (commit.app, commit.check.text)
        case .declaration(let declared): (app, checkAfter) = (declared, Commit.fits().text)
        case .migration(let migrating): app = migrating
        case .accept:
            app = commit.app
            let before = try Recording(at: URL(filePath: file)).actions(in: 1...30)
            try app.accept(URL(filePath: file))
            let after = try Recording(at: URL(filePath: file)).actions(in: 1...30)
            #expect(after == before, "actions, times, parents and origins stay")
        }
        expect(run(app, "check"), Commit.Answer(text: commit.checkAfter ?? checkAfter), "check")
        var verifyAfter = Commit.equal().text
        if case .nothing = commit.way { verifyAfter = commit.verify.text }
        if case .migration = commit.way { verifyAfter = Commit.equal(Commit.migrated).text }
        expect(run(app, "verify"), Commit.Answer(text: commit.verifyAfter ?? verifyAfter), "verify")
    }

    @Test func `--isolated shows all that a fixed bug changes`() throws {
        let commit = try #require(Friday.commits.last)
        let answer = run(commit.app, "verify", "--isolated")
        #expect(answer.code == .difference)
        let table = """
              4 kinds of differences in 11 of 30 actions:
                5  add     plan  /plan/isOver  first at 6.3
                4  mark    plan  /plan/isOver  first at 9.3
                1  remove  plan  /plan/isOver  first at 8.3
                1  opened  plan  /plan/isOver  first at 10.3

            """
        #expect(answer.text.contains(table), "\(answer.text)")
    }

    // MARK: The documentation

    private static let here = URL(filePath: #filePath).deletingLastPathComponent()

    private func source(_ day: String) throws -> [String] {
        try String(contentsOf: Self.here.appending(path: "\(day).swift"), encoding: .utf8)
            .split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    @Test func `No migration has more than five lines`() throws {
        var counts: [Int] = []
        for day in ["Tuesday", "Wednesday", "Thursday", "Friday"] {
            let text = try String(contentsOf: Self.here.appending(path: "\(day).swift"), encoding: .utf8)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            for (index, line) in lines.enumerated() where line.hasSuffix(" Migration(to: 2) {") {
                let closing = line.prefix { $0 == " " } + "}"
                let end = try #require(lines[index...].firstIndex { $0 == closing })
                counts.append(end - index - 1)
            }
        }
        let migrations = Self.commits.count { if case .migration = $0.way { true } else { false } }
        #expect(counts.count == migrations)
        #expect(counts.allSatisfy { 1...5 ~= $0 }, "\(counts)")
    }

    @Test func `The documentation's table has the commits of the week, and what the test writes`() throws {
        let page = Self.here.appending(
            path: "../../../Sources/HindsightTesting/HindsightTesting.docc/WhenYourAppChanges.md"
        )
        let rows = try String(contentsOf: page.standardized, encoding: .utf8)
            .split(separator: "\n").filter { $0.hasPrefix("| a") || $0.hasPrefix("| f") || $0.hasPrefix("| t") }
            .map(String.init)
        #expect(rows == Self.commits.map(\.row))
        let sources = try ["Tuesday", "Wednesday", "Thursday", "Friday"].flatMap(source).joined(separator: "\n")
        for commit in Self.commits {
            let pieces = commit.write.split(separator: "`", omittingEmptySubsequences: false)
            for code in pieces.enumerated().filter({ $0.offset == 1 }).map(\.element) where code.contains("(") {
                let call =
                    code.hasPrefix("Reducer")
                    ? String(code.dropLast()) : "$0." + (code.split(separator: "{ payload").first ?? "")
                #expect(sources.contains(call.trimmingCharacters(in: .whitespaces)), "\(commit.testDescription)")
            }
        }
    }
}
