import Foundation
import HindsightRecorder
import HindsightRecording
import HindsightSQLite
import HindsightStore
import Testing

@testable import HindsightReplay

/// Whole states of a recording compared with its changes.
@Suite struct WholeStateTests {
    private let scratch = Scratch()

    /// A recording with many whole states. The one in the middle is changed.
    private func recording(
        in scratch: Scratch,
        change: (_ state: String) -> String = { $0 },
        and sql: (_ seq: Int) -> String = { _ in "" }
    ) throws -> (recording: Recording, seq: Int) {
        let file = scratch.file("whole.hindsight")
        var options = RecorderOptions(overwrite: true)
        options.keyframeFloor = 200
        let session = try BankRules().app.record(to: file, options: options)
        for index in 0..<120 {
            try session.dispatch(bankSession[index % bankSession.count], origin: Origin(file: "", line: index + 1))
        }
        try session.close()
        let connection = try Connection(file.path, .readWrite)
        let middle = "SELECT seq FROM keyframe WHERE seq > 40 ORDER BY seq LIMIT 1"
        let seq = Int(try #require(try connection.integer(middle)))
        let state = try #require(try connection.text("SELECT state FROM keyframe WHERE seq = \(seq)"))
        let update = try connection.prepare("UPDATE keyframe SET state = ? WHERE seq = \(seq)")
        try update.bind(change(state), at: 1)
        try update.run()
        try connection.execute(sql(seq))
        return (try Recording(at: file), seq)
    }

    private func renamed(_ state: String) -> String {
        state.replacingOccurrences(of: "\"count\":", with: "\"count\":1")
    }

    @Test func `A recording is equal if its changes lead to its whole states`() throws {
        #expect(try BankRules().app.verify(try recording(in: scratch).recording).matches)
    }

    @Test func `A recording without known states is not called equal`() throws {
        let (recording, _) = try recording(
            in: scratch,
            and: { _ in
                "UPDATE action SET steps = NULL; DELETE FROM keyframe WHERE seq > 0"
            }
        )
        let result = try BankRules().app.verify(recording)
        #expect(result.comparedNothing && result.unknown == 1...120)
        #expect(try !BankRules().app.verify(try self.recording(in: scratch).recording).comparedNothing)
    }

    @Test func `A recording without actions is not called equal if its journal is missing`() throws {
        let file = scratch.file("none.hindsight")
        try BankRules().app.record(to: file).close()
        #expect(try BankRules().app.verify(Recording(at: file)).emptiness == "the recording has no actions")
        try Connection(file.path, .readWrite).execute("DELETE FROM recording WHERE key = 'closed'")
        let result = try BankRules().app.verify(Recording(at: file))
        #expect(result.lacksActions && result.comparedNothing && result.actions == 0 && result.emptiness == nil)
    }

    @Test func `A recording that contradicts itself is damaged, not equal`() throws {
        let (recording, seq) = try recording(in: scratch, change: renamed)
        let error = #expect(throws: RecordingError.self) { try BankRules().app.verify(recording) }
        #expect(error?.code == .damaged && error?.seq == seq)
        #expect(error?.path?.components.last == "count")
        #expect(error?.description.contains("not what the recorded changes lead to") == true)
    }
}
