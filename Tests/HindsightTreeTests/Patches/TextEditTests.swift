import TestSupport
import Testing

@testable import HindsightTree

@Suite struct TextEditTests {
    /// The edits, after a check that they lead from old to new and begin and end between scalars.
    static func edits(_ old: String, _ new: String, _ comment: Comment? = nil) -> [TextEdit] {
        let (oldBytes, newBytes) = (Array(old.utf8), Array(new.utf8))
        let edits = oldBytes.withUnsafeBufferPointer { old in
            newBytes.withUnsafeBufferPointer { TextEdit.edits(from: old, to: $0, unit: .scalars) }
        }
        var bytes = oldBytes
        for edit in edits {
            let old = oldBytes[edit.remove]
            #expect(String(validating: old, as: UTF8.self) != nil, comment)
            #expect(String(validating: newBytes[edit.insert], as: UTF8.self) != nil, comment)
            #expect(bytes[edit.at...].starts(with: old), comment)
            bytes.replaceSubrange(edit.at..<edit.at + old.count, with: newBytes[edit.insert])
        }
        #expect(bytes == newBytes, comment)
        return edits
    }

    @Test(
        arguments: [
            ("", "", []),
            ("abc", "abc", []),
            ("", "abc", [TextEdit(remove: 0..<0, insert: 0..<3)]),
            ("abc", "abXc", [TextEdit(remove: 2..<2, insert: 2..<3)]),
            ("aaa", "aa", [TextEdit(remove: 2..<3, insert: 2..<2)]),
            // é is C3 A9 and è is C3 A8: the first byte is equal, but an edit does not begin within a scalar.
            ("xéy", "xèy", [TextEdit(remove: 1..<3, insert: 1..<3)]),
            // é is C3 A9 and © is C2 A9: the last byte is equal.
            ("é", "©", [TextEdit(remove: 0..<2, insert: 0..<2)]),
            ("é", "e\u{301}", [TextEdit(remove: 0..<2, insert: 0..<3)]),
            ("12345678é", "12345678è", [TextEdit(remove: 8..<10, insert: 8..<10)]),
        ] as [(String, String, [TextEdit])]
    )
    func `an edit has the difference, in whole scalars`(old: String, new: String, edits: [TextEdit]) {
        #expect(Self.edits(old, new) == edits)
    }

    @Test func `edits lead from any text to any other`() {
        for var random in Seeded.runs(400) {
            var old = ""
            for _ in 0..<random.below(40) { old += random.text() }
            guard case .string(var new) = random.changed(.string(old)) else { continue }
            if random.once(in: 3), case .string(let more) = random.changed(.string(new)) { new = more }
            if random.once(in: 10) { new = random.text() }
            _ = Self.edits(old, new, "\(random)")
        }
    }

    static let lines = (0..<3_000).map { "This is line number \($0) of a rather long text, é.\n" }

    @Test func `changes in two places of a text cost the two places`() {
        for text in [Self.lines.joined(), Self.lines.map { $0.dropLast() + " " }.joined()] {
            var scalars = Array(text.unicodeScalars)
            scalars.insert("X", at: 100_000)
            scalars.remove(at: 500)
            let edits = Self.edits(text, String(String.UnicodeScalarView(scalars)))
            #expect(edits.map { $0.remove.count + $0.insert.count } == [1, 1])
        }
    }

    @Test func `changes in two places of data cost the two places`() {
        for var random in Seeded.runs(5) {
            let old = (0..<200_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            var new = old
            new.insert(1, at: 150_000)
            new.remove(at: 1_000)
            let operations = Patch.Operation.changes(at: NodePath(["d"]), from: old, to: new)
            #expect(operations.count == 2, "\(random)")
            var node: Node = ["d": .data(old)]
            #expect(throws: Never.self) { try Patch(operations).apply(to: &node) }
            #expect(node == ["d": .data(new)], "\(random)")
        }
    }

    @Test(arguments: [
        ("a", "b", ["replace"]),
        ("same", "same", []),
        (String(repeating: "a", count: 32), String(repeating: "a", count: 31), ["replace"]),
        (String(repeating: "a", count: 100), String(repeating: "a", count: 99), ["edit"]),
        (String(repeating: "a", count: 100), String(repeating: "b", count: 100), ["replace"]),
        ("", String(repeating: "b", count: 100), ["replace"]),
        ("é", "e\u{301}", ["replace"]),
    ])
    func `short or wholly different strings are replaced, others edited`(old: String, new: String, names: [String]) {
        #expect(Patch.Operation.changes(at: NodePath(), from: old, to: new).map(\.name) == names)
    }

    @Test func `the search for changes in monotonous text is bounded`() {
        for (old, new) in [
            (String(repeating: "\n", count: 200_000), String(repeating: "x\n", count: 100_000)),
            (String(repeating: "ab", count: 100_000), String(repeating: "ba", count: 110_000)),
            (String(repeating: "a\nb\n", count: 50_000), String(repeating: "b\nb\na\n", count: 50_000)),
        ] {
            let time = ContinuousClock().measure { _ = Self.edits(old, new) }
            #expect(time < .seconds(60))
        }
    }
}
