import Foundation
import Testing

/// What the fuzzer has found, and what it searches from: every part stands all of it.
@Suite struct CorpusTests {
    struct Entry: CustomTestStringConvertible {
        let target: FuzzTarget
        let files: [URL]
        var testDescription: String { target.name }
    }

    static let entries = FuzzTarget.all.map { target in
        Entry(target: target, files: files(in: FuzzTarget.fixtures.appending(path: "corpus/\(target.name)")))
    }

    private static func files(in directory: URL) -> [URL] {
        do {
            return try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
        } catch {
            return []
        }
    }

    @Test(arguments: entries)
    func `what was found once stays found`(entry: Entry) throws {
        #expect(!entry.files.isEmpty, "there is nothing in Fixtures/corpus/\(entry.target.name)")
        for file in entry.files {
            let bytes = [UInt8](try Data(contentsOf: file))
            #expect(throws: Never.self, "\(file.path)") {
                try bytes.withUnsafeBufferPointer { try entry.target.check($0) }
            }
        }
    }
}
