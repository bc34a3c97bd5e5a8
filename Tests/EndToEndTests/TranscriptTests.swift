import Foundation
import Testing

/// Sessions with the tool in `Fixtures/transcripts`: a command after `$`, and below it what it prints on both streams.
///
/// With `HINDSIGHT_TRANSCRIPTS=write`, the test writes what the commands print now. Read the difference before you commit
/// it.
@Suite struct TranscriptTests {
    private static let fixtures = Workshop.package.appending(path: "Fixtures")
    private static let transcripts =
        (try? FileManager.default.contentsOfDirectory(atPath: fixtures.appending(path: "transcripts").path))?
        .filter { $0.hasSuffix(".txt") }.sorted() ?? []

    @Test(arguments: transcripts) func `commands print what their transcript says`(name: String) throws {
        let workshop = Workshop()
        for folder in [Self.fixtures, Self.fixtures.appending(path: "crashed")] {
            for file in try FileManager.default.contentsOfDirectory(atPath: folder.path)
            where file.hasSuffix(".hindsight") {
                try FileManager.default.copyItem(at: folder.appending(path: file), to: workshop.url(file))
            }
        }
        let url = Self.fixtures.appending(path: "transcripts/\(name)")
        let text = String(decoding: try Data(contentsOf: url), as: UTF8.self)
        var now = ""
        for block in ("\n" + text).components(separatedBy: "\n$ ").dropFirst() {
            let command = block.prefix { $0 != "\n" }
            let result = try workshop.shell("unset COLUMNS; \(command)")
            let printed = (result.text + result.errors).trimmingCharacters(in: .newlines)
            now += (now.isEmpty ? "" : "\n") + "$ \(command)\n\(printed)\n"
            #expect("\(command)\n\(printed)" == block.trimmingCharacters(in: .newlines))
        }
        if ProcessInfo.processInfo.environment["HINDSIGHT_TRANSCRIPTS"] == "write" {
            try Data(now.utf8).write(to: url)
        }
    }

    @Test func `there are transcripts`() {
        #expect(!Self.transcripts.isEmpty)
    }
}
