import Foundation
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

@Suite("Recordings as text: other and damaged files") struct HostileTextTests {
    private let scratch = Scratch()

    /// The lines of a small recording: the header, two additions, a note that changes nothing, and the end.
    private static let lines = [
        #"{"hindsight":"recording","text":1,"app":"shop","version":"1","platform":"p","created":5,"#
            + #""facts":{"closed":9},"reducers":["items","total"],"state":{"items":[],"total":0}}"#,
        #"{"action":"add","payload":{"add":{"_0":1}},"changes":{"items":[{"op":"splice","path":"/items","at":0,"#
            + #""remove":[],"insert":[1]}],"total":[{"op":"replace","path":"/total","old":0,"value":1}]},"#
            + #""origin":"App.swift:12","at":6,"duration":10,"times":[4,5]}"#,
        #"{"action":"add","payload":{"add":{"_0":2}},"changes":{"items":[{"op":"splice","path":"/items","at":1,"#
            + #""remove":[],"insert":[2]}],"total":[{"op":"replace","path":"/total","old":1,"value":3}]},"#
            + #""parent":-1,"at":7,"duration":10,"times":[4,5]}"#,
        #"{"action":"nothing","payload":{"nothing":{}},"at":8,"duration":10,"times":[4,5]}"#,
        #"{"end":true}"#,
    ]

    private func write(_ text: String, _ scratch: Scratch, _ name: String = "s.jsonl") throws -> URL {
        try Data(text.utf8).write(to: scratch.file(name))
        return scratch.file(name)
    }

    /// The error of opening a text.
    private func error(of text: String) throws -> RecordingError {
        let scratch = Scratch()
        let file = try write(text, scratch)
        return try #require(throws: RecordingError.self) { try Recording(at: file) }
    }

    @Test func `a text that a person wrote is read, and written again as it was`() throws {
        let text = Self.lines.joined(separator: "\n") + "\n"
        let recording = try Recording(at: try write(text, scratch))
        #expect(recording.actionCount == 3)
        #expect(recording.ending == .closed)
        #expect(try recording.state(at: recording.end).json == #"{"items":[1,2],"total":3}"#)
        #expect(try recording.state(at: Recording.Position(seq: 2, reducer: 1)).json == #"{"items":[1,2],"total":1}"#)
        #expect(try recording.action(1).origin == "App.swift:12")
        #expect(try recording.action(2).parent == 1)
        #expect(try recording.text() == text)
    }

    @Test(arguments: ["windows", "mark", "blank", "unended"])
    func `a text is read as it comes from editors and git`(what: String) throws {
        let text = Self.lines.joined(separator: "\n") + "\n"
        let changed =
            switch what {
            case "windows": text.replacing("\n", with: "\r\n")
            case "mark": "\u{FEFF}" + text
            case "blank": text + "\n  \n\n"
            default: String(text.dropLast())
            }
        let recording = try Recording(at: try write(changed, scratch))
        #expect(try recording.text() == text, "\(what)")
    }

    @Test func `the content decides, and not the name`() throws {
        let text = Self.lines.joined(separator: "\n") + "\n"
        for name in ["s.hindsight", "s.txt", "s"] {
            let recording = try Recording(at: try write(text, scratch, name))
            #expect(recording.isText && recording.actionCount == 3, "\(name)")
        }
    }

    @Test func `removing an action that changed nothing leaves the other lines valid`() throws {
        var lines = Self.lines
        lines.insert(lines[3], at: 1)
        let text = lines.joined(separator: "\n") + "\n"
        let recording = try Recording(at: try write(text, scratch))
        #expect(try recording.action(3).parent == 2)
        #expect(try recording.text() == text)
    }

    struct Bad: Sendable, CustomTestStringConvertible {
        var what: String
        /// The line that the error names, and what it says.
        var line: Int
        var words: String
        var change: @Sendable (inout [String]) -> Void
        var testDescription: String { what }

        init(_ what: String, _ line: Int, _ words: String, _ change: @escaping @Sendable (inout [String]) -> Void) {
            (self.what, self.line, self.words, self.change) = (what, line, words, change)
        }
    }

    private static func replace(_ line: Int, _ old: String, _ new: String) -> @Sendable (inout [String]) -> Void {
        { lines in
            precondition(lines[line - 1].contains(old), "line \(line) has no \(old)")
            lines[line - 1] = lines[line - 1].replacing(old, with: new)
        }
    }

    static let bad: [Bad] =
        ["<<<<<<< HEAD", "||||||| merged", "=======", ">>>>>>> other"].map { mark in
            Bad("the mark \(mark)", 3, "merge conflict") { $0.insert(mark, at: 2) }
        } + [
            Bad("a conflict in the header", 1, "merge conflict") { $0.insert("<<<<<<< HEAD", at: 0) },
            Bad("no JSON", 2, "expected") { $0[1] = "{oops" },
            Bad("another value", 2, "no JSON object") { $0[1] = "[1]" },
            Bad("a repeated key", 3, "twice", replace(3, #""at":7"#, #""at":7,"at":7"#)),
            Bad("an unknown member", 3, "\"colour\"", replace(3, #""at":7"#, #""colour":1,"at":7"#)),
            Bad("a member of another type", 3, "\"duration\"", replace(3, #""duration":10"#, #""duration":"10""#)),
            Bad("an unknown line", 4, "begins with \"act\"", replace(4, #""action""#, #""act""#)),
            Bad("an unknown reducer", 3, "no reducer \"totals\"", replace(3, #""total":["#, #""totals":["#)),
            Bad("no patch", 3, "cannot be read", replace(3, #""op":"replace""#, #""op":"increase""#)),
            Bad("a patch that does not fit", 3, "do not fit", replace(3, #""old":1"#, #""old":7"#)),
            Bad("a patch that is not undoable", 3, "undone", replace(3, #""old":1,"#, "")),
            Bad("too few times", 3, "\"times\"", replace(3, "[4,5]", "[4]")),
            Bad("no time", 3, "\"at\"", replace(3, #""at":7,"#, "")),
            Bad("an effect without a duration", 3, "duration", replace(3, #""duration":10,"#, "")),
            Bad("an origin of another form", 2, "origin", replace(2, "App.swift:12", "App.swift")),
            Bad("a far parent", 3, "parent", replace(3, #""parent":-1"#, #""parent":9223372036854775807"#)),
            Bad("a number that is none of 64 bits", 3, "\"at\"", replace(3, #""at":7"#, #""at":17446744073709551615"#)),
            Bad("changes after unknown states", 3, "state before it is missing") {
                $0[1] = #"{"action":"add","at":6,"duration":10}"#
            },
            Bad("a state that is not that of the changes", 4, "not the state") {
                $0.insert(#"{"state":{"items":[],"total":0}}"#, at: 3)
            },
            Bad("a run without its state", 3, "state before it is missing") {
                $0[1] = #"{"action":"add","skipped":true,"at":6,"duration":10}"#
            },
            Bad("a dropped action in the middle", 3, "dropped", replace(3, #""at":7"#, #""dropped":true,"at":7"#)),
            Bad("a fact of another type", 1, "closed", replace(1, #""closed":9"#, #""closed":[]"#)),
            Bad("a fact that does not fit", 1, "whole number", replace(1, #""closed":9"#, #""closed":"yes""#)),
            Bad("redaction that cannot be read", 1, "redacted", replace(1, #""closed":9"#, #""redaction":"?""#)),
            Bad("no app", 1, "\"app\"", replace(1, #""app":"shop","#, "")),
            Bad("a start without a limit", 1, "limit", replace(1, #""state""#, #""start":4,"state""#)),
            Bad("a huge start", 1, "\"start\"", replace(1, #""state""#, #""start":9223372036854775807,"state""#)),
            Bad("a second header", 2, "begins with") { $0.insert($0[0], at: 1) },
            Bad("a line after the end", 6, "after the line") { $0.append($0[3]) },
            Bad("no end", 4, "without its last line") { $0.removeLast() },
            Bad("a note of an unknown reducer", 3, "no reducer 9") {
                $0.insert(#"{"note":"here","reducer":9,"at":3}"#, at: 2)
            },
            Bad("an id of letters", 1, "\"id\" is no UUID", replace(1, #""closed":9"#, #""closed":9,"id":"xyz""#)),
            Bad("an id of digits", 1, "its fact \"id\" is no UUID", replace(1, #""closed":9"#, #""closed":9,"id":7"#)),
            Bad("a negative duration", 2, "\"duration\" is negative", replace(2, #""duration":10"#, #""duration":-5"#)),
            Bad("a negative time", 2, "a time in \"times\" is negative", replace(2, "[4,5]", "[4,-5]")),
            Bad("another type", 3, "its \"payload\" is of an action \"add\"", replace(3, #"on":"add""#, #"on":"zap""#)),
            Bad("an early parent", 3, "comes before the first action", replace(3, #""parent":-1"#, #""parent":-5"#)),
            Bad("a parent of itself", 3, "its \"parent\" is itself", replace(3, #""parent":-1"#, #""parent":0"#)),
            Bad("two notes of one name", 4, "has its name") {
                $0.insert(contentsOf: Array(repeating: #"{"note":"here","at":3}"#, count: 2), at: 2)
            },
        ]

    @Test(arguments: bad)
    func `an error names the line, and says what is wrong with it`(bad: Bad) throws {
        var lines = Self.lines
        bad.change(&lines)
        let error = try error(of: lines.joined(separator: "\n") + "\n")
        #expect(error.code == .damaged)
        #expect(error.line == bad.line, "\(error)")
        #expect(error.description.contains("line \(bad.line)"), "\(error)")
        #expect(error.description.contains(bad.words), "\(error)")
    }

    @Test func `a file that is cut anywhere says so`() throws {
        let text = Self.lines.joined(separator: "\n") + "\n"
        let bytes = Array(text.utf8)
        let ends = bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }
        for count in TextForm.beginning.utf8.count..<bytes.count - 1 {
            let error = try error(of: String(decoding: bytes.prefix(count), as: UTF8.self))
            #expect(error.code == .damaged, "at \(count)")
            let line = 1 + ends.count { $0 < count - 1 }
            #expect(error.line == line, "at \(count): \(error)")
            #expect(error.description.contains("the file ends"), "at \(count): \(error)")
        }
    }

    @Test(arguments: [#""stopped":5"#, #""limit_actions":"x""#, #""redaction":"{}""#])
    func `the error of an import names the text, and not the copy of it`(fact: String) throws {
        let lines = [Self.lines[0].replacing(#""closed":9"#, with: #""closed":9,"# + fact)] + Self.lines.dropFirst()
        let file = try write(lines.joined(separator: "\n") + "\n", scratch)
        let opened = #expect(throws: RecordingError.self) { try Recording(at: file) }
        let error = #expect(throws: RecordingError.self) {
            try Recording.importText(from: file, to: scratch.file("imported.hindsight"))
        }
        #expect(error?.file == file.path && error?.line == 1)
        #expect(error?.description == opened?.description)
    }

    @Test func `a newer form is refused by its number`() throws {
        let text = Self.lines.joined(separator: "\n") + "\n"
        let newerText = try error(of: text.replacing(#""text":1"#, with: #""text":7,"shape":{}"#))
        #expect(newerText.code == .newerFormat)
        #expect(newerText.description.contains("text form 7; this version of Hindsight reads text forms up to 1"))
    }

    @Test func `a list of actions is no recording, and the error says how to record it`() throws {
        let error = try error(of: #"{"add":{"title":"Milk"}}"# + "\n")
        #expect(error.code == .notARecording)
        #expect(error.description.contains("list of actions"), "\(error)")
        #expect(error.description.contains("hindsight record --app NAME --input FILE"), "\(error)")
    }

    @Test func `a line of more than 64 MB is refused`() throws {
        var data = Data((Self.lines[0] + "\n").utf8)
        data.append(Data(repeating: UInt8(ascii: " "), count: TextForm.maxLineLength + (1 << 17)))
        try data.write(to: scratch.file("s.jsonl"))
        let error = try #require(throws: RecordingError.self) { try Recording(at: scratch.file("s.jsonl")) }
        #expect(error.line == 2)
        #expect(error.description.contains("64 MB"), "\(error)")
    }

    @Test func `files beside a text are not its journal`() throws {
        let file = try write(Self.lines.joined(separator: "\n") + "\n", scratch)
        for suffix in ["-ahead", "-wal", "-shm", "-journal"] {
            try Data("other".utf8).write(to: scratch.file("s.jsonl" + suffix))
        }
        let before = try scratch.contents()
        let recording = try Recording(at: file)
        #expect(recording.actionCount == 3 && recording.sidecarFiles.isEmpty && recording.ending == .closed)
        try recording.refresh()
        #expect(try !Recording.recover(at: file).isNeeded)
        #expect(try scratch.contents() == before)
    }

    @Test func `writing a text replaces nothing unless it may, and leaves no other file`() throws {
        let recording = try Recording(at: try write(Self.lines.joined(separator: "\n") + "\n", scratch))
        let output = scratch.file("out.jsonl")
        try Data("mine".utf8).write(to: output)
        let error = try #require(throws: RecordingError.self) { try recording.writeText(to: output) }
        #expect(error.code == .exists)
        #expect(try String(contentsOf: output, encoding: .utf8) == "mine")
        try recording.writeText(to: output, overwrite: true)
        #expect(try String(contentsOf: output, encoding: .utf8) == recording.text())
        #expect(try scratch.names == ["out.jsonl", "s.jsonl"])
        let nowhere = scratch.file("no/where.jsonl")
        #expect(throws: RecordingError.self) { try recording.writeText(to: nowhere) }
    }

    @Test func `a directory's recordings include texts, and no lists of actions`() throws {
        let text = Self.lines.joined(separator: "\n") + "\n"
        _ = try write(text, scratch)
        _ = try write(#"{"add":{"title":"Milk"}}"#, scratch, "actions.jsonl")
        _ = try write("<<<<<<< HEAD\n" + text, scratch, "conflict.jsonl")
        let entries = try RunDirectory(at: scratch.directory).entries()
        #expect(Set(entries.map(\.url.lastPathComponent)) == ["s.jsonl", "conflict.jsonl"])
        #expect(try RunDirectory(at: scratch.directory).newest()?.lastPathComponent == "s.jsonl")
    }
}
