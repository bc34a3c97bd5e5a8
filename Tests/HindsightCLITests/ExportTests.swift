import Foundation
import HindsightRecording
import Testing

@testable import HindsightCLI

@Suite struct ExportTests {
    private let scratch = Scratch()

    private static let todo = Fixtures.recording("todo").path

    @Test(arguments: [[], ["-o", "-"], ["--output=-"], ["--json"]])
    func `export prints the text`(options: [String]) throws {
        let harness = ToolHarness().running(["export", Self.todo] + options, terminal: Terminal())
        #expect(try harness.text == Recording(at: URL(filePath: Self.todo)).text())
        #expect(harness.errorText == "")
    }

    @Test func `export ends if nobody reads its output`() {
        let harness = ToolHarness().running(["export", Self.todo], closedOutput: true)
        #expect(harness.errorText == "")
    }

    @Test func `export creates a file, and replaces one only if it may`() throws {
        let output = scratch.file("t.jsonl")
        let words = ["export", Self.todo, "-o", output.path]
        #expect(ToolHarness().run(words) == .fine)
        let written = try Data(contentsOf: output)
        #expect(try String(decoding: written, as: UTF8.self) == Recording(at: URL(filePath: Self.todo)).text())

        let second = ToolHarness().running(words, .usage)
        #expect(second.errorText.contains("--force"), "\(second.errorText)")
        let third = ToolHarness().running(words + ["--force", "--json"])
        #expect(third.text.contains(#""actions":67"#), "\(third.text)")

        // A text may be written over itself: its bytes are the same.
        #expect(ToolHarness().run(["export", output.path, "-o", output.path, "--force"]) == .fine)
        #expect(try Data(contentsOf: output) == written)
    }

    @Test(
        arguments: [
            "export FILE -o FILE --force", "view FILE -o FILE --force", "whatif FILE --skip 3 -o FILE --force",
            "cut FILE 3 9 -o FILE --force", "cut FILE 3 9 -o FILE", "import FILE -o FILE --force",
            "doctor FILE --salvage FILE", "migrate FILE -o FILE --force",
        ]
    )
    func `a command refuses to replace the recording that it reads`(line: String) throws {
        let file = scratch.file("t.hindsight")
        try FileManager.default.copyItem(at: URL(filePath: Self.todo), to: file)
        let before = try Data(contentsOf: file)
        let harness = ToolHarness()
        #expect(harness.run(line.split(separator: " ").map { $0 == "FILE" ? file.path : String($0) }) == .usage)
        let advice = line.hasPrefix("migrate") ? "Replace it with" : "Choose another name."
        let words = "cannot be written: it is the recording itself, or a part of it.\n  \(advice)"
        #expect(harness.errorText.contains(words), "\(harness.errorText)")
        #expect(try Data(contentsOf: file) == before)
    }

    @Test(
        arguments: [
            ("end", true, Recording.Ending.closed), ("11", false, .closed),
            ("crash", false, .crashed(seq: 7, reducer: 7)),
        ]
    )
    func `cut says that a part up to end lacks the action of the crash`(
        last: String,
        isNoted: Bool,
        ending: Recording.Ending
    ) throws {
        let file = scratch.file("part.hindsight")
        let crashed = Fixtures.recording("crashed/checkout-crash").path
        let harness = ToolHarness().running(["cut", crashed, "5", last, "-o", file.path])
        #expect(harness.errorText.contains("end is before action 12,") == isNoted, "\(harness.errorText)")
        #expect(try Recording(at: file).ending == ending)
    }

    @Test func `a log without its recording is deleted on demand only`() throws {
        let log = scratch.file("t.hindsight-wal")
        try Data("log".utf8).write(to: log)
        let harness = ToolHarness()
        let words = ["cut", Self.todo, "3", "9", "-o", scratch.file("t.hindsight").path]
        #expect(harness.run(words) == .usage)
        let advice = "Move it beside that recording, choose another name, or delete it with --force."
        let text = "\(log.path) exists: it may belong to a recording that was renamed.\n  \(advice)"
        #expect(harness.errorText.contains(text), "\(harness.errorText)")
        #expect(try scratch.names == ["t.hindsight-wal"])
        #expect(harness.run(words + ["--force"]) == .fine)
        #expect(try scratch.names == ["t.hindsight"])
    }
}
