import Foundation
import Testing

/// Runs the fuzzer's corpus: inputs that once failed, and inputs to start from.
@Suite struct CorpusTests {
    struct Entry: CustomTestStringConvertible {
        let target: FuzzTarget
        let files: [URL]
        var testDescription: String { target.name }
    }

    static let entries = FuzzTarget.all.map { target in
        Entry(target: target, files: files(in: corpus.appending(path: target.name)))
    }

    private static let corpus = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Corpus")

    private static func files(in directory: URL) -> [URL] {
        do {
            return try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
        } catch {
            return []
        }
    }

    @Test(arguments: entries)
    func `no input of the corpus fails`(entry: Entry) throws {
        #expect(!entry.files.isEmpty, "Tests/FuzzTests/Corpus/\(entry.target.name) is empty")
        for file in entry.files {
            let bytes = [UInt8](try Data(contentsOf: file))
            #expect(throws: Never.self, "\(file.path)") {
                try bytes.withUnsafeBufferPointer { try entry.target.check($0) }
            }
        }
    }
}
