import Foundation
import HindsightRecording
import HindsightTesting
import TestSupport
import Testing

@testable import Samples

/// The recordings in `Fixtures`. `Tests/Mutation/samples.py` shows that they notice a change of the samples' reducers.
@Suite struct RecordedSessionTests {
    @Test(arguments: try recordings(in: Fixtures.directory))
    func `a recorded session replays unchanged`(recording: URL) throws {
        let name = try Recording(at: recording).app.name
        let app = try #require(SampleApps.all.first { $0.name == name })
        let result = try #require(expectReplay(of: recording, by: app))
        #expect(result.initialDifference == nil)
    }

    @Test func `each input in Fixtures has a recording of its actions`() throws {
        let recorded = try recordings(in: Fixtures.directory).map(\.lastPathComponent)
        let inputs = try FileManager.default.contentsOfDirectory(
            at: Fixtures.directory,
            includingPropertiesForKeys: nil
        )
        .filter { $0.pathExtension == "jsonl" && !recorded.contains($0.lastPathComponent) }
        #expect(inputs.count >= 5)
        for input in inputs {
            let lines = try String(contentsOf: input, encoding: .utf8).split(separator: "\n")
            let recording = try Recording(at: input.deletingPathExtension().appendingPathExtension("hindsight"))
            #expect(recording.actionCount == lines.count, "\(input.lastPathComponent)")
        }
    }
}
