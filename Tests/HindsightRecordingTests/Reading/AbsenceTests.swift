import HindsightSQLite
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

@Suite("Absent states") struct AbsenceTests {
    private let scratch = Scratch()

    /// A recording of ten actions without the states after 4 and 5, the changes of 4 to 6, and any state after 8.
    private func damaged(_ scratch: Scratch) throws -> Recording {
        try recordShop(10, seed: 1, to: scratch.file())
        let sql = """
            DELETE FROM recording WHERE key = 'closed'; DELETE FROM keyframe WHERE seq > 0;
            INSERT INTO run VALUES ('skipped', 4, 6, NULL); INSERT INTO keyframe(seq, state) VALUES (6, '{}');
            UPDATE action SET steps = NULL WHERE seq BETWEEN 4 AND 6 OR seq > 8
            """
        _ = try Shell.query(scratch.file(), sql, writing: true)
        return try Recording(at: scratch.file())
    }

    @Test("Each position has a state, or a reason for its absence", .enabled(if: Shell.isAvailable))
    func positions() throws {
        let recording = try damaged(scratch)
        let skipped = Absence.skipped(4...6)
        let rows: [(String, Absence?)] = [
            ("0", nil), ("3", nil), ("4.0", nil), ("4.1", skipped), ("4", skipped), ("5.0", skipped), ("5", skipped),
            ("6.0", skipped), ("6.2", skipped), ("6", nil), ("7.0", nil), ("7.1", nil), ("8", nil), ("9.0", nil),
            ("9.1", .lost), ("9", .lost), ("10.0", .lost), ("10", .lost),
        ]
        for (text, absence) in rows {
            let position = try recording.position(text, knownOnly: false)
            #expect(recording.absence(at: position) == absence, "\(text)")
            if absence != nil { #expect(throws: RecordingError.self) { try recording.position(text) } }
        }
        let changes: [Absence?] = [nil, nil, nil, skipped, skipped, skipped, nil, nil, .lost, .lost]
        for (index, absence) in changes.enumerated() {
            #expect(recording.absence(ofChangesIn: index + 1) == absence, "\(index + 1)")
        }
        let bases = [0, 1, 2, 3, 3, 3, 6, 7, 8, 8]
        for (index, base) in bases.enumerated() {
            #expect(recording.lastRecorded(before: index + 1) == Recording.Position(seq: base), "\(index + 1)")
        }
        #expect(recording.lastBeforeCrash == Recording.Position(seq: 10))
        #expect(recording.recordedPositions == ["0 to 3", "6 to 8"])
        #expect(recording.computablePositions == ["4 to 5", "9 to 10"])
        let known = #expect(throws: RecordingError.self) { try recording.position("99") }
        #expect(known?.allowed == ["0 to 3", "6 to 8", "start", "end"])
        let all = #expect(throws: RecordingError.self) { try recording.position("99", knownOnly: false) }
        #expect(all?.allowed == ["0 to 10", "start", "end"])
    }

    @Test("An unfinished action has the states before the reducer in which its process ended")
    func unfinished() throws {
        try Child(recordingTo: scratch.file(), end: "kill").waitForEnd()
        let recording = try Recording(at: scratch.file())
        #expect(recording.lastBeforeCrash == Recording.Position(seq: 3, reducer: 1))
        #expect(recording.absence(at: Recording.Position(seq: 3, reducer: 0)) == nil)
        for position in [
            Recording.Position(seq: 3, reducer: 1), Recording.Position(seq: 3, reducer: 2), Recording.Position(seq: 3),
        ] {
            #expect(recording.absence(at: position) == .unfinished(seq: 3, reducer: 2))
        }
        for (text, isComputable) in [("3.1", true), ("3.2", false), ("3", false)] {
            let error = #expect(throws: RecordingError.self) { try recording.position(text) }
            #expect(error?.isComputable == isComputable, "\(text)")
        }
        #expect(recording.absence(ofChangesIn: 3) == .unfinished(seq: 3, reducer: 2))
        #expect(recording.lastRecorded(before: 3) == Recording.Position(seq: 2))
        #expect(recording.recordedPositions == ["0 to 2"])
        #expect(recording.computablePositions == ["3.1"])
    }

    @Test("The crash is a position only if the state before it is known", arguments: [true, false])
    func beforeCrash(isKnown: Bool) throws {
        try Child(recordingTo: scratch.file(), end: "kill").waitForEnd()
        _ = try Recording.recover(at: scratch.file())
        let sql = "UPDATE action SET steps = NULL WHERE seq = 2"
        if !isKnown { try Connection(scratch.file().path, .readWrite).execute(sql) }
        let recording = try Recording(at: scratch.file())
        #expect(recording.ending == .crashed(seq: 3, reducer: 2))
        let error = #expect(throws: RecordingError.self) { try recording.position("99") }
        #expect(error?.allowed == (isKnown ? ["0 to 2", "start", "end", "crash"] : ["0 to 1", "start", "end"]))
    }

    @Test("After a crash between two reducers, the last position is that after the first one")
    func betweenReducers() throws {
        try Child(recordingTo: scratch.file(), end: "in an observer").waitForEnd()
        let recording = try Recording(at: scratch.file())
        #expect(recording.lastActivity == .betweenReducers(after: 1, of: 3))
        #expect(recording.lastBeforeCrash == Recording.Position(seq: 3, reducer: 1))
        #expect(recording.absence(at: Recording.Position(seq: 3, reducer: 1)) == .unfinished(seq: 3, reducer: nil))
    }
}
