import Foundation
import HindsightFormat
import HindsightRecorder
import HindsightRecording
import HindsightStore
import Testing

@testable import HindsightCLI

@Suite struct SummaryCacheTests {
    @Test func `a summary is that of the file as it is`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "hindsight-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appending(path: "t.hindsight")
        let cache = SummaryCache()
        for count in [1, 3] {
            let input = String(repeating: #"{"add":{"title":"one"}}"# + "\n", count: count)
            let harness = ToolHarness(input: input)
            let code = harness.run(["record", "--app", "todo", "--input", "-", url.path])
            #expect(code == .fine, "\(harness.errorText)")
            let recording = try Recording(at: url)
            let summary = try cache.summary(of: recording)
            #expect(summary.actions == count)
            #expect(try cache.summary(of: recording) == summary)
            #expect(try cache.summary(of: recording) == recording.summary())
            try FileManager.default.removeItem(at: url)
        }
    }

    private enum CountAction: Codable, Sendable {
        case add
    }

    @Test func `the summary of a live recording counts what is only in the files beside it`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "hindsight-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appending(path: "live.hindsight")
        let recorder = try Recorder<[Int], CountAction>(to: url, app: AppInfo(name: "count", version: "1"))
        let reducer = Reducer<[Int], CountAction>("add") { state, _ in state.append(1) }
        let store = Store(initial: [], reducer: reducer, middleware: [recorder.middleware])
        let cache = SummaryCache()
        for count in 1...3 {
            store.dispatch(.add)
            try recorder.flush()
            #expect(try cache.summary(of: Recording(at: url)).actions == count)
        }
        try recorder.close()
    }
}
