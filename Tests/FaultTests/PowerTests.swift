import Foundation
import HindsightRecording
import TestSupport
import Testing

/// Constructs the disks that may result from a process's logged writes and syncs. No machine is switched off.
@Suite("Loss of power", .serialized, .enabled(if: Shim.steps, "\(Shim.missing) And an x86-64 processor."))
struct PowerTests {
    @Test(
        "After loss of power, a recording is sound, from its start up to some action",
        arguments: [[], ["external"], ["computed"]]
    )
    func process(kind: [String]) throws { try run(["journal=8192", "flush=20"] + kind, isKept: false) }

    @Test(
        "With durability power, every action whose dispatch returned and every flushed state survive loss of power",
        arguments: [[], ["external"], ["computed"]]
    )
    func power(kind: [String]) throws { try run(["journal=8192", "flush=20", "power"] + kind, isKept: true) }

    private func run(_ settings: [String], isKept: Bool) throws {
        try Amount.forEachSeed(1) { seeded in
            var generator = seeded
            let subject = try Subject()
            let url = subject.directory.appendingPathComponent("log")
            let outcome = try subject.run(seed: seeded.seed, count: 90, settings, fault: Fault(stores: true), log: url)
            #expect(outcome["close"] == ["fine", "fine"], "\(outcome.facts)")
            let log = try DiskLog(url)
            let expected = Expected(seed: seeded.seed, count: 90)
            var disk = DiskModel()
            let moments = Set(Amount.some(60, of: log.events.count, &generator))
            for (index, event) in log.events.enumerated() {
                disk.apply(event)
                if isKept, case .returned = event { try expectKept(disk, &generator, "\(seeded), event \(index + 1)") }
                guard moments.contains(index + 1) else { continue }
                let found = try Subject()
                try disk.write(to: found.recording.path, &generator)
                let story = "\(seeded), power lost after change \(index + 1) of \(log.events.count)"
                try expectSound(RecordingChecker(file: found.recording, expected: expected, story: story), disk, isKept)
            }
        }
    }

    /// Expects the synced actions if nothing else reached the disk.
    private func expectKept(_ disk: DiskModel, _ generator: inout Seeded, _ story: String) throws {
        let found = try Subject()
        try disk.write(to: found.recording.path, isWorst: true, &generator)
        let recording = try Recording(at: found.recording)
        #expect(recording.actionCount >= disk.returned, "\(story): \(recording.actionCount) actions")
        #expect(recording.end.seq >= disk.flushed, "\(story): states up to \(recording.end)")
    }

    private func expectSound(_ checker: RecordingChecker, _ disk: DiskModel, _ isKept: Bool) throws {
        do {
            let recording = try Recording(at: checker.file)
            // The recording is only about to begin.
            if disk.returned == 0, recording.actionCount == 0 { return }
            checker.expectSound(recording)
            guard isKept else { return }
            #expect(recording.actionCount >= disk.returned, "\(checker.story): \(recording.actionCount) actions")
            #expect(recording.end.seq >= disk.flushed, "\(checker.story): states up to \(recording.end)")
        } catch {
            // The recording had not begun, or nothing of it was synced: a flush waits for the first sync.
            guard disk.returned == 0 || !isKept && disk.flushed == 0 else { throw error }
            #expect([.notFound, .empty, .notARecording, .damaged].contains(error.code), "\(checker.story): \(error)")
        }
    }
}
