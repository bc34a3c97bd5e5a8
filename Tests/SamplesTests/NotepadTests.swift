import HindsightStore
import TestSupport
import Testing

@testable import Samples

@Suite("Notepad")
struct NotepadTests {
    private func state(of text: String, after actions: NotepadAction...) -> NotepadState {
        let store = Store(initial: NotepadState(), reducer: notepadReducer)
        store.dispatch(.edit(at: 0, delete: 0, insert: text))
        for action in actions { store.dispatch(action) }
        return store.state
    }

    @Test(
        "An edit replaces bytes, counts lines and moves the cursor",
        arguments: [
            (text: "", at: 0, delete: 0, insert: "a", becomes: "a", lines: 1, cursor: 1),
            (text: "ab", at: 1, delete: 0, insert: "\n", becomes: "a\nb", lines: 2, cursor: 2),
            (text: "a\nb\nc", at: 0, delete: 4, insert: "x\n", becomes: "x\nc", lines: 2, cursor: 2),
            (text: "a\r\nb", at: 1, delete: 1, insert: "", becomes: "a\nb", lines: 2, cursor: 1),
            (text: "née", at: 1, delete: 2, insert: "e\u{301}", becomes: "ne\u{301}e", lines: 1, cursor: 4),
            (text: "e\u{301}", at: 1, delete: 2, insert: "", becomes: "e", lines: 1, cursor: 1),
            (text: "👩‍👩‍👧", at: 4, delete: 3, insert: "", becomes: "👩👩‍👧", lines: 1, cursor: 4),
            (text: "日本", at: 6, delete: 0, insert: "語", becomes: "日本語", lines: 1, cursor: 9),
        ]
    )
    func edits(text: String, at: Int, delete: Int, insert: String, becomes: String, lines: Int, cursor: Int) {
        let state = state(of: text, after: .edit(at: at, delete: delete, insert: insert))
        #expect(state.text.unicodeScalars.elementsEqual(becomes.unicodeScalars))
        #expect(state.lines == lines)
        #expect(state.cursor == cursor)
        #expect(state.edits == 2)
        #expect(!state.rejected)
    }

    @Test(
        "An edit that does not fit the text is refused and changes nothing else",
        arguments: [
            .edit(at: 6, delete: 0, insert: "x"),
            .edit(at: 5, delete: 1, insert: ""),
            .edit(at: -1, delete: 0, insert: "x"),
            .edit(at: 0, delete: -1, insert: "x"),
            .edit(at: 2, delete: 0, insert: "x"),
            .edit(at: 0, delete: 2, insert: "x"),
            .edit(at: .max, delete: .max, insert: "x"),
            .edit(at: 1, delete: .max, insert: "x"),
            .edit(at: .min, delete: .min, insert: "x"),
            .moveCursor(to: 2), .moveCursor(to: 6), .moveCursor(to: -1), .moveCursor(to: .max),
        ] as [NotepadAction]
    )
    func refused(action: NotepadAction) {
        var expected = state(of: "né!a")
        expected.rejected = true
        #expect(state(of: "né!a", after: action) == expected)
        #expect(!state(of: "né!a", after: action, .moveCursor(to: 3)).rejected)
    }

    @Test("Random edits lead to the text that splicing bytes leads to")
    func randomEdits() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = Seeded(seed: seed)
        let pieces = ["a", "\n", "é", "e\u{301}", "🏳️‍🌈", "\r\n", "word ", "", "\u{0}", "\u{301}"]
        var bytes: [UInt8] = []
        let store = Store(initial: NotepadState(), reducer: notepadReducer)
        for _ in 0..<2000 {
            let at = Int.random(in: -1...bytes.count + 1, using: &random)
            let delete = Int.random(in: -1...8, using: &random)
            let insert = pieces.randomElement(using: &random) ?? ""
            store.dispatch(.edit(at: at, delete: delete, insert: insert))
            let state = store.state
            if !state.rejected { bytes.replaceSubrange(at..<at + delete, with: insert.utf8) }
            #expect(Array(state.text.utf8) == bytes, "seed \(seed)")
            #expect(state.lines == bytes.count { $0 == 10 } + 1, "seed \(seed)")
        }
        #expect(store.state.edits > 200, "seed \(seed)")
    }
}
