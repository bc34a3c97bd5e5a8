import Foundation

@testable import HindsightTree

extension FuzzTarget {
    /// The JSON reader and writer: a node that was read can be written and read again, and Foundation agrees on what is
    /// valid JSON.
    static let json = FuzzTarget(name: "json") { bytes in
        let node: Node
        do {
            node = try Node(jsonBytes: bytes)
        } catch let error as TreeError {
            // The reader refuses more than JSON's grammar does. Foundation refuses less: it accepts a trailing comma,
            // and other encodings (with zeros or byte order marks).
            let isOurs =
                ["twice", "base64", "containers", "found ]", "found }"].contains { error.reason.contains($0) }
                || bytes.contains(0) || bytes.first.map { $0 >= 0xEF } ?? false
            return try require(isOurs || !isJSON(bytes), "Foundation takes it for JSON: \(error)")
        }
        let text = node.json
        try require(try Node(json: text) == node, "\(text) is read as another node")
        try require(try Node(json: text).json == text, "\(text) is written in another way")
        try require(try Node(json: node.prettyJSON()) == node, "\(node.prettyJSON()) is read as another node")
        try require(node.isEquivalent(to: node) && node.hashValue == node.hashValue, "\(text) is not itself")
        // It has a smaller depth limit, and no type for some numbers.
        guard node.nests(atMost: 400), !node.hasHugeNumber else { return }
        try require(isJSON(bytes), "Foundation does not take it for JSON")
    }

    /// Foundation's result.
    private static func isJSON(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        do {
            _ = try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
            return true
        } catch {
            return false
        }
    }
}

extension Node {
    /// Whether Foundation has no type for one of the numbers.
    fileprivate var hasHugeNumber: Bool {
        switch self {
        case .number(let text): Double(text)?.isFinite != true || text.utf8.count > 30
        case .array(let elements): elements.contains { $0.hasHugeNumber }
        case .object(let members): members.contains { $0.value.hasHugeNumber }
        default: false
        }
    }
}
