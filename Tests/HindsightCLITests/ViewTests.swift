import Foundation
import HindsightRecording
import HindsightSQLite
import HindsightTree
import HindsightView
import Testing

@testable import HindsightCLI

@Suite struct ViewTests {
    private static let checkout = Fixtures.recording("checkout").path

    private let scratch = Scratch()

    /// The page without the time at which it was made.
    private func timeless(_ html: String) -> String {
        html.replacing(/"made":"[^"]*"/, with: "")
    }

    @Test(
        arguments: [
            ([], nil, nil, ""), (["--from", "12.3", "--to", "40"], 12, 40, ""),
            (["--to=20%", "--path", "/cart/totals"], nil, 13, "/cart/totals"),
        ] as [([String], Int?, Int?, String)]
    )
    func `view prints the page`(options: [String], from: Int?, to: Int?, path: String) throws {
        let harness = ToolHarness().running(["view", Self.checkout, "-o", "-"] + options)
        let place = try #require(NodePath(path))
        let first = from.map { Recording.Position(seq: $0, reducer: 3) }
        var page = try RecordingPage(
            of: Recording(at: URL(filePath: Self.checkout)),
            from: first,
            to: to.map { Recording.Position(seq: $0) },
            path: place
        )
        (page.command, page.tool) = ("tool", "tool \(Tool.version)")
        var html = ""
        try page.write { html += $0 }
        #expect(timeless(harness.text) == timeless(html))
        #expect(harness.errorText == "")
    }

    @Test func `view names the damage of a file as jump does, and makes no page`() throws {
        let file = scratch.file("damaged.hindsight").path
        try FileManager.default.copyItem(atPath: Self.checkout, toPath: file)
        try Connection(file, .readWrite).execute(
            "UPDATE action SET steps = replace(steps, '/audit/refusals', '/audit/refused') WHERE seq = 12"
        )
        let (jump, view) = (ToolHarness(), ToolHarness())
        #expect(jump.run(["jump", file, "12", "--recorded"]) == .badFile, "\(jump.text)")
        let output = scratch.file("damaged.html").path
        #expect(view.run(["view", file, "-o", output]) == .badFile, "\(view.text)")
        #expect(view.errorText == jump.errorText && view.errorText.contains("action 12, reducer 9"))
        #expect(!FileManager.default.fileExists(atPath: output))
    }

    @Test func `view ends if nobody reads its output`() {
        let harness = ToolHarness().running(["view", Self.checkout, "-o", "-"], closedOutput: true)
        #expect(harness.errorText == "")
    }

    @Test func `view creates a file, and replaces one only if it may`() throws {
        let output = scratch.file("c.html").path
        let words = ["view", Self.checkout, "-o", output, "--from", "10", "--to", "20"]
        let first = ToolHarness().running(words)
        let size = try #require(try FileManager.default.attributesOfItem(atPath: output)[.size] as? Int)
        #expect(first.text == "Wrote 10 actions to \(output) (\(Quantities.bytes(size))). Open it in a browser.\n")
        let second = ToolHarness().running(words, .usage)
        #expect(second.errorText.contains("--force"), "\(second.errorText)")
        let third = ToolHarness().running(words + ["--force", "--json"])
        let json = try Node(json: third.text.trimmingCharacters(in: .newlines))
        #expect(json["output"] == .string(output) && json["actions"] == 10)
        #expect(json["from"] == 10 && json["to"] == 20 && json["path"] == .null)
    }

    @Test(arguments: [
        (["--path", "/items/*/title"], "/items"), (["--path", "/**/title"], "leave --path out"),
        (["--open", "-o", "-"], "--open needs a file"), (["--json", "-o", "-"], "--json describes the file"),
        (["--from", "40", "--to", "20"], "40"),
        (["--path", "items"], "/items/0/title"), (["-o", ""], "--output"), (["--from", "nowhere"], "nowhere"),
    ])
    func `view refuses what it cannot do`(options: [String], words: String) {
        let harness = ToolHarness()
        #expect(
            harness.run(["view", Self.checkout] + (options.contains("-o") ? [] : ["-o", "-"]) + options) == .usage
        )
        #expect(harness.text == "")
        #expect(harness.errorText.contains(words), "\(harness.errorText)")
    }

    @Test(arguments: [["-o", "x.html"], ["--from", "3"], ["--to", "3"], ["--path", "/cart"]])
    func `--live shows all of a recording, and writes nothing`(options: [String]) {
        let harness = ToolHarness().running(["view", Self.checkout, "--live"] + options, .usage)
        let name = options[0] == "-o" ? "--output" : options[0]
        #expect(harness.errorText.contains("so it takes no \(name)."), "\(harness.errorText)")
    }

    @Test(.enabled(if: !LiveServer.isIncluded, "the package trait Live is on"))
    func `a build without the trait says how to get --live`() {
        let harness = ToolHarness().running(["view", Self.checkout, "--live"], .usage)
        for words in ["--traits Live", "libmicrohttpd-dev", "tail -F"] {
            #expect(harness.errorText.contains(words), "\(harness.errorText)")
        }
    }
}
