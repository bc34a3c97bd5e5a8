import Foundation
import Testing

@Suite struct CounterExampleTests {
    @Test func `The counter example prints the expected lines`() async throws {
        let notes = Notes<String>()
        try await runCounterExample { notes.add($0) }
        #expect(
            notes.all == [
                "a view shows clicks", "count 2", "the view is drawn again", "count 12", "count 22", "count 32",
                "back at 22", "back at 12", "back at 2", "count 3", "count 4", "back at 2",
                "history: 14 states of clicks",
                "a stream begins with 2 clicks",
            ]
        )
    }

    @Test func `The documentation shows the example that the test runs`() throws {
        let here = URL(filePath: #filePath).deletingLastPathComponent()
        let article = "../../Sources/HindsightStore/HindsightStore.docc/CounterExample.md"
        let example = try String(contentsOf: here.appending(path: "CounterExample.swift"), encoding: .utf8)
        let shown = try String(contentsOf: here.appending(path: article), encoding: .utf8)
        #expect(shown.contains(example))
    }
}
