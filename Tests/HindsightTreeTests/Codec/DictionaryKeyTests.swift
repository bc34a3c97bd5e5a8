import Foundation
import Testing

@testable import HindsightTree

/// Keys of dictionaries that do not decode.
@Suite struct DictionaryKeyTests {
    private enum Meal: String, Codable { case lunch, dinner }

    private struct NamedSquare: Codable, Hashable, CodingKeyRepresentable {
        var file = 0
        var rank = 0

        init(_ file: Int, _ rank: Int) { (self.file, self.rank) = (file, rank) }

        init?(codingKey: some CodingKey) {
            let numbers = codingKey.stringValue.split(separator: ",").compactMap { Int($0) }
            guard numbers.count == 2 else { return nil }
            self.init(numbers[0], numbers[1])
        }

        var codingKey: any CodingKey { Key(stringValue: "\(file),\(rank)") }

        struct Key: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
    }

    @Test func `keys that are coding keys are names, so that another entry shifts no path`() throws {
        let board = [NamedSquare(1, 2): "pawn", NamedSquare(0, 7): "rook"]
        let node = try NodeEncoder().encode(board)
        #expect(node == ["0,7": "rook", "1,2": "pawn"])
        #expect(try NodeDecoder().decode([NamedSquare: String].self, from: node) == board)
        // The form without names is still read.
        let pairs: Node = [[["file": 0, "rank": 7], "rook"], [["file": 1, "rank": 2], "pawn"]]
        #expect(try NodeDecoder().decode([NamedSquare: String].self, from: pairs) == board)
        let finder = ChangeFinder<[NamedSquare: String]>()
        try finder.follow(from: board)
        var next = board
        next[NamedSquare(0, 0)] = "king"
        let patch = try finder.patch(to: next)
        #expect(patch.operations.map(\.path.description) == ["/0,0"])
        #expect(throws: TreeError.self) { try NodeDecoder().decode([NamedSquare: String].self, from: ["a": "b"]) }
    }

    private func error<Key: Codable & Hashable>(_ type: Key.Type) throws -> TreeError {
        let node: Node = ["totals": ["food": 3]]
        return try #require(
            #expect(throws: TreeError.self) { _ = try NodeDecoder().decode([String: [Key: Int]].self, from: node) }
        )
    }

    @Test func `the error names the key, at the path of the dictionary`() throws {
        for error in [try error(Int.self), try error(UUID.self), try error(Meal.self)] {
            #expect(error.path == NodePath(["totals"]), "\(error)")
            #expect(error.reason.hasPrefix(#"the key "food" does not fit: "#), "\(error)")
        }
        #expect(try error(Int.self).reason == #"the key "food" does not fit: expected a whole number"#)
    }

    @Test func `the error of a value has the path of the value`() throws {
        let error = try #require(
            #expect(throws: TreeError.self) { _ = try NodeDecoder().decode([Int: String].self, from: ["1": 2]) }
        )
        #expect(error.path == NodePath(["1"]))
    }
}
