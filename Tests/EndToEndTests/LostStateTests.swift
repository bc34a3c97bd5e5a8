import Foundation
import Testing

/// A recording whose process ended before its last states were written: what commands say of it, and what they compute.
@Suite(.enabled(if: Workshop.hasSQLiteShell)) struct LostStateTests {
    /// Knows the states up to action 3 of 8.
    private func workshop() throws -> Workshop {
        let workshop = try Workshop()
        try workshop.record("todo", Sessions.todo, to: "whole.hindsight")
        let loss = """
            UPDATE recording SET key = 'recovered', value = 0 WHERE key = 'closed';
            DELETE FROM keyframe WHERE seq > 0;
            UPDATE action SET steps = NULL WHERE seq > 3
            """
        let result = try workshop.shell("cp whole.hindsight t.hindsight; sqlite3 t.hindsight \"\(loss)\"")
        try #require(result.code == 0, "\(result.errors)")
        return workshop
    }

    @Test func `replay runs all that was recorded, and says what it could not compare`() throws {
        let workshop = try workshop()
        let replay = try workshop.hindsight("replay", "t.hindsight")
        #expect(replay.code == 0, "\(replay.errors)")
        let whole = try workshop.hindsight("replay", "whole.hindsight").text.split(separator: "\n")
        func columns(_ lines: [Substring]) -> [[Substring]] {
            lines.prefix(8).map { $0.split(separator: " ").dropLast(2) }
        }
        #expect(columns(replay.text.split(separator: "\n")) == columns(whole))
        #expect(replay.text.contains("equal  t.hindsight  3 actions"), "\(replay.text)")
        #expect(
            replay.text.contains("computed actions 4 to 8, whose states were not recorded any more"),
            "\(replay.text)"
        )
        let some = try workshop.hindsight("replay", "--to", "5", "--json", "t.hindsight")
        #expect(some.text.split(separator: "\n").count == 6, "\(some.text)")
    }

    @Test func `the end is computed, and said to be`() throws {
        let workshop = try workshop()
        let whole = try workshop.hindsight("jump", "whole.hindsight", "end")
        #expect(whole.errors.isEmpty)
        for line in [["jump", "t.hindsight", "end"], ["jump", "t.hindsight", "8"]] {
            let result = try workshop.hindsight(line)
            #expect(result.text == whole.text)
            let words = "8 of t.hindsight is computed by this build's reducers, not recorded"
            #expect(result.errors.contains(words), "\(line) \(result.errors)")
        }
        let diff = try workshop.hindsight("diff", "t.hindsight:end", "whole.hindsight:end")
        #expect(diff.code == 0 && diff.text.contains("end is computed"), "\(diff.text)\(diff.errors)")
        let replayed = try workshop.hindsight("jump", "t.hindsight", "end", "--replayed")
        #expect(replayed.errors.isEmpty)
        #expect(replayed.text == whole.text)
        #expect(try workshop.hindsight("show", "t.hindsight", "end").text.hasPrefix("Action 8 of 8"))
    }

    @Test func `the end that is recorded is said not to be the end, and how to compute that`() throws {
        let workshop = try workshop()
        for line in [["jump", "t.hindsight", "end"], ["diff", "t.hindsight", "start", "end"]] {
            let result = try workshop.hindsight(line + ["--recorded"])
            #expect(result.errors.contains("has the states up to action 3 of 8"), "\(line) \(result.errors)")
            #expect(result.errors.contains("Leave out --recorded to compute it."), "\(line) \(result.errors)")
        }
        let unknown = try workshop.hindsight("jump", "t.hindsight", "5", "--recorded")
        #expect(unknown.code == 2)
        #expect(unknown.errors.contains("Possible are: 0 to 3, start, end."), "\(unknown.errors)")
        #expect(unknown.errors.contains("Leave out --recorded to compute it."), "\(unknown.errors)")
        #expect(try workshop.hindsight("jump", "t.hindsight", "5", "--recorded", "--replayed").code == 2)
    }
}
