import Foundation

@testable import HindsightTree

extension FuzzTarget {
    /// The JSON reader and writer: what is read is written so that it is read again, and Foundation agrees on what is
    /// JSON.
    static let json = FuzzTarget(name: "json") { bytes in
        let node = try unless(TreeError.self) { try Node(jsonBytes: bytes) }
        guard let node else {
            // Foundation reads more: a key twice, other encodings, our own form of data with any text.
            return
        }
        let text = node.json
        try require(try Node(json: text) == node, "\(text) is read as another node")
        try require(try Node(json: text).json == text, "\(text) is written in another way")
        try require(try Node(json: node.prettyJSON()) == node, "\(node.prettyJSON()) is read as another node")
        try require(node.isEquivalent(to: node) && node.hashValue == node.hashValue, "\(text) is not itself")
        let data = Data(bytes)
        // Its limits: it looks for other encodings at zeros in front, and has none of our depth.
        guard !bytes.prefix(4).contains(0), node.nests(atMost: 400) else { return }
        do {
            _ = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
        } catch {
            try require(node.hasHugeNumber, "Foundation does not take it for JSON: \(error)")
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
