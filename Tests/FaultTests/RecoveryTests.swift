import Foundation
import HindsightRecording
import TestSupport
import Testing

@Suite("Killed recoveries", .serialized, .enabled(if: Shim.isAvailable, "\(Shim.missing)"))
struct RecoveryTests {
    /// The readable contents of a recording.
    private struct Contents: Equatable {
        var actions: [RecordedAction]
        var end: Recording.Position
        var ending: Recording.Ending
        var lastFinished: Int

        init(of url: URL) throws {
            let recording = try Recording(at: url)
            actions = try recording.actions(in: 1...max(1, recording.actionCount))
            end = recording.end
            ending = recording.ending
            lastFinished = recording.lastFinished
        }
    }

    @Test("A recovery that is killed at any point and repeated has the same result as an uninterrupted one")
    func everyPoint() throws {
        try Amount.forEachSeed(1) { seeded in
            var generator = seeded
            // A recording with contents in each of its files.
            let dead = try deadRecording(seeded, &generator)
            let before = try Contents(of: dead.recording)
            let whole = try copy(of: dead)
            let points = try #require(try recover(whole, Fault())?[1])
            let after = try Contents(of: whole.recording)
            #expect(after == before, "\(seeded)")
            #expect(try names(whole) == ["session.hindsight"], "\(seeded)")
            for kill in Amount.some(25, of: points, &generator) {
                let subject = try copy(of: dead)
                _ = try recover(subject, Fault(kill: kill))
                let story = "\(seeded), killed at point \(kill) of \(points)"
                #expect(try Contents(of: subject.recording) == before, "\(story), not run again")
                _ = try recover(subject, Fault())
                #expect(try Contents(of: subject.recording) == before, "\(story)")
                #expect(try names(subject) == ["session.hindsight"], "\(story)")
            }
        }
    }

    private func deadRecording(_ seeded: Seeded, _ generator: inout Seeded) throws -> Subject {
        let counts = try Subject().run(seed: seeded.seed, count: 20, ["flush=8"], fault: Fault(stores: true)).counts
        let points = try #require(counts?[1])
        while true {
            let subject = try Subject()
            let fault = Fault(kill: points / 2 + generator.below(points / 2), stores: true)
            let outcome = try subject.run(seed: seeded.seed, count: 20, ["flush=8"], fault: fault)
            if outcome.signal == SIGKILL, try names(subject).contains("session.hindsight-ahead") { return subject }
        }
    }

    private func copy(of subject: Subject) throws -> Subject {
        let copy = try Subject()
        for name in try names(subject) {
            try FileManager.default.copyItem(
                at: subject.directory.appendingPathComponent(name),
                to: copy.directory.appendingPathComponent(name)
            )
        }
        return copy
    }

    /// Runs a recovery in another process, and returns its counts if it reached its end.
    private func recover(_ subject: Subject, _ fault: Fault) throws -> [Int]? {
        let outcome = try subject.run(count: 0, ["recover"], fault: fault)
        if outcome.signal == 0 { #expect(outcome["recover"] == ["fine"], "\(outcome.facts)") }
        return outcome.counts
    }

    private func names(_ subject: Subject) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: subject.directory.path).sorted()
    }
}
