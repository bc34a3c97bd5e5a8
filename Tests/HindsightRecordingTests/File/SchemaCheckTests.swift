import Foundation
import HindsightSQLite
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

/// Files with a schema that no recorder makes.
@Suite("The schema check") struct SchemaCheckTests {
    @Test("Users' own tables, views and indexes are ignored")
    func own() throws {
        let scratch = Scratch()
        try recordShop(20, seed: 1, to: scratch.file())
        try Connection(scratch.file().path, .readWrite).execute(
            """
            CREATE TABLE mine(action INTEGER, note TEXT); CREATE INDEX mine_types ON action(type);
            CREATE VIEW mine_big AS SELECT seq FROM action WHERE length(payload) > 100
            """
        )
        let before = try scratch.contents()
        let recording = try Recording(at: scratch.file())
        #expect(try recording.actions(in: 1...20).count == 20)
        #expect(try recording.state(at: recording.end)["log"] != nil)
        #expect(try Recording.examine(at: scratch.file()).isSound)
        #expect(try Recording.recover(at: scratch.file()).isNeeded == false)
        #expect(try scratch.contents() == before)
    }

    @Test(
        "Nothing reads a view that the schema calls a table, not even doctor",
        .enabled(if: Shell.isAvailable, "needs the sqlite3 shell"),
        arguments: [
            // The schema's row of the table becomes one of a view, or another row comes first.
            "WHERE name = 'action'", ", type = 'table', name = 'action', rootpage = 0 WHERE name = 'name'",
        ]
    )
    func view(row: String) throws {
        let scratch = Scratch()
        try recordShop(20, seed: 2, to: scratch.file())
        let columns = Schema.action.columns.map { "value AS \($0)" }.joined(separator: ", ")
        let planted = """
            WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 1000000000)
            SELECT \(columns) FROM n
            """
        _ = try Shell.query(
            scratch.file(),
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = 'CREATE VIEW action AS \(planted)' \(row)
            """,
            writing: true
        )
        expectError(.damaged) { try Recording(at: scratch.file()) }
        let examination = try Recording.examine(at: scratch.file())
        #expect(!examination.isSound && examination.actions == 0)
        #expect(examination.findings.contains { $0.what == "it has no table action" }, "\(examination.findings)")
    }

    @Test(
        "A recovery does not run triggers that were planted in its tables",
        arguments: [
            ("CREATE INDEX planted ON action(hex(payload))", "DROP INDEX planted", "has the index planted"),
            (
                "CREATE TRIGGER planted AFTER INSERT ON action BEGIN DELETE FROM keyframe; END",
                "DROP TRIGGER planted", "has the trigger planted"
            ),
            (
                "ALTER TABLE action ADD COLUMN planted TEXT AS (hex(payload))",
                "ALTER TABLE action DROP COLUMN planted", "table action is not as a recorder makes it"
            ),
            ("CREATE UNIQUE INDEX planted ON recording(value)", "DROP INDEX planted", "has the index planted"),
        ]
    )
    func planted(sql: String, removal: String, words: String) throws {
        let scratch = Scratch()
        try Child(recordingTo: scratch.file(), end: "kill").waitForEnd()
        try Connection(scratch.file().path, .readWrite).execute(sql)
        let journal = try Data(contentsOf: scratch.file("session.hindsight-ahead"))
        #expect(try Recording(at: scratch.file()).actionCount == 3)
        expectError(.foreignSchema, saying: words) { try Recording.recover(at: scratch.file()) }
        #expect(try Recording(at: scratch.file()).lastStored == 2)
        #expect(try Data(contentsOf: scratch.file("session.hindsight-ahead")) == journal)

        // A failed recovery leaves no lock behind that would look like a journal.
        try FileManager.default.removeItem(at: scratch.file("session.hindsight-ahead"))
        #expect(throws: RecordingError.self) { try Recording.recover(at: scratch.file()) }
        #expect(try !scratch.names.contains("session.hindsight-ahead"))
        try journal.write(to: scratch.file("session.hindsight-ahead"))

        // Dropping a column reads the views, whose functions SQLite trusts in the shell.
        try Connection(scratch.file().path, .readWrite).execute("PRAGMA trusted_schema = ON; \(removal)")
        #expect(try Recording.recover(at: scratch.file()).actions == 3...3)
        #expect(try scratch.names == ["session.hindsight"])
    }
}
