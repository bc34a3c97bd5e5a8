@testable import HindsightTree

extension FuzzTarget {
    /// Patches: a patch that applies can be undone, even if it was written and read in between.
    ///
    /// The input has a node's JSON on the first line, and a patch in its compact form on the second.
    static let patch = FuzzTarget(name: "patch") { bytes in
        let lines = bytes.lines(atMost: 2)
        guard lines.count == 2, let base = try unless(TreeError.self, { try Node(jsonBytes: lines[0]) }),
            let patch = try unless(TreeError.self, { try Patch(compactJSON: lines[1].text) })
        else { return }
        try require(try Patch(compactJSON: patch.compactJSON) == patch, "\(patch.compactJSON) is read as another patch")
        if let again = try unless(TreeError.self, { try Patch(json: patch.json) }) {
            try require(again == patch, "\(patch.json) is read as another patch")
        }

        var node = base
        guard try unless(TreeError.self, { try patch.apply(to: &node) }) != nil else {
            return try checkFailure(of: patch, on: base, left: node)
        }
        try require(try Node(json: node.json) == node, "the result \(node.json) is read as another node")
        var undone = node
        try patch.undo(on: &undone)
        try require(isBack(undone, base, patch), "undone, it is \(undone.json), and was \(base.json)")

        var found = base
        try Patch(from: base, to: node).apply(to: &found)
        try require(found == node, "what was found to differ leads to \(found.json), not to \(node.json)")
        _ = try patch.rfc6902(base: base)
    }

    /// A member that was removed without its place returns to its place in key order, or to the end.
    private static func isBack(_ node: Node, _ base: Node, _ patch: Patch) -> Bool {
        let hasPlaces = patch.operations.allSatisfy { operation in
            switch operation {
            case .remove(_, _, let at), .add(_, _, let at): at != nil
            default: true
            }
        }
        return hasPlaces ? node == base : node.isEquivalent(to: base)
    }

    /// The operations before the failed one have applied, it has not, and they can be undone.
    private static func checkFailure(of patch: Patch, on base: Node, left node: Node) throws {
        var stepwise = base
        var applied = 0
        for operation in patch.operations {
            guard try unless(TreeError.self, { try Patch([operation]).apply(to: &stepwise) }) != nil else { break }
            applied += 1
        }
        try require(stepwise == node, "a failure left \(node.json), and not \(stepwise.json)")
        try Patch(Array(patch.operations.prefix(applied))).undo(on: &stepwise)
        try require(isBack(stepwise, base, patch), "undone, it is \(stepwise.json), and was \(base.json)")
    }
}

extension FuzzTarget {
    /// The changes of an action's reducers: read, written, read.
    static let steps = FuzzTarget(name: "steps") { bytes in
        _ = TimedPatches.countChanges(in: bytes)
        guard let entries = try unless(TreeError.self, { try TimedPatches.read(bytes) }) else { return }
        var text = TimedPatches.write(entries).text
        try text.withUTF8 { text in
            try require(try TimedPatches.read(text) == entries, "\(text.text) is read as something else")
            let changes = entries.count { !$0.patch.isEmpty }
            try require(TimedPatches.countChanges(in: text) == changes, "\(text.text) counts otherwise")
        }
    }
}
