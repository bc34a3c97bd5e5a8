import Foundation
import HindsightRecording
import HindsightSQLite
import TestSupport
import Testing

@testable import HindsightCLI

@Suite struct ImportTests {
    private let scratch = Scratch()

    private static let recordings = [
        "todo", "checkout", "checkout-rules", "notepad", "todo-limits", "escapes", "bridged", "partial", "doubtful",
    ]

    /// The rows of the stable views, as text.
    private func rows(of view: String, in file: String, from start: Int) throws -> [String] {
        let connection = try Connection(file, .readImmutable)
        // The views use functions that SQLite does not trust in a schema.
        try connection.execute("PRAGMA trusted_schema = ON")
        let columns =
            view == "history"
            ? "position, seq, parent, type, payload, at, time, duration, origin, problem, thread, task, changes, paths"
            : "position, seq, reducer, name, op, path, at, old, new"
        let quoted = columns.split(separator: ", ").map { "quote(\($0))" }.joined(separator: " || '|' || ")
        let row = try connection.prepare("SELECT \(quoted) FROM \(view) WHERE seq >= \(start)")
        var rows: [String] = []
        while try row.step() { rows.append(try row.text(0)) }
        return rows
    }

    @Test(arguments: recordings)
    func `import gives back every row that export wrote`(name: String) throws {
        let original = Fixtures.recording(name).path
        let (text, copy, again) = (
            scratch.file("a.jsonl").path, scratch.file("b.hindsight").path, scratch.file("c.jsonl").path
        )
        #expect(ToolHarness().run(["export", original, "--format", "jsonl", "-o", text]) == .fine)
        let harness = ToolHarness().running(["import", text, "-o", copy])
        #expect(ToolHarness().run(["export", copy, "-o", again]) == .fine)
        #expect(try Data(contentsOf: URL(filePath: again)) == Data(contentsOf: URL(filePath: text)))
        #expect(try scratch.names == ["a.jsonl", "b.hindsight", "c.jsonl"])

        let recording = try Recording(at: URL(filePath: original))
        #expect(try Recording(at: URL(filePath: copy)).isText == false)
        let actions = recording.actionCount - recording.droppedCount
        #expect(harness.text == "Wrote \(Quantities.counted(actions, "action")) to \(copy).\n")
        for view in ["history", "changes"] {
            let theirs = try rows(of: view, in: original, from: recording.start.seq)
            #expect(try rows(of: view, in: copy, from: recording.start.seq) == theirs, "\(view)")
            #expect(view == "changes" || !theirs.isEmpty)
        }
    }

    @Test func `import accepts other spaces and escapes, and blank lines`() throws {
        let lines = try String(contentsOf: Fixtures.directory.appending(path: "todo.recording.jsonl"), encoding: .utf8)
            .split(separator: "\n").map(String.init)
        var changed = lines
        changed[0] = changed[0].replacing(#"{"hindsight":"recording","#, with: #" { "hindsight" : "recording" ,"#)
        changed[1] = changed[1].replacing(#""action":"#, with: #" "\u0061ction" : "#)
        changed.insert("", at: 3)
        try Data(changed.joined(separator: "\r\n").utf8).write(to: scratch.file("a.jsonl"))
        let harness = ToolHarness()
        #expect(
            harness.run(["import", scratch.file("a.jsonl").path, "-o", scratch.file("b.hindsight").path, "--json"])
                == .fine,
            "\(harness.errorText)"
        )
        #expect(harness.text.contains(#""actions":67"#), "\(harness.text)")
        let text = try Recording(at: scratch.file("b.hindsight")).text()
        #expect(text == lines.joined(separator: "\n") + "\n")
    }

    @Test func `import refuses a line that does not fit, and leaves no file`() throws {
        let text = try String(contentsOf: Fixtures.directory.appending(path: "todo.recording.jsonl"), encoding: .utf8)
        let lines = text.split(separator: "\n").map(String.init)
        // A change that does not fit, and a missing end.
        var misfit = lines
        misfit[4] = misfit[4].replacing(#""old":"#, with: #""old":"not this","x":"#)
        #expect(misfit != lines)
        for (name, given) in [("misfit", misfit), ("cut", Array(lines.dropLast()))] {
            let file = scratch.file("\(name).jsonl").path
            try Data((given.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: file))
            let harness = ToolHarness()
            #expect(harness.run(["import", file, "-o", scratch.file("out").path]) == .badFile, "\(name)")
            #expect(harness.errorText.contains("line "), "\(name): \(harness.errorText)")
        }
        #expect(try scratch.names == ["cut.jsonl", "misfit.jsonl"])
    }

    @Test func `import refuses a line that would change, and names it`() throws {
        let text = try String(contentsOf: Fixtures.directory.appending(path: "todo.recording.jsonl"), encoding: .utf8)
        var lines = text.split(separator: "\n").map(String.init)
        // `duration` and `times` stand at the end of the line of an action.
        let start = try #require(lines[4].range(of: #","duration":"#))
        let end = try #require(lines[4].range(of: #","times":"#))
        let (duration, times) = (lines[4][start.lowerBound..<end.lowerBound], lines[4][end.lowerBound...].dropLast())
        lines[4] = lines[4][..<start.lowerBound] + times + duration + "}"
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: scratch.file("a.jsonl"))
        let harness = ToolHarness()
        #expect(harness.run(["import", scratch.file("a.jsonl").path, "-o", scratch.file("out").path]) == .badFile)
        let words = "in line 5: its members stand in another order than export writes them: …"
        #expect(harness.errorText.contains(words), "\(harness.errorText)")
        #expect(
            harness.errorText.contains(#","times":["#) && harness.errorText.contains(#" would become …"#)
                && harness.errorText.contains(#","duration":"#),
            "\(harness.errorText)"
        )
        #expect(try scratch.names == ["a.jsonl"])
    }

    @Test func `import replaces a file only if it may, and takes only texts`() throws {
        let text = Fixtures.directory.appending(path: "todo.recording.jsonl").path
        let words = ["import", text, "-o", scratch.file("b.hindsight").path]
        #expect(ToolHarness().run(words) == .fine)
        let second = ToolHarness().running(words, .usage)
        #expect(second.errorText.contains("--force"), "\(second.errorText)")
        #expect(ToolHarness().run(words + ["--force"]) == .fine)
        for file in ["todo.hindsight", "todo.jsonl", "nothing.jsonl"] {
            let harness = ToolHarness()
            let file = Fixtures.directory.appending(path: file).path
            #expect(harness.run(["import", file, "-o", scratch.file("c").path]) == .badFile, "\(file)")
        }
        let missing = ToolHarness()
        #expect(missing.run(["import", text]) == .usage)
        #expect(try scratch.names == ["b.hindsight"])
    }

    @Test func `a recording that ends in doubtful states is damaged, as a text and in SQLite`() throws {
        let (text, copy) = (scratch.file("a.jsonl"), scratch.file("b.hindsight"))
        // Up to action 36, the first of the doubtful ones.
        let lines = try Recording(at: Fixtures.recording("doubtful")).text().split(separator: "\n").prefix(37)
        try Data((lines.joined(separator: "\n") + "\n{\"end\":true}\n").utf8).write(to: text)
        try Recording.importText(from: text, to: copy)
        for file in [text.path, copy.path] {
            let what = "its states are said to be doubtful, and no keyframe follows the last of them"
            let verify = ToolHarness().running(["verify", file], .badFile)
            #expect((verify.text + verify.errorText).contains(what), "\(verify.text)\(verify.errorText)")
            let doctor = ToolHarness().running(["doctor", file], .badFile)
            #expect(doctor.text.contains("action 36  " + what), "\(doctor.text)")
            let info = ToolHarness().running(["info", file])
            #expect(info.text.contains("no keyframe follows, so that after action 36 is doubtful, too"), "\(info.text)")
            let jump = ToolHarness().running(["jump", file, "36"])
            #expect(jump.errorText.contains("is doubtful"), "\(jump.errorText)")
        }
    }
}
