import Foundation
import HindsightRecorder
import HindsightRecording
import HindsightStore
import Testing

/// The version of the app's schema in a file.
@Suite(.enabled(if: Shell.isAvailable, "needs the sqlite3 shell")) struct SchemaVersionTests {
    private static let selection = "SELECT value FROM recording WHERE key = 'schema'"

    /// Records nothing, with a schema.
    private func record(_ schema: Int) throws -> Scratch {
        let scratch = Scratch()
        let app = AppInfo(name: "counter", version: "1", schema: schema)
        let recorder = try Recorder<Int, Int>(to: scratch.file(), app: app)
        let store = Store(
            initial: 0,
            reducer: Reducer<Int, Int>("add") { $0 += $1 },
            middleware: [recorder.middleware]
        )
        store.dispatch(1)
        try recorder.close()
        return scratch
    }

    @Test(arguments: [(1, ""), (2, "2"), (70, "70")]) func `the file has the schema unless it is the first`(
        schema: Int,
        stored: String
    ) throws {
        let scratch = try record(schema)
        #expect(try Shell.query(scratch.file(), Self.selection) == stored)
        #expect(try Shell.query(scratch.file(), "PRAGMA user_version") == "1")
        #expect(try Recording(at: scratch.file()).app == AppInfo(name: "counter", version: "1", schema: schema))
        #expect(try Recording.examine(at: scratch.file()).isSound)
    }

    @Test(arguments: ["'two'", "0", "-1", "99999999999", "x'00'"]) func `a schema that is no version is damage`(
        value: String
    ) throws {
        let scratch = try record(2)
        let update = "UPDATE recording SET value = \(value) WHERE key = 'schema'"
        _ = try Shell.query(scratch.file(), update, writing: true)
        let error = expectError(.damaged) { try Recording(at: scratch.file()) }
        #expect(error?.reason?.contains("its schema is no whole number from 1 up") == true)
        let examination = try Recording.examine(at: scratch.file())
        #expect(examination.findings.contains { $0.what == "its schema is no whole number from 1 up" })
        try examination.salvage(to: scratch.file("saved"))
        #expect(try Recording(at: scratch.file("saved")).app.schema == AppInfo.firstSchema)
    }
}
