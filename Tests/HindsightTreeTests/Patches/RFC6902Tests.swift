import TestSupport
import Testing

@testable import HindsightTree

@Suite struct RFC6902Tests {
    @Test(arguments: [
        ("[1,2,3]", "[1,3]", #"[{"op":"remove","path":"/1"}]"#),
        ("[1]", "[1,2,3]", #"[{"op":"add","path":"/1","value":2},{"op":"add","path":"/2","value":3}]"#),
        (#"{"a":1,"b":[]}"#, #"{"b":[],"c":2}"#, #"[{"op":"remove","path":"/a"},{"op":"add","path":"/c","value":2}]"#),
        (
            #"{"a":{"$data":"AA=="}}"#, #"{"a":{"$data":"AQ=="}}"#,
            #"[{"op":"replace","path":"/a","value":{"$data":"AQ=="}}]"#
        ),
        (#"{"-":1}"#, #"{"-":2}"#, #"[{"op":"add","path":"/-","value":2}]"#),
        // The only key is written `$$data`. Beside another one, it is written unchanged.
        (
            #"[{"$$data":1}]"#, #"[{"$data":1,"b":2}]"#,
            #"[{"op":"replace","path":"/0","value":{"$data":1,"b":2}}]"#
        ),
        (#"[{"$data":1,"b":2}]"#, #"[{"$$data":1}]"#, #"[{"op":"replace","path":"/0","value":{"$$data":1}}]"#),
        (#"[{"$$data":[1]}]"#, #"[{"$$data":[1,2]}]"#, #"[{"op":"replace","path":"/0","value":{"$$data":[1,2]}}]"#),
    ])
    func `operations convert to those of the RFC`(old: String, new: String, patch: String) throws {
        let old = try Node(json: old)
        let new = try Node(json: new)
        // In lists of one element, members are compared one by one.
        #expect(try Patch(from: old, to: new).rfc6902(base: old).json == patch)
    }

    @Test func `an edit becomes a replacement of the whole string`() throws {
        let text = String(repeating: "x", count: 100)
        let patch = Patch(from: .string(text), to: .string(text + "y"))
        #expect(patch.operations.map(\.name) == ["edit"])
        #expect(
            try patch.rfc6902(base: .string(text)) == [["op": "replace", "path": "", "value": .string(text + "y")]]
        )
    }

    @Test func `a patch for another node throws`() {
        let patch = Patch(from: [1], to: [2])
        #expect(throws: TreeError.self) { try patch.rfc6902(base: [3]) }
    }

    @Test(.enabled(if: Python.has("jsonpatch"), "python3 with the package jsonpatch is not here"))
    func `jsonpatch in Python has the same result`() throws {
        let script = """
            import json, jsonpatch, sys
            def load(text): return json.loads(text, parse_float=str)
            wrong = []
            for number, line in enumerate(open(sys.argv[1], encoding="utf-8")):
                old, new, patch = load(line)
                if jsonpatch.JsonPatch(patch).apply(old) != new: wrong.append(number)
            print(wrong)
            """
        let runs = Seeded.runs(400)
        var lines = ""
        for var random in runs {
            let old = random.node()
            let new = random.once(in: 5) ? random.node() : random.changed(old, depth: 2)
            let patch = try Patch(from: old, to: new).rfc6902(base: old)
            lines += Node.array([old, new, patch]).json + "\n"
        }
        #expect(try Python.run(script, input: lines) == "[]\n", "from \(runs[0]) on")
    }
}
