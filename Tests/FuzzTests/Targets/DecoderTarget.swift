import Foundation

@testable import HindsightTree

extension FuzzTarget {
    /// The node decoder: decoding returns a value or throws, and an encoded value decodes and encodes to the same.
    ///
    /// The first byte chooses the type. The others are the node's JSON.
    static let decoder = FuzzTarget(name: "decoder") { bytes in
        guard let kind = bytes.first else { return }
        let rest = UnsafeBufferPointer(rebasing: bytes.dropFirst())
        guard let node = try unless(TreeError.self, { try Node(jsonBytes: rest) }) else { return }
        switch kind {
        case UInt8(ascii: "i"): try decode(Int16.self, node)
        case UInt8(ascii: "d"): try decode([Date].self, node)
        case UInt8(ascii: "n"): try decode([Decimal].self, node)
        case UInt8(ascii: "f"): try decode([Double].self, node)
        case UInt8(ascii: "s"): try decode(Zoo.Screen.self, node)
        case UInt8(ascii: "c"): try decode(Cat.self, node)
        case UInt8(ascii: "m"): try decode([[Int?]: Set<Zoo.Place>].self, node)
        default: try decode(Zoo.self, node)
        }
    }

    private static func decode<Value: Codable>(_ type: Value.Type, _ node: Node) throws {
        guard let value = try unless(TreeError.self, { try NodeDecoder().decode(type, from: node) }) else { return }
        let written = try NodeEncoder().encode(value)
        let again = try NodeDecoder().decode(type, from: written)
        let rewritten = try NodeEncoder().encode(again)
        try require(rewritten == written, "\(node.json) was written as \(written.json), then as \(rewritten.json)")
        try require(try Node(json: written.json) == written, "\(written.json) is read as another node")
    }
}

extension FuzzTarget {
    /// The direct changes between two values lead from one value's node to the other's and back.
    ///
    /// The input has a value's JSON on each of two lines.
    static let changes = FuzzTarget(name: "changes") { bytes in
        let lines = bytes.lines(atMost: 2)
        guard lines.count == 2 else { return }
        let values = try lines.compactMap { line in
            try unless(TreeError.self) { try NodeDecoder().decode(Zoo.self, from: Node(jsonBytes: line)) }
        }
        guard values.count == 2 else { return }
        let (old, new) = (try NodeEncoder().encode(values[0]), try NodeEncoder().encode(values[1]))
        let patch = try ChangeFinder<Zoo>().patch(from: values[0], to: values[1])
        var node = old
        try patch.apply(to: &node)
        try require(node == new, "\(patch.json) leads to \(node.json), not to \(new.json)")
        try patch.undo(on: &node)
        try require(node == old, "\(patch.json) leads back to \(node.json), not to \(old.json)")
    }
}
