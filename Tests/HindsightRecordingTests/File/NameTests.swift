import Foundation
import HindsightStore
import HindsightTree
import TestSupport
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

@Suite struct NameTests {
    private struct Word: Codable, Sendable { var text: String }

    /// A store whose actions have any types and payloads.
    private static func words(at file: URL) throws -> (Recorder<Int, Word>, Store<Int, Word>) {
        let codec = ActionCodec<Word>(
            encode: { .object([Node.Member($0.text, .object([]))]) },
            decode: { _ in Word(text: "") }
        )
        let recorder = try Recorder<Int, Word>(to: file, app: AppInfo(name: "words"), actions: codec)
        let store = Store(
            initial: 0,
            reducer: Reducer<Int, Word>("count") { state, _ in state += 1 },
            middleware: [recorder.middleware]
        )
        return (recorder, store)
    }

    @Test(arguments: Seeded.runs(2))
    func `More types than a reader keeps are read as they were written`(seed: Seeded) throws {
        let scratch = Scratch()
        let (recorder, store) = try Self.words(at: scratch.file())
        var random = seed
        let words = (0..<2500).map { "word \($0)" }
        let log = words + (0..<3000).map { _ in words[random.below(random.once(in: 2) ? 300 : words.count)] }
        for word in log { store.dispatch(Word(text: word)) }
        let recording = try recorder.closeAndRead()
        var entries = try recording.entries(in: 1...log.count)
        for word in log {
            let action = try #require(try entries.next()).action
            try #require(action.type == word && action.payload == [word: [:]])
        }
    }

    @Test func `Action types that differ only in their scalars stay distinct`() throws {
        let scratch = Scratch()
        // "é" and "e" with a combining accent: Swift's == says they are equal.
        let names = ["caf\u{E9}", "cafe\u{301}"]
        try #require(names[0] == names[1])
        let (recorder, store) = try Self.words(at: scratch.file())
        for index in [0, 1, 1, 0, 1] { store.dispatch(Word(text: names[index])) }
        let recording = try recorder.closeAndRead()
        let types = try (1...5).map { Array(try recording.action($0).type.unicodeScalars) }
        #expect(types == [0, 1, 1, 0, 1].map { Array(names[$0].unicodeScalars) })
        let counts = try recording.summary().types.map { ($0.type.unicodeScalars.count, $0.count) }
        #expect(counts.map(\.0) == [5, 4] && counts.map(\.1) == [3, 2])
    }
}
