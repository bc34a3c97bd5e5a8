import Foundation
import HindsightRecording
import TestSupport
import Testing

@Suite("Failing calls", .serialized, .enabled(if: Shim.isAvailable, "\(Shim.missing)"))
struct FailingCallTests {
    private static let settings = ["journal=1024", "flush=5"]
    /// No space, a broken disk, no permission, no descriptor left, interrupted; and a call that does half of its work.
    private static let errors = [ENOSPC, EIO, EACCES, EMFILE, EINTR, 0]

    @Test(
        "If any call fails, once or permanently, the app continues with one error, and earlier actions are readable",
        arguments: [[], ["external"], ["computed"]]
    )
    func everyCall(kind: [String]) throws {
        let settings = Self.settings + kind
        try Amount.forEachSeed(1) { seeded in
            var generator = seeded
            let whole = try Subject().run(seed: seeded.seed, settings, fault: Fault())
            let calls = try #require(whole.counts?[0])
            #expect(calls > 100)
            var faults: [Fault] = []
            for error in Self.errors {
                for always in [false, true] where error != EINTR || !always {
                    // A full disk, or one that only does half, affects each call in turn.
                    for call in Amount.some(8, of: calls, &generator) {
                        faults.append(Fault(call: call, error: error, always: always))
                    }
                }
            }
            faults += (1...(Amount.isLong ? 30 : 4)).map { Fault(call: $0 * 3, only: "lock", error: EIO) }
            for fault in faults {
                let subject = try Subject()
                let outcome = try subject.run(seed: seeded.seed, settings, fault: fault)
                try expectUnharmed(subject, outcome, seeded, "\(fault) (of \(calls)), \(seeded)")
            }
        }
    }

    @Test(
        "If a file system cannot reserve space, the journal writes zeros instead",
        arguments: [EOPNOTSUPP, EINVAL]
    )
    func unreserved(error: Int32) throws {
        let subject = try Subject()
        let fault = Fault(call: 1, only: "allocate", error: error, always: true)
        let outcome = try subject.run(Self.settings, fault: fault)
        let story = outcome.facts.map { "\($0.name) \($0.value)" }.joined(separator: "\n")
        #expect((outcome.counts?[2] ?? 0) > 0, "\(story)")
        #expect(outcome["start"] == ["fine"] && outcome["close"] == ["fine", "fine"], "\(story)")
        #expect(outcome["told"].isEmpty && outcome.returned == 12, "\(story)")
        #expect(try Recording(at: subject.recording).end.seq == 12)
    }

    @Test(
        "Reserving space for the journal is retried after a signal, once or repeatedly",
        arguments: [false, true]
    )
    func interrupted(always: Bool) throws {
        let subject = try Subject()
        let fault = Fault(call: 1, only: "allocate", error: EINTR, always: always)
        let outcome = try subject.run(Self.settings, fault: fault)
        let story = outcome.facts.map { "\($0.name) \($0.value)" }.joined(separator: "\n")
        #expect(outcome["start"] == ["fine"] && outcome["told"].isEmpty, "\(story)")
        #expect(outcome["close"] == ["fine", "fine"], "\(story)")
        #expect(try #require(outcome.counts)[2] >= (always ? 2 : 1), "no call failed")
        #expect(try Recording(at: subject.recording).end.seq == 12)
    }

    @Test("A failure after a recording was marked as closed leaves it closed")
    func afterTheEnd() throws {
        let whole = try Subject().run(Self.settings, fault: Fault(only: "truncate"))
        let last = try #require(whole.calls.lastIndex { $0.hasSuffix("-wal") }, "\(whole.calls)")
        let subject = try Subject()
        let outcome = try subject.run(
            Self.settings,
            fault: Fault(call: last + 1, only: "truncate", error: EIO, always: true)
        )
        let story = outcome.facts.map { "\($0.name) \($0.value)" }.joined(separator: "\n")
        #expect((outcome.counts?[2] ?? 0) > 0 && outcome["told"].count == 1, "\(story)")
        let recording = try Recording(at: subject.recording)
        #expect(recording.ending == .closed && recording.stopReason == nil, "\(story)")
        #expect(recording.end.seq == 12)
        #expect(!recording.sidecarFiles.contains("session.hindsight-ahead"), "\(recording.sidecarFiles)")
    }

    private func expectUnharmed(
        _ subject: Subject,
        _ outcome: Subject.Outcome,
        _ seeded: Seeded,
        _ story: String
    ) throws {
        let expected = Expected(seed: seeded.seed, count: 12)
        let story = "\(story)\n\(outcome.facts.map { "\($0.name) \($0.value)" }.joined(separator: "\n"))"
        #expect(!outcome.hung && outcome.signal == 0 && outcome.returned == 12, "\(story)")
        #expect(expected.states[12].hasPrefix(stateHead(outcome)), "\(story): the app's own state is wrong")
        #expect(outcome["kept"] == ["nothing"], "\(story)")
        let counts = try #require(outcome.counts, "\(story)")
        guard outcome["start"] == ["fine"] else {
            #expect(outcome["start"].first?.hasPrefix("unwritable") == true, "\(story)")
            return #expect(outcome["told"].isEmpty, "\(story)")
        }
        let checker = RecordingChecker(file: subject.recording, expected: expected, story: story)
        if outcome["told"].isEmpty {
            // The recorder did not treat it as a failure.
            #expect(outcome["status"] == ["recording"] && outcome["close"] == ["fine", "fine"], "\(story)")
            let recording = checker.expectSound()
            #expect(recording?.ending == .closed && recording?.end.seq == 12, "\(story)")
            return
        }
        #expect(outcome["told"].count == 1, "\(story)")
        #expect(outcome["told"].first?.hasPrefix("stopped") == true, "\(story)")
        #expect(outcome["close"].count == 2 && outcome["close"].allSatisfy { $0.hasPrefix("stopped") }, "\(story)")
        let isLate = outcome["status"] == ["recording"]
        #expect(isLate || outcome["status"].first?.hasPrefix("stopped") == true, "\(story)")
        try expectReadable(checker, atLeast: isLate ? 12 : counts[3], isLate: isLate)
    }

    /// Expects a stopped recording with at least `count` actions or, after a late failure, with all of them.
    private func expectReadable(_ checker: RecordingChecker, atLeast count: Int, isLate: Bool) throws {
        do {
            let recording = try Recording(at: checker.file)
            guard count > 0 || !recording.reducers.isEmpty else { return }
            checker.expectSound(recording)
            #expect(recording.actionCount >= count, "\(checker.story): \(recording.actionCount) actions")
            if isLate, recording.ending == .closed, recording.end.seq == count { return }
            #expect(recording.ending == .open(live: false), "\(checker.story): \(recording.ending)")
            #expect(recording.stopReason != nil, "\(checker.story)")
        } catch {
            guard count <= 0 else { throw error }
            #expect(error.code == .empty, "\(checker.story): \(error)")
        }
    }

    private func stateHead(_ outcome: Subject.Outcome) -> String {
        let numbers = outcome["state"].first?.split(separator: " ") ?? []
        return numbers.count == 2 ? #"{"count":\#(numbers[0]),"sum":\#(numbers[1]),"# : "nothing"
    }
}
