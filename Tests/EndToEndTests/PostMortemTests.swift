import Foundation
import Testing

/// The article on how recordings end agrees with the tool.
@Suite struct PostMortemTests {
    /// A row of the article's table.
    struct Row: Sendable, CustomTestStringConvertible {
        /// The argument of `Tests/CrashingApp`.
        var way: String
        var words: String
        /// The part that `marksCrashes` adds.
        var cause: String?
        var testDescription: String { way }
    }

    private static let article = Workshop.package
        .appending(path: "Sources/HindsightRecording/HindsightRecording.docc/PostMortem.md")

    private static func rows() throws -> [Row] {
        try String(contentsOf: article, encoding: .utf8).split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 3, cells[1].hasPrefix("`"), cells[0] != "the process ends" else { return nil }
            let texts = cells.map { $0.replacingOccurrences(of: "`", with: "") }
            return Row(way: texts[0], words: texts[1], cause: texts[2] == "nothing" ? nil : texts[2])
        }
    }

    /// The line `ended` of `info`, without the parts that differ between runs and processors.
    private func ended(_ workshop: Workshop) throws -> String {
        var line = ""
        // The system may release a dead process's lock a moment later.
        for _ in 0..<2400 {
            let info = try workshop.hindsight("info", "s.hindsight").text
            line = info.split(separator: "\n").first { $0.hasPrefix("ended ") }.map(String.init) ?? info
            guard line.contains("being recorded now") else { break }
            usleep(10_000)
        }
        return line.dropFirst("ended".count).trimmingCharacters(in: .whitespaces)
            .replacing(#/0x[0-9a-f]+/#, with: "0x…")
            .replacingOccurrences(of: "SIGTRAP", with: "SIGILL")
            .replacingOccurrences(of: "SIGBUS", with: "SIGSEGV")
    }

    private func workshop(_ row: Row, marked: Bool) throws -> Workshop {
        let workshop = Workshop()
        let marked = marked ? " marked" : ""
        _ = try workshop.shell("CrashingApp s.hindsight '\(row.way)'\(marked)")
        return workshop
    }

    @Test("The tool prints for each way to die what the article says", arguments: try Self.rows())
    func words(row: Row) throws {
        #expect(try ended(try workshop(row, marked: false)) == row.words)
        let marked = try workshop(row, marked: true)
        let words = row.words + (row.cause.map { "; \($0)" } ?? "")
        #expect(try ended(marked) == words)
        #expect(try marked.hindsight("recover", "s.hindsight").code == 0)
        #expect(try ended(marked) == words)
        let info = try marked.hindsight("info", "s.hindsight", "--json").json()
        #expect(info["during"] is [String: Any])
        let signal = info["signal"] as? [String: Any]
        #expect((signal != nil) == (row.cause?.hasPrefix("SIG") == true))
        #expect((info["exited"] as? Bool) == (row.cause == "it called exit"))
        #expect((signal?["frames"] as? [[String: Any]])?.isEmpty != true)
    }

    @Test func `a recording that was copied without its -wal says so, and can be recovered with it`() throws {
        let workshop = Workshop()
        _ = try workshop.shell(
            "CrashingApp s.hindsight kill; mkdir copy; cp s.hindsight s.hindsight-ahead copy/"
        )
        #expect(try ended(workshop).contains("crashed in action 3"))
        let words = "actions 1 to 2"
        #expect(try workshop.shell("cd copy; hindsight info s.hindsight").text.contains("\(words) are in no file"))
        let refused = try workshop.shell("cd copy; hindsight recover s.hindsight").expecting(code: 3)
        #expect(refused.errors.contains("\(words) are missing between the file and its journal"), "\(refused.errors)")
        #expect(refused.errors.contains("Copy its -wal"), "\(refused.errors)")
        let doctor = try workshop.shell("cd copy; hindsight doctor s.hindsight")
        #expect(doctor.code == 3 && doctor.text.contains("journal, \(words)"), "\(doctor.text)")
        let recovered = try workshop.shell("cp s.hindsight-wal copy/; cd copy; hindsight recover s.hindsight")
        #expect(recovered.code == 0 && recovered.text.contains("3 actions"), "\(recovered.text)\(recovered.errors)")
    }

    @Test func `the article lists each way to die of the app`() throws {
        let app = try String(
            contentsOf: Workshop.package.appending(path: "Tests/CrashingApp/WaysToDie.swift"),
            encoding: .utf8
        )
        let ways = app.matches(of: #/case \w+ = "([^"]+)"/#).map { String($0.output.1) }
        #expect(ways.count >= 12)
        #expect(Set(try Self.rows().map(\.way)) == Set(ways))
    }
}
