import Foundation
import HindsightStore
import HindsightTree
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

@Suite struct NameTests {
    private struct Word: Codable, Sendable { var text: String }

    @Test func `Action types that differ only in their scalars stay distinct`() throws {
        let scratch = try Scratch()
        // "é" and "e" with a combining accent: Swift's == says they are equal.
        let names = ["caf\u{E9}", "cafe\u{301}"]
        try #require(names[0] == names[1])
        let codec = ActionCodec<Word>(
            encode: { .object([Node.Member($0.text, .object([]))]) },
            decode: { _ in Word(text: "") }
        )
        let recorder = try Recorder<Int, Word>(to: scratch.file(), app: AppInfo(name: "words"), actions: codec)
        let store = Store(
            initial: 0,
            reducer: Reducer<Int, Word>("count") { state, _ in state += 1 },
            middleware: [recorder.middleware]
        )
        for index in [0, 1, 1, 0, 1] { store.dispatch(Word(text: names[index])) }
        try recorder.close()
        let recording = try Recording(at: scratch.file())
        let types = try (1...5).map { Array(try recording.action($0).type.unicodeScalars) }
        #expect(types == [0, 1, 1, 0, 1].map { Array(names[$0].unicodeScalars) })
        let counts = try recording.summary().types.map { ($0.type.unicodeScalars.count, $0.count) }
        #expect(counts.map(\.0) == [5, 4] && counts.map(\.1) == [3, 2])
    }
}
