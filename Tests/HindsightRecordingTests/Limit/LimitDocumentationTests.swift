import Foundation
import HindsightRecorder
import HindsightRecording
import HindsightStore
import Testing

// The example of the article on always-on recorders, verbatim. The README's is a part of it.

private struct AppState: Codable, Sendable {
    var count = 0
}

private enum AppAction: Codable, Sendable {
    case add(Int)
}

private let appReducer = Reducer<AppState, AppAction>("add") { state, action in
    if case .add(let number) = action { state.count += number }
}

@Suite("The documentation of limits and runs") struct LimitDocumentationTests {
    @Test("The example works as documented")
    func example() throws {
        let scratch = Scratch()
        let directory = scratch.file("runs")

        let options = RecorderOptions(limit: RecordingLimit(bytes: 50 << 20, age: .seconds(3600)))
        let recorder = Recorder<AppState, AppAction>.start(
            in: directory,
            keep: Retention(runs: 10, bytes: 200 << 20, age: .seconds(30 * 86_400)),
            app: AppInfo(name: "todo", version: "1.4"),
            options: options
        )
        let store = Store(initial: AppState(), reducer: appReducer, middleware: [recorder.middleware])

        store.dispatch(.add(2))
        try recorder.close()
        let newest = try #require(try RunDirectory(at: directory).newest())
        #expect(newest.lastPathComponent.hasPrefix("todo_20"))
        let recording = try Recording(at: newest)
        #expect(recording.limit == options.limit)
        #expect(recording.droppedCount == 0)
    }

    @Test("The article shows the example")
    func shown() throws {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let code = try String(contentsOfFile: #filePath, encoding: .utf8)
        let file = "Sources/HindsightRecorder/HindsightRecorder.docc/AlwaysOn.md"
        let text = try String(contentsOf: package.appendingPathComponent(file), encoding: .utf8)
        let start = try #require(text.range(of: "```swift\n")).upperBound
        let end = try #require(text[start...].range(of: "```")).lowerBound
        let lines = text[start..<end].split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        for line in lines where !line.contains("Retention(") && !line.contains("AppInfo(") {
            #expect(code.contains(line), "\(line)")
        }
    }
}
