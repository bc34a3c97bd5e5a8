import Foundation
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightSQLite

@Suite("A recorder's file") struct RecordingFileTests {
    /// The number of keyframes in a file or, without its `-wal`, in a copy of the file alone.
    private func keyframes(_ scratch: Scratch, alone: Bool) throws -> Int64? {
        var file = scratch.file()
        if alone {
            file = scratch.file("\(UUID().uuidString).hindsight")
            try FileManager.default.copyItem(at: scratch.file(), to: file)
        }
        return try Connection(file.path, .readWrite).integer("SELECT count(*) FROM keyframe")
    }

    @Test("The first state is committed without a wait for the disk, unless each action waits for it")
    func begin() throws {
        for durability in [Durability.process, .power] {
            let scratch = Scratch()
            let options = RecorderOptions(durability: durability)
            let file = try RecordingFile(
                path: scratch.file().path,
                id: Metadata.makeID(),
                app: AppInfo(name: "shop"),
                redactors: try Redactors(options.redaction),
                described: [],
                options
            )
            try file.begin(reducers: ["one"], state: "{}")
            #expect(try keyframes(scratch, alone: false) == 1)
            #expect(try keyframes(scratch, alone: true) == (durability == .power ? 1 : 0))
            let synchronous = try file.connection.integer("PRAGMA synchronous")
            #expect(synchronous == (durability == .power ? 2 : 1))
            try file.settleBeginning()
            #expect(try keyframes(scratch, alone: true) == 1)
        }
    }
}
