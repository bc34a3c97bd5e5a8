import Foundation
import HindsightSQLite
import TestSupport
import Testing

@testable import HindsightFormat
@testable import HindsightRecording

@Suite struct NoteTests {
    private let scratch = Scratch()

    /// A closed recording of ten actions.
    private func recording(in scratch: Scratch, _ name: String = "session.hindsight") throws -> URL {
        try recordShop(10, seed: 5, to: scratch.file())
        guard name.hasSuffix(".jsonl") else { return scratch.file() }
        try Recording(at: scratch.file()).writeText(to: scratch.file(name))
        return scratch.file(name)
    }

    private func notes(_ file: URL) throws -> [String] {
        try Recording(at: file).notes().map { "\($0.position) \($0.name ?? "-") \($0.text)" }
    }

    private func refusal(_ body: () throws -> Void) -> RecordingError? {
        do {
            try body()
            return nil
        } catch {
            return error as? RecordingError
        }
    }

    @Test(arguments: ["session.hindsight", "session.jsonl"])
    func `a note names a position until it is moved or removed`(name: String) throws {
        let file = try recording(in: scratch, name)
        let before = try Recording(at: file).text()
        let names = try scratch.names
        try Recording.addNote("the total is wrong", at: "4.2", of: file)
        try Recording.addNote("é\u{1B}[31m", at: "end", of: file)
        try Recording.addNote("begin", at: "start", of: file)
        #expect(
            try notes(file) == [
                "0 begin begin", "4.2 the total is wrong the total is wrong", "10 é\u{1B}[31m é\u{1B}[31m",
            ]
        )
        let recording = try Recording(at: file)
        #expect(recording.isText == name.hasSuffix(".jsonl"))
        #expect(try recording.position("the total is wrong") == Recording.Position(seq: 4, reducer: 2))
        let text = try recording.text()
        #expect(text.split(separator: "\n").count == before.split(separator: "\n").count + 3)
        if recording.isText { #expect(try String(contentsOf: file, encoding: .utf8) == text) }

        let taken = refusal { try Recording.addNote("begin", at: "3", of: file) }
        #expect(taken?.code == .noteExists && taken?.reason == "at 0")
        try Recording.addNote("begin", at: "begin", of: file, replacing: true)
        try Recording.addNote("begin", at: "3", of: file, replacing: true)
        #expect(try Recording(at: file).position("begin").seq == 3)
        // Two forms of one character are two names.
        try Recording.addNote("caf\u{E9}", at: "3", of: file)
        try Recording.addNote("cafe\u{301}", at: "3", of: file)
        #expect(try Recording.removeNote("caf\u{E9}", of: file).position.seq == 3)
        try Recording.addNote("caf\u{E9}", at: "3", of: file)
        try Recording.addNote("cafe\u{301}", at: "4", of: file, replacing: true)
        #expect(try Recording(at: file).position("caf\u{E9}").seq == 3)
        #expect(try Recording(at: file).position("cafe\u{301}").seq == 4)
        for name in ["caf\u{E9}", "cafe\u{301}"] { try Recording.removeNote(name, of: file) }

        #expect(refusal { try Recording.removeNote("nothing", of: file) }?.code == .noNote)
        #expect(refusal { try Recording.removeNote("begin", at: "4", of: file) }?.code == .noNote)
        #expect(try Recording.removeNote("begin", of: file).position.seq == 3)
        #expect(try Recording.removeNote("4.2", of: file).text == "the total is wrong")
        try Recording.removeNote("é\u{1B}[31m", at: "10", of: file)
        #expect(try Recording(at: file).text() == before)
        #expect(try scratch.names == names, "nothing stays beside the recording")
    }

    @Test func `names that could not be used are refused`() throws {
        let file = try recording(in: scratch)
        let before = try scratch.contents()
        let bad = [
            "", "3", "3.2", "99999999999999999999", "start", "end", "crash", "50%", "150%", "14:03", "14:03:22", "-5s",
            "+00:12.5", "2026-11-20T14:03:22", String(repeating: "é", count: 101),
        ]
        for name in bad {
            #expect(refusal { try Recording.addNote(name, at: "1", of: file) }?.code == .badNote, "\(name)")
        }
        for name in [
            "3 apples", "3.x", "v1.2.3", "start of it", "50 %", "14:03 lunch", String(repeating: "é", count: 100),
        ] {
            try Recording.addNote(name, at: "1", of: file)
            #expect(try Recording(at: file).position(name).seq == 1, "\(name)")
            try Recording.removeNote(name, of: file)
        }
        #expect(refusal { try Recording.addNote("x", at: "11", of: file) }?.code == .positionOutOfRange)
        #expect(refusal { try Recording.addNote("x", at: "nowhere", of: file) }?.code == .badPosition)
        #expect(try scratch.names == before.keys.sorted())
    }

    @Test func `two notes with one text are told apart by their positions`() throws {
        let file = try recording(in: scratch)
        let connection = try Connection(file.path, .readWrite)
        for (id, seq) in [2, 5, 5, 7].enumerated() {
            let note = JournalNote(id: id + 1, seq: seq, reducer: nil, text: "bug", at: 0)
            try NoteTable.add(note, mayRenumber: true, to: connection)
        }
        #expect(try notes(file) == ["2 bug bug", "5 - bug", "5 - bug", "7 - bug"])
        let error = refusal { _ = try Recording(at: file).position("bug") }
        #expect(error?.code == .ambiguousPosition && error?.allowed == ["2", "5", "7"])
        #expect(refusal { try Recording.removeNote("bug", of: file) }?.code == .ambiguousPosition)
        try Recording.removeNote("bug", at: "5", of: file)
        #expect(try notes(file) == ["2 bug bug", "7 - bug"])
        try Recording.removeNote("2", of: file)
        #expect(try Recording(at: file).position("bug").seq == 7)
    }

    @Test func `a recording that is no whole file of its own is refused, and stays as it is`() throws {
        let file = try recording(in: scratch)
        func expectRefused(_ code: RecordingError.Code, _ words: String, _ copy: URL) throws {
            let before = try scratch.contents()
            let error = refusal { try Recording.addNote("x", at: "1", of: copy) }
            #expect(error?.code == code, "\(String(describing: error))")
            #expect(error?.description.contains(words) == true, "\(String(describing: error))")
            #expect(try scratch.contents() == before, "\(code)")
        }
        // The same bytes, read-only.
        let locked = scratch.file("locked.hindsight")
        try FileManager.default.copyItem(at: file, to: locked)
        try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: locked.path)
        try expectRefused(.unwritable, "read-only", locked)
        // With a file beside it.
        let beside = scratch.file("beside.hindsight")
        try FileManager.default.copyItem(at: file, to: beside)
        try Data().write(to: scratch.file("beside.hindsight-wal"))
        try expectRefused(.unwritable, "Recover it first.", beside)
        // Truncated.
        let cut = scratch.file("cut.hindsight")
        try Data(contentsOf: file).dropLast(5000).write(to: cut)
        try expectRefused(.damaged, "damaged", cut)
        // With a trigger that a note would run.
        let foreign = scratch.file("foreign.hindsight")
        try FileManager.default.copyItem(at: file, to: foreign)
        try Connection(foreign.path, .readWrite).execute(
            "CREATE TRIGGER more AFTER INSERT ON note BEGIN DELETE FROM action; END"
        )
        try expectRefused(.foreignSchema, "trigger", foreign)
        try expectRefused(.notFound, "no file", scratch.file("none.hindsight"))
        // Being recorded.
        let live = scratch.file("live.hindsight")
        let (recorder, store) = try shop(at: live)
        store.dispatch(.nothing)
        try recorder.flush()
        #expect(refusal { try Recording.addNote("x", at: "1", of: live) }?.code == .live)
        try recorder.close()
        try Recording.addNote("x", at: "1", of: live)
        #expect(try notes(live) == ["1 x x"])
    }

    @Test func `a reader goes on with the old file, and a link stays a link`() throws {
        let file = try recording(in: scratch)
        let link = scratch.file("link.hindsight")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
        let reader = try Recording(at: file)
        try Recording.addNote("x", at: "1", of: link)
        #expect(try reader.notes().isEmpty)
        #expect(try reader.state(at: reader.end) == Recording(at: file).state(at: reader.end))
        #expect(try notes(file) == ["1 x x"])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == file.path)
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o640)
    }

    @Test(arguments: ["session.hindsight", "session.jsonl"])
    func `of writers at the same time, each waits for the others, and all notes are there`(name: String) throws {
        let file = try recording(in: scratch, name)
        let files = try scratch.names
        let names = (0..<8).map { "note \($0)" }
        onThreads(names.count) { number in
            do {
                try Recording.addNote(names[number], at: "\(number)", of: file)
            } catch {
                Issue.record("\(names[number]): \(error)")
            }
        }
        let kept = try Recording(at: file).notes().compactMap(\.name)
        #expect(kept.sorted() == names)
        #expect(try scratch.names == files)
    }
}
