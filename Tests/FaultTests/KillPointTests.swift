import Foundation
import HindsightRecording
import TestSupport
import Testing

@Suite("Killed at any point", .serialized, .enabled(if: Shim.isAvailable, "\(Shim.missing)"))
struct KillPointTests {
    /// A small journal, so that its ring is gone round many times.
    private static let settings = ["journal=1024", "flush=5"]

    @Test("A process killed at any write, sync or store leaves what dispatch returned from, at most one action more")
    func everyPoint() throws {
        try Amount.forEachSeed(1) { seeded in
            var generator = seeded
            let whole = try Subject().run(seed: seeded.seed, Self.settings, fault: Fault(stores: true))
            let points = try #require(whole.counts?[1])
            #expect(points > (Shim.steps ? 300 : 100))
            #expect(whole.returned == 12 && whole["close"] == ["fine", "fine"], "\(seeded): \(whole.facts)")
            for kill in Amount.some(60, of: points, &generator) {
                let fault = Fault(kill: kill, stores: true)
                let subject = try Subject()
                let outcome = try subject.run(seed: seeded.seed, Self.settings, fault: fault)
                let story = "\(fault) of \(points), \(seeded), returned from \(outcome.returned)"
                #expect(outcome.signal == SIGKILL || outcome.returned == 12, "\(story): \(outcome.facts)")
                try Remains(of: subject, outcome, seed: seeded.seed, story: story).expectComplete()
            }
        }
    }

    @Test("A process killed at any moment leaves what dispatch returned from, and at most one action more")
    func anyMoment() throws {
        try Amount.forEachSeed(4) { seeded in
            var generator = seeded
            let subject = try Subject()
            let process = try Running(seed: seeded.seed, count: 30_000, ["journal=65536"], to: subject.recording)
            try process.wait(for: 1)
            usleep(UInt32(generator.below(100_000)))
            process.kill()
            let outcome = try process.outcome()
            let story = "\(seeded), returned from \(outcome.returned)"
            try Remains(of: subject, outcome, seed: seeded.seed, story: story).expectComplete()
        }
    }
}

/// What a process that was killed has left.
struct Remains {
    let subject: Subject
    let outcome: Subject.Outcome
    let judge: Judge
    var story: String { judge.story }

    init(of subject: Subject, _ outcome: Subject.Outcome, seed: UInt64, story: String) {
        self.subject = subject
        self.outcome = outcome
        let expected = Expected(seed: seed, count: outcome.returned + 2)
        judge = Judge(file: subject.recording, expected: expected, story: story)
    }

    /// Expects all from which `dispatch` had returned, and that looking at it changed nothing.
    func expectComplete() throws {
        let before = try contents()
        if let recording = open() {
            judge.expectSound(recording)
            let returned = outcome.returned
            #expect((returned...returned + 1).contains(recording.actionCount), "\(story): \(recording.actionCount)")
            #expect(recording.lastFinished >= returned, "\(story): \(recording.lastFinished) finished")
            switch recording.ending {
            case .closed: #expect(outcome.returned == recording.lastFinished, "\(story)")
            case .open(live: false): #expect(recording.lastFinished == recording.actionCount, "\(story)")
            case .crashed(let seq, _): #expect(seq == recording.lastFinished + 1, "\(story)")
            default: Issue.record("\(story): \(recording.ending)")
            }
        }
        #expect(try contents() == before, "\(story): reading has changed something")
    }

    /// Opens the recording. Until its store is attached it may be none yet, or have nothing in it.
    private func open() -> Recording? {
        do {
            let recording = try Recording(at: subject.recording)
            return outcome.returned == 0 && recording.reducers.isEmpty ? nil : recording
        } catch {
            let isNone = outcome.returned == 0 && [.notFound, .empty].contains(error.code)
            #expect(isNone, "\(story): \(error)")
        }
        return nil
    }

    private func contents() throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: subject.directory.path)
        return try Dictionary(
            uniqueKeysWithValues: names.map {
                ($0, try Data(contentsOf: subject.directory.appendingPathComponent($0)))
            }
        )
    }
}
