import Foundation
import HindsightFormat
import HindsightTree
import Testing

@testable import HindsightQuery
@testable import RandomRecordings

@Suite struct ChangeIndexTests {
    @Test func `an index has every step that touches a path, and no other without a reason`() throws {
        for random in RandomRecording.seeds(8) {
            var random = random
            let made = try RandomRecording(seed: random.seed)
            let recording = try made.open()
            let index = try ChangeIndex(of: recording, cache: nil)
            for _ in 0..<20 {
                let path = random.pick(RandomRecording.paths(in: random.pick(made.states).state))
                let first = made.start + 1 + random.below(made.lastKnown - made.start)
                let range = first...first + random.below(50)
                let found = try index.positions(touching: path, in: range)
                #expect(found == found.sorted() && Set(found).count == found.count)
                for write in made.writes where range.contains(write.position.seq) {
                    let touches = write.patch?.operations.contains { path.contains($0.path) || $0.path.contains(path) }
                    let position = write.position
                    if touches ?? true { #expect(found.contains(position), "\(random), \(path) at \(position)") }
                }
                for position in found {
                    let write = try #require(made.writes.first { $0.position == position }, "\(random), \(path)")
                    guard let operations = write.patch?.operations else { continue }
                    let isRelated = operations.contains { operation in
                        let outer = NodePath(operation.path.components.dropLast())
                        return path.contains(operation.path) || operation.path.contains(path) || outer.contains(path)
                            || path.contains(outer)
                    }
                    #expect(isRelated, "\(random), \(path) at \(position)")
                }
            }
        }
    }

    @Test func `an index has every step that writes several elements or members, and no other`() throws {
        for random in RandomRecording.seeds(6) {
            let made = try RandomRecording(seed: random.seed)
            let recording = try made.open()
            let index = try ChangeIndex(of: recording, cache: nil)
            let paths = Set(made.states.flatMap { RandomRecording.paths(in: $0.state) })
            for path in paths {
                let depth = path.components.count
                let expected = made.writes.filter { write in
                    let elements = write.patch?.operations.compactMap { operation -> ScalarKey? in
                        let names = operation.path.components
                        guard names.count > depth, path.contains(operation.path) else { return nil }
                        switch operation {
                        case .add where Place.index(names[names.count - 1]) != nil && names.count == depth + 1,
                            .remove where Place.index(names[names.count - 1]) != nil && names.count == depth + 1:
                            return nil
                        default: return ScalarKey(names[depth])
                        }
                    }
                    return Set(elements ?? []).count > 1
                }
                let found = index.keys(amongElementsOf: path).map(index.keys.position)
                #expect(found == expected.map(\.position), "\(random), \(path)")
            }
        }
    }

    @Test func `a scan finds the operations that the reader finds`() throws {
        for random in RandomRecording.seeds(6) {
            let made = try RandomRecording(seed: random.seed)
            let recording = try made.open()
            let cursor = try ActionCursor(of: recording, reading: [.steps])
            try cursor.forEach(in: 1...made.last) { seq in
                var scanned: [String] = []
                try cursor.withSteps { text in
                    try TimedPatches.scan(text) { operation in
                        let path = String(decoding: operation.path, as: UTF8.self)
                        let name = operation.isEscaped ? try Self.unescaped(path) : path
                        scanned.append("\(operation.entry) \(operation.isTimed) \(operation.kind) \(name)")
                    }
                }
                let read = try cursor.timedPatches().enumerated().flatMap { index, entry in
                    entry.patch.operations.map {
                        "\(index) \(entry.duration != nil) \($0.kind.rawValue.value) \($0.path)"
                    }
                }
                #expect(scanned == read, "\(random), action \(seq)")
            }
        }
    }

    private static func unescaped(_ text: String) throws -> String {
        guard case .string(let string) = try Node(json: "\"\(text)\"") else { return "" }
        return string
    }

    @Test(arguments: [
        #"[[1,["r/a",1,2]]"#, #"[[1,["r/a,1,2]]]"#, #"[[1,["ra",1,2]]]"#, #"[[1,[1]]]"#, #"[1] 2"#, #"{"a":1}"#, "",
        "[[1,]]",
        #"[[1,["r/a"#, #"[[1,["r/a\"#,
    ])
    func `a scan refuses what is no list of steps`(text: String) {
        #expect(throws: TreeError.self) {
            try Array(text.utf8).withUnsafeBufferPointer { try TimedPatches.scan($0) { _ in } }
        }
    }

    @Test(arguments: ["[]", "[1,2]", " [ 1 , [ 2 , [ \"r/a\" , {\"b\":[\"]\",\"\\\"\"]} , 2 ] ] ] "])
    func `a scan takes any layout of JSON`(text: String) throws {
        try Array(text.utf8).withUnsafeBufferPointer { try TimedPatches.scan($0) { #expect($0.path.count == 2) } }
    }
}
