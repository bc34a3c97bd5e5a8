import Foundation
import HindsightSQLite
import TestSupport
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

@Suite("Damaged and foreign files") struct BadFileTests {
    private let scratch = Scratch()
    private var file: URL { scratch.file() }

    init() throws { try recordShop(60, seed: 10, to: file) }

    /// Reads everything.
    private func readAll(_ file: URL) throws {
        let recording = try Recording(at: file)
        _ = try recording.summary()
        var entries = try recording.entries(in: 1...max(1, recording.actionCount), withSteps: false)
        while let action = try entries.next()?.action {
            _ = try recording.steps(of: action.seq)
            _ = try recording.state(at: Recording.Position(seq: action.seq))
        }
    }

    private func expect(_ code: RecordingError.Code, _ file: URL, _ words: String? = nil) {
        let error = #expect(throws: RecordingError.self, "\(words ?? "")") { try readAll(file) }
        #expect(error?.code == code, "\(error.map { "\($0)" } ?? "nothing")")
        #expect(error?.file == file.path)
        #expect(words.map { error?.description.contains($0) == true } ?? true, "\(error.map { "\($0)" } ?? "nothing")")
        #expect(error.map { $0.description.split(separator: "\n").count <= 3 } == true)
    }

    @Test("Opening a file that is no recording throws an error that names its kind")
    func otherFiles() throws {
        expect(.notFound, scratch.file("missing"))
        expect(.unreadable, scratch.directory, "directory")
        try Data().write(to: scratch.file("empty"))
        expect(.empty, scratch.file("empty"))
        try Data("S".utf8).write(to: scratch.file("letter"))
        expect(.notARecording, scratch.file("letter"))
        try Data("some text that is no database at all\n".utf8).write(to: scratch.file("text"))
        expect(.notARecording, scratch.file("text"))
        try Data(repeating: 7, count: 100_000).write(to: scratch.file("noise"))
        expect(.notARecording, scratch.file("noise"))
        try Data().write(to: scratch.file("other"))
        try Connection(scratch.file("other").path, .readWrite).execute("CREATE TABLE action(seq)")
        expect(.notARecording, scratch.file("other"), "another SQLite database")
    }

    @Test("Opening an unreadable file throws .unreadable", .enabled(if: geteuid() != 0, "root may read everything"))
    func permissions() throws {
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: file.path)
        expect(.unreadable, file, "Permission denied")
    }

    @Test("Opening a newer format throws an error with both versions")
    func newerFormat() throws {
        try Connection(file.path, .readWrite).execute("PRAGMA user_version = 7")
        expect(.newerFormat, file, "has format 7; this version of Hindsight reads formats up to \(Schema.version)")
    }

    @Test("Opening a truncated file leaves its sidecar files alone", arguments: [0, 1, 2, 99, 100, 4095])
    func remnant(length: Int) throws {
        let scratch = Scratch()
        let (recorder, store) = try shop(at: scratch.file())
        for action in shopActions(60, seed: 10) { store.dispatch(action) }
        try recorder.flush()
        let beside = ["-wal", "-journal"]
        let abandoned = try Data(contentsOf: scratch.file("session.hindsight-wal"))
        let rest = try Data(contentsOf: scratch.file()).prefix(length)
        try recorder.close()

        for suffix in beside {
            let copy = Scratch()
            try rest.write(to: copy.file())
            try abandoned.write(to: copy.file("session.hindsight\(suffix)"))
            let before = try copy.contents()
            for _ in 1...2 {
                // The file may still be readable, since the `-wal` may have all of it.
                _ = Result { try readAll(copy.file()) }
                _ = Result { try Recording.examine(at: copy.file()) }
                #expect(try copy.contents() == before, "\(suffix)")
            }
        }
    }

    @Test("A truncated file is damaged, wherever it ends")
    func truncated() throws {
        let whole = try Data(contentsOf: file)
        let copy = scratch.file("cut.hindsight")
        let pages = stride(from: 4096, to: whole.count, by: 4096)
        for length in pages + [50, 99, 100, 511, 512, 1000, whole.count - 1] {
            try whole.prefix(length).write(to: copy)
            expect(.damaged, copy)
        }
    }

    @Test(
        "Opening an inconsistent file throws an error that says where",
        arguments: [
            ("DROP TABLE name", "no table name"),
            (
                "DROP TABLE name; CREATE VIEW name AS SELECT seq AS id, 'x' AS text FROM action",
                "no table name"
            ),
            (
                "DROP TABLE name; CREATE TABLE name(id INTEGER PRIMARY KEY, text TEXT AS (hex(id)))",
                "the column text of its table name is computed"
            ),
            (
                "DROP TABLE name; CREATE TABLE name(id INTEGER PRIMARY KEY, text TEXT DEFAULT 'x')",
                "the column text of its table name has a default"
            ),
            ("DROP TABLE name; CREATE TABLE name(id INTEGER, text TEXT)", "the key of its table name is not id"),
            ("DROP VIEW history; ALTER TABLE action DROP COLUMN line", "no column line"),
            ("DELETE FROM recording WHERE key = 'app'", "no app"),
            ("UPDATE recording SET value = 'soon' WHERE key = 'created'", "value is not a whole number"),
            ("UPDATE action SET payload = '{\"add\":' WHERE seq = 17", "at action 17"),
            ("UPDATE action SET steps = 'nonsense' WHERE seq = 17", "at action 17"),
            ("UPDATE action SET steps = '{}' WHERE seq = 17", "at action 17"),
            ("UPDATE action SET steps = '[[1,[\"q/text\",1]]]' WHERE seq = 17", "at action 17"),
            ("UPDATE action SET steps = '[[1,[\"d/nowhere\",1]]]' WHERE seq = 17", "at action 17, reducer 1"),
            ("DELETE FROM name", "there is no name"),
            ("UPDATE name SET text = hex(zeroblob(3000))", "longer than names are"),
            ("UPDATE keyframe SET state = '[1' WHERE seq = 0", "at the initial state"),
            ("DELETE FROM keyframe; INSERT INTO keyframe VALUES (30, '{}')", "at its beginning is missing"),
            ("DELETE FROM reducer WHERE id = 2", "reducers are not numbered"),
            ("DELETE FROM action WHERE seq = 17", "at action 17: it is missing"),
            ("UPDATE action SET seq = -seq", "not numbered from 1"),
            ("DELETE FROM action; UPDATE keyframe SET seq = -5 WHERE seq = 0", "stands at no action"),
            (
                "DELETE FROM action; DELETE FROM keyframe WHERE seq > 0; UPDATE keyframe SET seq = (1 << 55) + 1",
                "stands at no action"
            ),
        ]
    )
    func inconsistent(sql: String, words: String) throws {
        try Connection(file.path, .readWrite).execute(sql)
        let error = #expect(throws: RecordingError.self) { try readAll(file) }
        #expect(error?.description.contains(words) == true, "\(error.map { "\($0)" } ?? "nothing")")
    }

    @Test("Damage anywhere leads to an error or an answer, and never to a trap", arguments: [11, 12, 13] as [UInt64])
    func mutants(seed: UInt64) throws {
        let whole = try Data(contentsOf: file)
        let copy = scratch.file("mutant.hindsight")
        var random = Seeded(seed: seed)
        for _ in 0..<60 {
            var mutant = whole
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                let place = Int.random(in: 100..<mutant.count, using: &random)
                mutant[place] = UInt8.random(in: 0...255, using: &random)
            }
            try mutant.write(to: copy)
            do {
                try readAll(copy)
            } catch let error as RecordingError {
                #expect([.damaged, .positionOutOfRange, .empty].contains(error.code), "seed \(seed): \(error)")
            }
        }
    }

    @Test("Reading changes nothing on disk, even if the directory is read-only")
    func readingChangesNothing() throws {
        let before = try scratch.contents()
        try readAll(file)
        #expect(try scratch.contents() == before)
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: scratch.directory.path)
        #expect(throws: Never.self) { try readAll(file) }
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: scratch.directory.path)
    }

    @Test("A damaged mark is ignored")
    func marks() {
        for mark in [
            ReducerMark(phase: .reducing, seq: 412, reducer: 3),
            ReducerMark(phase: .idle, seq: 1 << 40 - 1, reducer: 0),
            ReducerMark(phase: .stopped, seq: 0, reducer: 0),
        ] {
            #expect(ReducerMark(word: mark.word) == mark)
            for bit in 0..<64 {
                #expect(ReducerMark(word: mark.word ^ 1 << UInt64(bit)) == nil)
            }
        }
        #expect(ReducerMark(word: 0) == nil)
        #expect(ReducerMark(word: ReducerMark(phase: .idle, seq: .max, reducer: 0).word)?.isOf(.max) == true)
    }
}
