import Foundation
import HindsightRecorder
import HindsightStore
import HindsightTesting
import TestSupport
import Testing

/// The list of recordings that tests have used.
@Suite struct ReferenceListTests {
    /// An app without reducers of its own.
    private static let app = ReplayableApp("empty", initial: 0, reducer: Reducer<Int, String>("none") { _, _ in })

    // A process of its own, because the environment is that of the whole process.
    @Test func `Each recording that a test expects to replay is a line of the list`() async {
        await #expect(processExitsWith: .success) {
            let scratch = Scratch()
            let list = scratch.file("list").path
            let session = try Self.app.record(to: scratch.file("a.hindsight"))
            try session.dispatch("go", origin: Origin(file: #fileID, line: #line))
            try session.close()
            // Without the variable, nothing is noted.
            expectReplay(of: scratch.file("a.hindsight"), by: Self.app)
            precondition(!FileManager.default.fileExists(atPath: list))

            setenv("HINDSIGHT_REFERENCES", list, 1)
            expectReplay(of: scratch.file("a.hindsight"), by: Self.app)
            for recording in Recordings(in: scratch.directory) { expectReplay(of: recording, by: Self.app) }
            let path = scratch.directory.path + "/x/../a.hindsight"
            precondition(replayFailure(of: path, by: Self.app) == nil)
            let lines = String(decoding: FileManager.default.contents(atPath: list) ?? Data(), as: UTF8.self)
            precondition(lines == String(repeating: scratch.directory.path + "/a.hindsight\n", count: 3), lines)

            setenv("HINDSIGHT_REFERENCES", "/no/such/scratch.directory/list", 1)
            let failure = replayFailure(of: path, by: Self.app)
            precondition(
                failure?.contains("/no/such/scratch.directory/list, which cannot be written") == true,
                failure ?? ""
            )
        }
    }
}
