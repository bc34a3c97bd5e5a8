import TestSupport
import Testing

@testable import HindsightTree

@Suite struct NodeDiffTests {
    @Test func `a patch leads from any node to any other, and back`() throws {
        for var random in Seeded.runs(1500) {
            let old = random.node()
            let new = random.once(in: 5) ? random.node() : random.changed(old, depth: 2)
            let patch = Patch(from: old, to: new)
            #expect(patch.isEmpty == (old == new), "\(random)")
            var node = old
            try patch.apply(to: &node)
            #expect(node == new, "\(random)")
            try patch.undo(on: &node)
            #expect(node == old, "\(random)")
            try patch.apply(to: &node)
            #expect(node == new, "\(random)")
            #expect(try Patch(json: patch.json) == patch, "\(random)")
        }
    }

    @Test func `the order of members can be ignored`() throws {
        for var random in Seeded.runs(500) {
            let old = random.node()
            let new = random.changed(random.shuffledMembers(old), depth: 2)
            let patch = Patch(from: old, to: new, ignoringMemberOrder: true)
            #expect(patch.isEmpty == old.isEquivalent(to: new), "\(random)")
            var node = old
            try patch.apply(to: &node)
            #expect(node.isEquivalent(to: new), "\(random)")
            try patch.undo(on: &node)
            #expect(node == old, "\(random)")
        }
    }

    @Test(arguments: [
        (#"{"a":1}"#, #"{"a":1}"#, "[]"),
        (#"{"a":1}"#, #"{"a":2}"#, #"[{"op":"replace","path":"/a","old":1,"value":2}]"#),
        (#"{"a":1,"b":2}"#, #"{"a":1}"#, #"[{"op":"remove","path":"/b","old":2,"at":1}]"#),
        (#"{"b":2}"#, #"{"a":1,"b":2}"#, #"[{"op":"add","path":"/a","value":1,"at":0}]"#),
        (#"{"loading":{}}"#, #"{"done":1}"#, #"[{"op":"replace","path":"","old":{"loading":{}},"value":{"done":1}}]"#),
        (
            #"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#,
            #"[{"op":"replace","path":"","old":{"a":1,"b":2},"value":{"b":2,"a":1}}]"#
        ),
        ("[1,2,3]", "[1,2,9,3]", #"[{"op":"splice","path":"","at":2,"remove":[],"insert":[9]}]"#),
        ("[1,2,3]", "[1,9,3]", #"[{"op":"replace","path":"/1","old":2,"value":9}]"#),
        (
            #"[{"id":1,"t":"a"},{"id":2,"t":"b"}]"#, #"[{"id":1,"t":"a"},{"id":2,"t":"c"}]"#,
            #"[{"op":"replace","path":"/1/t","old":"b","value":"c"}]"#
        ),
        (#"1"#, #"1.0"#, #"[{"op":"replace","path":"","old":1,"value":1.0}]"#),
        ("[]", "{}", #"[{"op":"replace","path":"","old":[],"value":{}}]"#),
        ("\"é\"", "\"e\u{301}\"", "[{\"op\":\"replace\",\"path\":\"\",\"old\":\"é\",\"value\":\"e\u{301}\"}]"),
    ])
    func `a diff has the changes with their paths`(old: String, new: String, patch: String) throws {
        #expect(try Patch(from: Node(json: old), to: Node(json: new)).json == patch)
    }

    @Test func `one insertion among many elements is one small splice`() throws {
        let elements: [Node] = (0..<100_000).map { ["id": .int($0), "title": .string("item \($0)"), "done": false] }
        let added: Node = ["id": -1, "title": "new", "done": false]
        var changed = elements
        changed.insert(added, at: 33_333)
        changed[90_000] = ["id": 89_999, "title": "item 89999", "done": true]
        let clock = ContinuousClock()
        var patch = Patch()
        let time = clock.measure { patch = Patch(from: .array(elements), to: .array(changed)) }
        #expect(
            patch.operations == [
                .splice(path: NodePath(), at: 33_333, remove: [], insert: [added]),
                .replace(path: NodePath(["90000", "done"]), old: false, new: true),
            ]
        )
        #expect(time < .seconds(60))
    }

    @Test func `nested lists of one element are not compared again at every level`() {
        func nested(_ innermost: Node) -> Node {
            (0..<500).reduce(innermost) { node, _ in [node] }
        }
        let old = Node.array((0..<20_000).map { .int($0) })
        var elements = (0..<20_000).map { Node.int($0) }
        elements[19_999] = 0
        var patch = Patch()
        let time = ContinuousClock().measure { patch = Patch(from: nested(old), to: nested(.array(elements))) }
        #expect(patch.operations.count == 1)
        #expect(time < .seconds(2))
    }
}

extension Seeded {
    mutating func shuffledMembers(_ node: Node) -> Node {
        switch node {
        case .array(let elements): return .array(elements.map { shuffledMembers($0) })
        case .object(let members):
            return .object(members.map { .init($0.key, shuffledMembers($0.value)) }.shuffled(using: &self))
        default: return node
        }
    }
}
