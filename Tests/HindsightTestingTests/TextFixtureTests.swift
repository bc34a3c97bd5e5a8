import Foundation
import HindsightRecording
import HindsightTesting
import TestSupport
import Testing

/// Recordings as text are fixtures like any other.
@Suite struct TextFixtureTests {
    private let scratch = Scratch()
    private var file: URL { scratch.file("tally.jsonl") }

    /// Records three additions, and keeps only their text.
    init() throws {
        let recording = scratch.file("tally.hindsight")
        try recordTally(upTo: 3, to: recording)
        try Recording(at: recording).writeText(to: file)
        try FileManager.default.removeItem(at: recording)
        try Data(#"{"add":{"_0":1}}"#.utf8).write(to: scratch.file("actions.jsonl"))
    }

    @Test func `a text that replays unchanged passes, and a folder's recordings include it`() throws {
        #expect(expectReplay(of: file, by: tally())?.actions == 3)
        let found = try recordings(in: scratch.directory).map(\.lastPathComponent)
        #expect(found == ["tally.jsonl"], "lists of actions are no recordings")
    }

    @Test func `a changed reducer is an issue with the path`() throws {
        let text = issue { expectReplay(of: file, by: tally(factor: 2)) }
        #expect(text.contains("tally.jsonl") && text.contains("/total"), "\(text)")
    }

    @Test func `a merge conflict is an issue with its line`() throws {
        let text = try String(contentsOf: file, encoding: .utf8)
        try Data(text.replacing("{\"end\"", with: "=======\n{\"end\"").utf8).write(to: file)
        let told = issue { expectReplay(of: file, by: tally()) }
        #expect(told.contains("line 5: it is a mark of a merge conflict"), "\(told)")
    }
}
