import Foundation
import HindsightRecording
import Testing

@Suite("Kill points", .serialized, .enabled(if: Shim.isAvailable, "\(Shim.missing)"))
struct KillPointTests {
    /// A small journal, so that its ring wraps around often.
    private static let settings = ["journal=1024", "flush=5"]

    @Test(
        "A process killed at any write, sync or store leaves every action whose dispatch returned, and at most one more",
        arguments: [[], ["external"], ["computed"]]
    )
    func everyPoint(kind: [String]) throws {
        let settings = Self.settings + kind
        try Amount.forEachSeed(1) { seeded in
            var generator = seeded
            let whole = try Subject().run(seed: seeded.seed, settings, fault: Fault(stores: true))
            let points = try #require(whole.counts?[1])
            #expect(points > (Shim.steps ? 300 : 100))
            #expect(whole.returned == 12 && whole["close"] == ["fine", "fine"], "\(seeded): \(whole.facts)")
            for kill in Amount.some(60, of: points, &generator) {
                let fault = Fault(kill: kill, stores: true)
                let subject = try Subject()
                let outcome = try subject.run(seed: seeded.seed, settings, fault: fault)
                let story = "\(fault) of \(points), \(seeded), returned from \(outcome.returned)"
                #expect(outcome.signal == SIGKILL || outcome.returned == 12, "\(story): \(outcome.facts)")
                try KilledRun(of: subject, outcome, seed: seeded.seed, story: story).expectComplete()
            }
        }
    }

    @Test(
        "A process killed at any moment leaves every action whose dispatch returned, and at most one more",
        arguments: [[], ["external"], ["computed"]]
    )
    func anyMoment(kind: [String]) throws {
        try Amount.forEachSeed(4) { seeded in
            var generator = seeded
            let subject = try Subject()
            let process = try Running(seed: seeded.seed, count: 30_000, ["journal=65536"] + kind, to: subject.recording)
            try process.wait(for: 1)
            usleep(UInt32(generator.below(100_000)))
            process.kill()
            let outcome = try process.outcome()
            let story = "\(seeded), returned from \(outcome.returned)"
            try KilledRun(of: subject, outcome, seed: seeded.seed, story: story).expectComplete()
        }
    }

    @Test("A process killed in a burst leaves every state but those of the actions in the queue")
    func queue() throws {
        try Amount.forEachSeed(3) { seeded in
            var generator = seeded
            let limit = generator.pick([4, 32, 256])
            let subject = try Subject()
            let process = try Running(seed: seeded.seed, count: 300_000, ["queue=\(limit)"], to: subject.recording)
            try process.wait(for: 1)
            usleep(UInt32(20_000 + generator.below(200_000)))
            process.kill()
            _ = try process.outcome()
            let recording = try Recording(at: subject.recording)
            let missing = recording.lastFinished - recording.end.seq
            #expect(missing <= limit, "\(seeded), queue of \(limit), at \(recording.lastFinished)")
        }
    }
}

/// The files that a killed process has left.
struct KilledRun {
    let subject: Subject
    let outcome: Subject.Outcome
    let checker: RecordingChecker
    var story: String { checker.story }

    init(of subject: Subject, _ outcome: Subject.Outcome, seed: UInt64, story: String) {
        self.subject = subject
        self.outcome = outcome
        let expected = Expected(seed: seed, count: outcome.returned + 2)
        checker = RecordingChecker(file: subject.recording, expected: expected, story: story)
    }

    /// Expects every action whose `dispatch` returned, and that reading changes nothing.
    func expectComplete() throws {
        let before = try contents()
        if let recording = open() {
            checker.expectSound(recording)
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

    /// Opens the recording. Until its store is attached, it may be no recording yet, or be empty.
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
