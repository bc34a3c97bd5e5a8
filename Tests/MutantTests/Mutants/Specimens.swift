import Foundation
import HindsightReplay
import HindsightSQLite
import HindsightStore
import HindsightTree
import Samples

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

extension Specimen {
    static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Fixtures")
        .standardizedFileURL

    /// The sound recordings of every kind that mutants are made of.
    static func all(in scratch: String) throws -> [Specimen] {
        var all: [Specimen] = []
        for name in ["todo", "checkout", "notepad", "escapes"] {
            let data = try Data(contentsOf: fixtures.appending(path: "\(name).hindsight"))
            all.append(Specimen(name: name, files: ["": [UInt8](data)]))
        }
        all.append(try died(in: scratch))
        all.append(try long(in: scratch))
        all.append(try travelled(all[2], in: scratch))
        return all
    }

    /// A recording of a dead process, with a `-wal` and three actions in its journal alone. The last one is unfinished.
    private static func died(in scratch: String) throws -> Specimen {
        let path = scratch + "/died.hindsight"
        let session = try SampleApps.todo.record(to: URL(filePath: path), options: RecorderOptions(overwrite: true))
        let lines = try String(contentsOf: fixtures.appending(path: "todo.jsonl"), encoding: .utf8).split(
            separator: "\n"
        )
        for line in lines.prefix(20) {
            try session.dispatch(Node(json: String(line)), origin: Origin(file: "todo.jsonl", line: 1))
        }
        try session.flush()
        var files = ["": try read(path), "-wal": try read(path + "-wal")]
        try session.close()

        let beside = scratch + "/journal"
        let journal = try Journal(for: beside, capacity: 8192)
        for (index, line) in lines.dropFirst(20).prefix(3).enumerated() {
            let action = DispatchedAction(
                seq: 21 + index,
                type: "add",
                payload: String(line),
                at: 1_700_000_000_000_000_000
            )
            _ = try journal.append(action)
            if index < 2 { _ = try journal.append(done: 21 + index, duration: 500) }
        }
        journal.mark(ReducerMark(phase: .reducing, seq: 23, reducer: 2))
        files["-ahead"] = try read(beside + "-ahead")
        journal.remove()
        unlink(path)
        return Specimen(name: "died", files: files)
    }

    /// A recording of some hundred actions, with several whole states.
    private static func long(in scratch: String) throws -> Specimen {
        let path = scratch + "/long.hindsight"
        let session = try SampleApps.notepad.record(to: URL(filePath: path), options: RecorderOptions(overwrite: true))
        for number in 0..<400 {
            let action: Node = ["edit": ["at": .int(number * 3), "delete": 0, "insert": .string("\(number % 10)é")]]
            try session.dispatch(action, origin: Origin(file: "long", line: 1))
        }
        try session.close()
        defer { unlink(path) }
        return Specimen(name: "long", files: ["": try read(path)])
    }

    /// A recording with time travel: its last action becomes a travel to the state before it.
    private static func travelled(_ specimen: Specimen, in scratch: String) throws -> Specimen {
        let path = scratch + "/travelled.hindsight"
        try Data(specimen.files[""] ?? []).write(to: URL(filePath: path))
        defer { unlink(path) }
        do {
            let recording = try Recording(at: URL(filePath: path))
            let last = recording.actionCount
            let state = try recording.state(at: Recording.Position(seq: last - 1))
            let patch = Patch(from: state, to: try recording.state(at: Recording.Position(seq: 3)))
            let steps = TimedPatches.write([TimedPatch(duration: nil, patch: patch)]).text
            let text = steps.replacing("'", with: "''")
            let connection = try Connection(path, .readWrite)
            try connection.execute(
                """
                UPDATE action SET payload = NULL, type = '\(Schema.travelType)', problem = 'The app travelled to action 3.',
                    duration = 0, steps = '\(text)' WHERE seq = \(last);
                DELETE FROM keyframe WHERE seq = \(last)
                """
            )
        }
        return Specimen(name: "travelled", files: ["": try read(path)])
    }

    private static func read(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: path))) }
}
