import Foundation
import HindsightFormat
import HindsightTree
import TestSupport
import Testing

@testable import HindsightQuery
@testable import RandomRecordings

@Suite struct StepScanTests {
    @Test func `a scan finds the operations that the reader finds`() throws {
        for random in RandomRecording.seeds(6) {
            let made = try RandomRecording(seed: random.seed)
            let recording = try made.open()
            let cursor = try ActionCursor(of: recording, reading: [.steps])
            try cursor.forEach(in: 1...made.last) { seq in
                var scanned: [String] = []
                var durations: [Int64?] = []
                try cursor.withSteps { text in
                    try TimedPatches.scan(text) { operation throws(TreeError) in
                        let path = String(decoding: operation.path, as: UTF8.self)
                        let name = operation.isEscaped ? try Self.unescaped(path) : path
                        scanned.append("\(operation.entry) \(operation.isTimed) \(operation.kind) \(name)")
                    } endOfEntry: { entry, duration in
                        #expect(entry == durations.count)
                        durations.append(duration)
                    }
                }
                let read = try cursor.timedPatches().enumerated().flatMap { index, entry in
                    entry.patch.operations.map {
                        "\(index) \(entry.duration != nil) \($0.kind.rawValue.value) \($0.path)"
                    }
                }
                #expect(scanned == read, "\(random), action \(seq)")
                #expect(try durations == cursor.timedPatches().map(\.duration), "\(random), action \(seq)")
            }
        }
    }

    private static func unescaped(_ text: String) throws(TreeError) -> String {
        guard case .string(let string) = try Node(json: "\"\(text)\"") else { return "" }
        return string
    }

    @Test(arguments: [
        #"[[1,["r/a",1,2]]"#, #"[[1,["r/a,1,2]]]"#, #"[[1,["ra",1,2]]]"#, #"[[1,[1]]]"#, #"[1] 2"#, #"{"a":1}"#, "",
        "[[1,]]", "[", "[1", "[1,", #"["x"]"#, "[[1,[]]]", "[[1,2]]", "[,1]", #"[[1,["",1,2]]]"#,
        "[99999999999999999999]",
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
