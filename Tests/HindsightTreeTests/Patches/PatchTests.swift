import TestSupport
import Testing

@testable import HindsightTree

@Suite struct PatchTests {
    static let base: Node = ["b": 1, "a": [1, 2, 3], "text": "naïve", "bytes": .data([1, 2, 3]), "o": ["k": .null]]

    @Test(arguments: [
        (#"[{"op":"add","path":"/c","value":2,"at":1}]"#, #"{"b":1,"c":2,"a":[1],"t":"é!"}"#),
        (#"[{"op":"add","path":"/z","value":2}]"#, #"{"b":1,"a":[1],"t":"é!","z":2}"#),
        (#"[{"op":"add","path":"/a/0","value":0}]"#, #"{"b":1,"a":[0,1],"t":"é!"}"#),
        (#"[{"op":"add","path":"/a/1","value":2}]"#, #"{"b":1,"a":[1,2],"t":"é!"}"#),
        (
            #"[{"op":"add","path":"/a/-","value":2},{"op":"add","path":"/a/-","value":3}]"#,
            #"{"b":1,"a":[1,2,3],"t":"é!"}"#
        ),
        (#"[{"op":"remove","path":"/b","old":1,"at":0}]"#, #"{"a":[1],"t":"é!"}"#),
        (#"[{"op":"remove","path":"/a/0","old":1}]"#, #"{"b":1,"a":[],"t":"é!"}"#),
        (#"[{"op":"replace","path":"/a","old":[1],"value":null}]"#, #"{"b":1,"a":null,"t":"é!"}"#),
        (#"[{"op":"replace","path":"","old":{"b":1,"a":[1],"t":"é!"},"value":1.0}]"#, "1.0"),
        (#"[{"op":"splice","path":"/a","at":1,"remove":[],"insert":[2,3]}]"#, #"{"b":1,"a":[1,2,3],"t":"é!"}"#),
        (#"[{"op":"splice","path":"/a","at":0,"remove":[1],"insert":[]}]"#, #"{"b":1,"a":[],"t":"é!"}"#),
        (#"[{"op":"edit","path":"/t","at":2,"remove":"!","insert":"è"}]"#, #"{"b":1,"a":[1],"t":"éè"}"#),
        (#"[{"op":"edit","path":"/t","at":0,"remove":"é","insert":""}]"#, #"{"b":1,"a":[1],"t":"!"}"#),
    ])
    func `an operation applies and can be undone`(patch: String, result: String) throws {
        let base = try Node(json: #"{"b":1,"a":[1],"t":"é!"}"#)
        let patch = try Patch(json: patch)
        var node = base
        try patch.apply(to: &node)
        #expect(node == (try Node(json: result)))
        try patch.undo(on: &node)
        // Without `at`, members are assumed to be sorted, or new ones to come last.
        #expect(node == base)
        #expect(patch.operations.map(\.inverted.inverted) == patch.operations)
    }

    @Test func `the inverse of an add at the end names the element for other tools`() throws {
        let patch = try Patch(json: #"[{"op":"add","path":"/-","value":2}]"#)
        let inverse = Patch(patch.operations.map(\.inverted))
        let plain = try inverse.rfc6902(base: [1, 2])
        #expect(plain.json == #"[{"op":"remove","path":"/1"}]"#)
        #expect(throws: TreeError.self) { try inverse.rfc6902(base: []) }
    }

    @Test func `a path that is deeper than any node throws`() throws {
        func patch(_ levels: Int) throws -> Patch {
            let path = String(repeating: "/a", count: levels)
            return try Patch(json: #"[{"op":"add","path":"\#(path)","value":1}]"#)
        }
        #expect(try patch(TreeLimits.depth).operations.count == 1)
        let error = #expect(throws: TreeError.self) { try patch(TreeLimits.depth + 1) }
        #expect(error?.code == .badPatch)
    }

    @Test func `a member without a place is inserted in key order`() throws {
        var node: Node = ["a": 1, "c": 2, "é": 3]
        try Patch([.add(path: NodePath(["b"]), value: 0, at: nil)]).apply(to: &node)
        #expect(node == ["a": 1, "b": 0, "c": 2, "é": 3])
    }

    @Test func `two objects whose names differ only in their scalars are two`() {
        var node: Node = ["\u{E9}": ["b": 1, "a": 1], "e\u{301}": [:]]
        let operations: [Patch.Operation] = [
            .add(path: NodePath(["\u{E9}", "c"]), value: 2, at: nil),
            .add(path: NodePath(["e\u{301}", "c"]), value: 2, at: nil),
            .add(path: NodePath(["\u{E9}", "b"]), value: 2, at: nil),
        ]
        #expect(throws: TreeError.self) { try Patch(operations).apply(to: &node) }
        #expect(node["\u{E9}"] == ["b": 1, "a": 1, "c": 2])
    }

    /// Members that are added in a row, to objects that are sorted and to others, some of them twice. One patch for each
    /// is the slow way.
    @Test func `members that are added in a row are those that are added one by one`() throws {
        for var random in Seeded.runs(500) {
            func keys(_ count: Int) -> [String] {
                Array(Set((0..<count).map { _ in random.pick(["a", "b", "é", "z"]) + "\(random.below(40))" }))
            }
            func object(_ count: Int) -> Node {
                let keys = random.once(in: 2) ? keys(count).sorted() : keys(count)
                return .object(keys.map { Node.Member($0, 0) })
            }
            let base: Node = ["one": object(random.below(30)), "other": object(3)]
            let operations = keys(25).map { key -> Patch.Operation in
                let parent = random.once(in: 9) ? "other" : "one"
                return .add(path: NodePath([parent, key]), value: 1, at: random.once(in: 12) ? 0 : nil)
            }
            var (node, expected) = (base, base)
            let error = Result { try Patch(operations).apply(to: &node) }.failure
            let expectedError = Result {
                for operation in operations { try Patch([operation]).apply(to: &expected) }
            }.failure
            #expect(error.map { "\($0)" } == expectedError.map { "\($0)" }, "\(random)")
            #expect(node == expected, "\(random)")
        }
    }

    @Test(arguments: [
        (#"{"op":"add","path":"/b","value":1}"#, "there is such a member already"),
        (#"{"op":"add","path":"/new","value":1,"at":9}"#, "it is to be member 9, but there are only 5"),
        (#"{"op":"add","path":"","value":1}"#, "the whole node can be replaced, but not be part of add"),
        (#"{"op":"add","path":"/x/y","value":1}"#, "nothing is at /x"),
        (#"{"op":"add","path":"/b/y","value":1}"#, "neither an object nor an array, but 1"),
        (#"{"op":"add","path":"/a/4","value":1}"#, "expected an index up to 3"),
        (#"{"op":"remove","path":"/b","old":2}"#, "expected 2 there, but found 1"),
        (#"{"op":"remove","path":"/b","old":1,"at":1}"#, "expected it to be member 1"),
        (#"{"op":"remove","path":"/q","old":1}"#, "there is no such member"),
        (#"{"op":"remove","path":"/a/3","old":1}"#, "there is no such element"),
        (#"{"op":"remove","path":"/a/-","old":1}"#, "expected 1 there, but found 3"),
        (#"{"op":"replace","path":"/b","old":1.0,"value":1}"#, "expected 1.0 there, but found 1"),
        (#"{"op":"replace","path":"/a/01","old":2,"value":1}"#, "nothing is at /a/01"),
        (#"{"op":"replace","path":"/text/0","old":2,"value":1}"#, "nothing is at /text/0"),
        (#"{"op":"splice","path":"/a","at":2,"remove":[3,4],"insert":[]}"#, "changes 2 elements from 2 on"),
        (#"{"op":"splice","path":"/a","at":1,"remove":[1],"insert":[]}"#, "expected 1 there, but found 2"),
        (#"{"op":"splice","path":"/a","at":9223372036854775807,"remove":[],"insert":[]}"#, "there are only 3"),
        (#"{"op":"splice","path":"/b","at":0,"remove":[],"insert":[]}"#, "expected an array, but found 1"),
        (#"{"op":"edit","path":"/text","at":3,"remove":"","insert":"x"}"#, "from byte 3 on"),
        (#"{"op":"edit","path":"/text","at":2,"remove":"i","insert":"x"}"#, #"expected "i" from byte 2 on"#),
        (#"{"op":"edit","path":"/text","at":9223372036854775807,"remove":"i","insert":""}"#, "from byte"),
        (#"{"op":"edit","path":"/bytes","at":0,"remove":"","insert":"x"}"#, "expected a string, but found"),
        (#"{"op":"edit","path":"/bytes","at":2,"remove":{"$data":"AwM="},"insert":{"$data":""}}"#, "from byte 2"),
    ])
    func `an operation that does not fit throws and changes nothing`(operation: String, reason: String) throws {
        let patch = try Patch(json: "[\(operation)]")
        var node = Self.base
        let error = #expect(throws: TreeError.self) { try patch.apply(to: &node) }
        #expect(error?.code == .badPatch)
        #expect(error?.path == patch.operations[0].path)
        #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
        #expect(node == Self.base)
    }

    @Test(arguments: [
        ("{}", "", "an array of operations"),
        ("[1]", "/0", "expected an operation"),
        (#"[{"path":""}]"#, "/0", #"to have "op""#),
        (#"[{"op":"move","from":"/a","path":"/b"}]"#, "/0/op", #"but found "move""#),
        (#"[{"op":"remove","path":"/b"}]"#, "/0", #"expected "old""#),
        (#"[{"op":"replace","path":"/b","value":1}]"#, "/0", #"expected "old""#),
        (#"[{"op":"add","path":"/b"}]"#, "/0", #"to have "value""#),
        (#"[{"op":"add","path":"b","value":1}]"#, "/0/path", "a JSON Pointer"),
        (#"[{"op":"add","path":"/b~2","value":1}]"#, "/0/path", "a JSON Pointer"),
        (#"[{"op":"add","path":"/b","value":1,"at":-1}]"#, "/0/at", "a whole number from 0 up"),
        (#"[{"op":"splice","path":"/b","at":1.5,"remove":[],"insert":[]}]"#, "/0/at", "a whole number"),
        (#"[{"op":"splice","path":"/b","at":1,"remove":1,"insert":[]}]"#, "/0/remove", "expected an array"),
        (#"[{"op":"edit","path":"/b","at":1,"remove":"","insert":{"$data":""}}]"#, "/0", "two strings, or both data"),
    ])
    func `an invalid patch throws an error with the path`(text: String, path: String, reason: String) {
        let error = #expect(throws: TreeError.self) { try Patch(json: text) }
        #expect(error?.code == .badPatch)
        #expect(error?.path?.description == path)
        #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
    }

    @Test func `members of an operation have a fixed order, and unknown ones are ignored`() throws {
        let patch = Patch([
            .add(path: NodePath(["a"]), value: 1, at: 0), .remove(path: NodePath(["b"]), old: 2, at: nil),
            .replace(path: NodePath(), old: 3, new: 4), .splice(path: NodePath(["~/"]), at: 5, remove: [6], insert: []),
            .edit(path: NodePath(["c"]), at: 7, remove: .data([8]), insert: .data([])),
        ])
        let operations = [
            #"{"op":"add","path":"/a","value":1,"at":0}"#, #"{"op":"remove","path":"/b","old":2}"#,
            #"{"op":"replace","path":"","old":3,"value":4}"#,
            #"{"op":"splice","path":"/~0~1","at":5,"remove":[6],"insert":[]}"#,
            #"{"op":"edit","path":"/c","at":7,"remove":{"$data":"CA=="},"insert":{"$data":""}}"#,
        ]
        #expect(patch.json == "[\(operations.joined(separator: ","))]")
        #expect(try Patch(json: patch.json) == patch)
        #expect(
            try Patch(json: #"[{"value":1,"x":[],"path":"/a","op":"add","at":0}]"#).operations == [patch.operations[0]]
        )
    }

    @Test func `a hostile patch cannot build a node that is too deep`() throws {
        let level = String(repeating: "/0", count: 400)
        let value = String(repeating: "[", count: 400) + String(repeating: "]", count: 400)
        var node = try Node(json: value)
        let path = try #require(NodePath(String(level.dropFirst(2)) + "/0"))
        let error = #expect(throws: TreeError.self) {
            try Patch([.add(path: path, value: Node(json: value), at: nil)]).apply(to: &node)
        }
        #expect(error?.code == .tooDeep)
        try Patch([.add(path: path, value: Node(json: String(value.dropFirst(290).dropLast(290))), at: nil)]).apply(
            to: &node
        )
    }

    @Test func `a long text is edited in place`() throws {
        let line = "All work and no play makes Jack a dull boy.\n"
        var text = String(repeating: line, count: 20_000)
        text.reserveCapacity(2 * text.utf8.count)
        var node: Node = ["doc": ["text": .string(text), "n": 0]]
        text = ""
        let path = NodePath(["doc", "text"])
        let place = node.address(at: path)
        for index in 0..<1_000 {
            try Patch([.edit(path: path, at: 800_000 + index, remove: "", insert: "é")]).apply(to: &node)
            try Patch([.edit(path: path, at: 800_000 + index, remove: "é", insert: "y")]).apply(to: &node)
        }
        #expect(place != nil && node.address(at: path) == place)
    }

    @Test func `neighbours of a change are not copied`() throws {
        var node: Node = ["list": .array((0..<1_000).map { ["n": .int($0), "m": .data([1, 2, 3])] })]
        let paths = ["/list", "/list/7", "/list/7/m"].compactMap { NodePath($0) }
        let places = paths.map { node.address(at: $0) }
        #expect(!places.contains(nil))
        for text in [
            #"{"op":"replace","path":"/list/7/n","old":7,"value":"x"}"#,
            #"{"op":"edit","path":"/list/7/m","at":0,"remove":{"$data":"AQ=="},"insert":{"$data":"CQ=="}}"#,
            #"{"op":"remove","path":"/list/8/n","old":8}"#,
            #"{"op":"splice","path":"/list","at":999,"remove":[{"n":999,"m":{"$data":"AQID"}}],"insert":[1]}"#,
        ] {
            try Patch(json: "[\(text)]").apply(to: &node)
            #expect(paths.map { node.address(at: $0) } == places, "\(text)")
        }
    }
}

extension Node {
    /// The address of the contents at `path`.
    fileprivate func address(at path: NodePath) -> UInt? {
        let address: UnsafeRawPointer? =
            switch self[path] {
            case .string(let text):
                text.utf8.withContiguousStorageIfAvailable { UnsafeRawPointer($0.baseAddress) } ?? nil
            case .data(let bytes): bytes.withUnsafeBytes { $0.baseAddress }
            case .array(let elements): elements.withUnsafeBytes { $0.baseAddress }
            case .object(let members): members.withUnsafeBytes { $0.baseAddress }
            default: nil
            }
        return address.map { UInt(bitPattern: $0) }
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
