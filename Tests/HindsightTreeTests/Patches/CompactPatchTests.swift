import TestSupport
import Testing

@testable import HindsightTree

@Suite struct CompactPatchTests {
    @Test(arguments: [
        (#"[{"op":"add","path":"/c","value":2,"at":1}]"#, #"[["a/c",2,1]]"#),
        (#"[{"op":"add","path":"/c","value":null}]"#, #"[["a/c",null]]"#),
        (#"[{"op":"remove","path":"/a/0","old":[1]}]"#, #"[["d/a/0",[1]]]"#),
        (#"[{"op":"remove","path":"/b","old":1,"at":0}]"#, #"[["d/b",1,0]]"#),
        (#"[{"op":"replace","path":"","old":1.0,"value":{"a":1}}]"#, #"[["r",1.0,{"a":1}]]"#),
        (#"[{"op":"splice","path":"/a~1b","at":1,"remove":[],"insert":[2,3]}]"#, #"[["s/a~1b",[],[2,3],1]]"#),
        (#"[{"op":"edit","path":"/t","at":2,"remove":"!","insert":"è"}]"#, #"[["e/t","!","è",2]]"#),
        (
            #"[{"op":"edit","path":"/b","at":2,"remove":{"$data":"AwM="},"insert":{"$data":""}}]"#,
            #"[["e/b",{"$data":"AwM="},{"$data":""},2]]"#
        ),
        ("[]", "[]"),
    ])
    func `each operation has a compact form`(object: String, compact: String) throws {
        let patch = try Patch(json: object)
        #expect(patch.compactJSON == compact)
        #expect(try Patch(compactJSON: compact) == patch)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `any patch round-trips through its compact form`(seed: UInt64) throws {
        var random = Seeded(seed: seed)
        for _ in 0..<300 {
            let old = random.node()
            let patch = Patch(from: old, to: random.changed(old))
            let compact = patch.compactJSON
            #expect(try Patch(compactJSON: compact) == patch, "seed \(seed): \(compact)")
            let entries = [
                TimedPatch(duration: Int64(random.below(100_000)), patch: patch),
                TimedPatch(duration: 7, patch: Patch()),
                TimedPatch(duration: nil, patch: patch),
            ]
            let written = TimedPatches.write(entries)
            let (text, operationBytes) = (written.text, written.operationBytes)
            #expect(try text.withBytes { try TimedPatches.read($0) } == entries, "seed \(seed): \(text)")
            var scanned: [[String]] = [[], [], []]
            try text.withBytes { bytes in
                try TimedPatches.scan(bytes) { scanned[$0.entry].append(String(decoding: $0.text, as: UTF8.self)) }
            }
            let operations = patch.operations.map { String(Patch([$0]).compactJSON.dropFirst().dropLast()) }
            #expect(scanned == [operations, [], operations], "seed \(seed): \(text)")
            #expect(text.withBytes { TimedPatches.countChanges(in: $0) } == (patch.isEmpty ? 0 : 2))
            #expect(operationBytes == (patch.isEmpty ? 0 : 2 * (compact.utf8.count - 1)))
        }
    }

    @Test func `times and changes of several reducers are one array`() throws {
        let change = Patch([.replace(path: NodePath(["n"]), old: 1, new: 2)])
        let entries = [
            TimedPatch(duration: 810, patch: Patch()), TimedPatch(duration: 42, patch: change),
        ]
        #expect(TimedPatches.write(entries).text == #"[810,[42,["r/n",1,2]]]"#)
        #expect(TimedPatches.write([TimedPatch(duration: nil, patch: change)]).text == #"[[null,["r/n",1,2]]]"#)
        #expect(TimedPatches.write([]).text == "[]")
    }

    @Test(arguments: [
        ("", "expected an array"), ("{}", "expected an array"), ("[1] 2", "expected the end"),
        (#"["x"]"#, "expected a duration"), ("[1.5]", "expected a duration"), ("[[]]", "begin with its duration"),
        ("[[1,[]]]", "begins with its letter and path"), ("[[1,2]]", "expected an array"),
        (#"[[1,["x/a",1,2]]]"#, "expected an add, remove"), (#"[[1,["r/a",1]]]"#, "expected replace to have an old"),
        (#"[[1,["ra",1,2]]]"#, "begins with its letter and path"),
        ("[[1,[\"r\u{301}\",1,2]]]", "begins with its letter and path"),
        (#"[[1,["é/a",1,2]]]"#, "begins with its letter and path"),
        (#"[[1,["a/a",1,-1]]]"#, "a whole number from 0 up"), (#"[[1,["e/a",1,2,3]]]"#, "two strings, or both data"),
        (#"[[1,["e/a","",{"$data":""},3]]]"#, "two strings, or both data"),
        (#"[[1,["s/a",[],1,3]]]"#, "two arrays and an index"),
    ])
    func `invalid text throws an error with the path`(text: String, reason: String) throws {
        let error = #expect(throws: TreeError.self) { try text.withBytes { try TimedPatches.read($0) } }
        #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
        #expect(error?.offset != nil)
    }
}
