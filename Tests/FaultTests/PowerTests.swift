import Foundation
import HindsightRecording
import TestSupport
import Testing

/// No machine is switched off here: what a process writes and syncs is logged, and disks are made up as they may be found.
@Suite("Loss of power", .serialized, .enabled(if: Shim.steps, "\(Shim.missing) And an x86-64 processor."))
struct PowerTests {
    @Test("After loss of power a recording is sound, from its beginning up to some action")
    func process() throws { try run(["journal=2048", "flush=5"], isKept: false) }

    @Test("Kept against loss of power, every action that dispatch returned from is there, and all flushed states")
    func power() throws { try run(["journal=2048", "flush=5", "power"], isKept: true) }

    private func run(_ settings: [String], isKept: Bool) throws {
        try Amount.forEachSeed(1) { seeded in
            var generator = seeded
            let subject = try Subject()
            let url = subject.directory.appendingPathComponent("log")
            let outcome = try subject.run(seed: seeded.seed, count: 24, settings, fault: Fault(stores: true), log: url)
            #expect(outcome["close"] == ["fine", "fine"], "\(outcome.facts)")
            let log = try DiskLog(url)
            let expected = Expected(seed: seeded.seed, count: 24)
            var disk = DiskModel()
            let moments = Set(Amount.some(150, of: log.events.count, &generator))
            for (index, event) in log.events.enumerated() {
                disk.apply(event)
                guard moments.contains(index + 1) else { continue }
                let found = try Subject()
                try disk.write(to: found.recording.path, &generator)
                let story = "\(seeded), power lost after change \(index + 1) of \(log.events.count)"
                try expectSound(Judge(file: found.recording, expected: expected, story: story), disk, isKept)
            }
        }
    }

    private func expectSound(_ judge: Judge, _ disk: DiskModel, _ isKept: Bool) throws {
        do {
            let recording = try Recording(at: judge.file)
            if disk.returned == 0, recording.reducers.isEmpty { return }
            judge.expectSound(recording)
            guard isKept else { return }
            #expect(recording.actionCount >= disk.returned, "\(judge.story): \(recording.actionCount) actions")
            #expect(recording.end.seq >= disk.flushed, "\(judge.story): states up to \(recording.end)")
        } catch let error as RecordingError where disk.returned == 0 {
            // It had not begun.
            #expect([.notFound, .empty, .notARecording, .damaged].contains(error.code), "\(judge.story): \(error)")
        }
    }
}
