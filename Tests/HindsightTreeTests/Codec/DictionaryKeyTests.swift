import Foundation
import Testing

@testable import HindsightTree

/// Keys of dictionaries that do not decode.
@Suite struct DictionaryKeyTests {
    private enum Meal: String, Codable { case lunch, dinner }

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
