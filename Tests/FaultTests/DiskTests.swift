import Foundation
import HindsightRecording
import HindsightReplay
import Ledger
import Testing

@Suite("Disks", .serialized) struct DiskTests {
    /// More than fits on the small disks.
    private static let count = 4000

    /// Expects one error, the app's own state to be right, and the recording to be readable.
    @discardableResult
    private func expectStopped(
        _ outcome: Subject.Outcome,
        _ recording: URL,
        count: Int = DiskTests.count,
        says reason: String,
        at location: SourceLocation = #_sourceLocation
    ) throws -> Recording? {
        let story = outcome.facts.map { "\($0.name) \($0.value)" }.joined(separator: "\n")
        #expect(!outcome.hung && outcome.signal == 0, "\(outcome.signal)\n\(story)", sourceLocation: location)
        #expect(outcome.returned == count, "\(story)", sourceLocation: location)
        #expect(outcome["told"].count == 1, "\(story)", sourceLocation: location)
        #expect(outcome["told"].first?.contains(reason) == true, "\(story)", sourceLocation: location)
        #expect(outcome["close"].count { $0.hasPrefix("stopped") } == 2, "\(story)", sourceLocation: location)
        #expect(outcome["kept"] == ["nothing"], "\(story)", sourceLocation: location)
        guard FileManager.default.fileExists(atPath: recording.path) else { return nil }
        let checker = RecordingChecker(file: recording, expected: Expected(seed: 1, count: count), story: story)
        let left = checker.expectSound(location)
        #expect(left?.ending == .open(live: false) && left?.stopReason != nil, "\(story)", sourceLocation: location)
        return left
    }

    @Test(
        "A full disk stops the recorder, and everything from before is readable",
        .enabled(if: TestEnvironment.canMount, "Mounting a small disk takes Linux and the right to mount."),
        arguments: [[], ["external"], ["computed"]]
    )
    func full(kind: [String]) throws {
        let settings = ["journal=65536"] + kind
        let disk = try SmallDisk(kilobytes: 600)
        defer { disk.eject() }
        let recording = disk.directory.appendingPathComponent("session.hindsight")
        let subject = try Subject()
        let outcome = try subject.run(count: Self.count, settings, to: recording)
        let left = try expectStopped(outcome, recording, says: "full")
        #expect((left?.actionCount ?? 0) > 100)

        // The disk may also be full from the start.
        let second = disk.directory.appendingPathComponent("second.hindsight")
        let refused = try subject.run(count: 3, settings, to: second)
        #expect(refused["start"].first?.hasPrefix("unwritable") == true, "\(refused.facts)")
        #expect(refused.returned == 3)
        #expect(!FileManager.default.fileExists(atPath: second.path))
    }

    @Test(
        "A full disk stops a note and a what-if with a plain error, and leaves nothing",
        .enabled(if: TestEnvironment.canMount, "Mounting a small disk takes Linux and the right to mount.")
    )
    func fullWhileRewriting() throws {
        let subject = try Subject()
        _ = try subject.run(count: 200, to: subject.recording)
        let bytes = try Data(contentsOf: subject.recording)
        let size = bytes.count >> 10
        // From a disk without room for a copy to one with room for it and little more.
        for kilobytes in [size + 16, size + size / 2, 2 * size + 4, 2 * size + 8, 2 * size + 12, 2 * size + 20] {
            for name in ["note", "out.hindsight", "out.jsonl"] {
                let disk = try SmallDisk(kilobytes: kilobytes)
                defer { disk.eject() }
                let file = disk.directory.appendingPathComponent("session.hindsight")
                try bytes.write(to: file)
                do {
                    if name == "note" {
                        try Recording.addNote("bug", at: "3", of: file)
                    } else {
                        let recording = try Recording(at: file)
                        let log = try ChangedLog(of: recording, [.skip(2)])
                        let output = disk.directory.appendingPathComponent(name)
                        try ledgerApp.whatIf(recording, running: log, writingTo: output)
                    }
                    #expect(kilobytes > 2 * size, "\(name) at \(kilobytes) kB")
                } catch {
                    let place = disk.directory.appendingPathComponent(name == "note" ? "session.hindsight" : name).path
                    let words = "\(error)"
                    #expect(words.contains("No space left on device") || words.contains("disk is full"), "\(words)")
                    #expect(words.hasPrefix("\(place) cannot be written: ") && !words.contains("NSCocoa"), "\(words)")
                    #expect(
                        try FileManager.default.contentsOfDirectory(atPath: disk.directory.path) == [
                            "session.hindsight"
                        ]
                    )
                    #expect(try Data(contentsOf: file) == bytes)
                }
            }
        }
    }

    @Test("A process at its file size limit gets an error and no signal")
    func limited() throws {
        let subject = try Subject()
        let shell = ["/bin/sh", "-c", #"ulimit -f "$0"; exec "$@""#, "600"]
        let outcome = try subject.run(count: Self.count, ["journal=65536"], by: shell)
        try expectStopped(outcome, subject.recording, says: "disk I/O error")
        let refused = try Subject().run(count: 3, by: shell)
        #expect(refused["start"].first?.contains("File too large") == true, "\(refused.facts)")
        #expect(refused.returned == 3 && refused.signal == 0)
    }

    @Test(
        "A disk that becomes read-only stops the recorder",
        .enabled(if: TestEnvironment.canMount, "Mounting a small disk takes Linux and the right to mount.")
    )
    func readOnly() throws {
        let disk = try SmallDisk(kilobytes: 3000)
        defer { disk.eject() }
        let recording = disk.directory.appendingPathComponent("session.hindsight")
        _ = try Subject().run(count: 5, to: recording)
        try #require(disk.freeze())
        let other = disk.directory.appendingPathComponent("other.hindsight")
        for path in [recording, other] {
            let outcome = try Subject().run(count: 3, ["overwrite"], to: path)
            #expect(outcome["start"].first?.hasPrefix("unwritable") == true, "\(outcome.facts)")
            #expect(outcome.returned == 3)
        }
        #expect(try Recording(at: recording).actionCount == 5)
    }

    @Test(
        "A read-only directory is refused, and the app continues",
        .enabled(if: TestEnvironment.unprivileged != nil, "Root may write everything, and there is no setpriv.")
    )
    func noPermission() throws {
        let subject = try Subject()
        let user = TestEnvironment.unprivileged ?? []
        #expect(chmod(subject.directory.path, 0o555) == 0)
        defer { chmod(subject.directory.path, 0o755) }
        let outcome = try subject.run(count: 3, by: user)
        #expect(outcome["start"].first?.contains("Permission denied") == true, "\(outcome.facts)")
        #expect(outcome.returned == 3 && outcome["state"].count == 1)
    }

    /// A change of the files during recording, and the app's error.
    enum Outcome: String, CaseIterable {
        case deleted = "session.hindsight was deleted or moved away"
        case replaced = "session.hindsight was replaced"
        case logDeleted = "session.hindsight-wal was deleted"
        case journalDeleted = "session.hindsight-ahead was deleted"
        case journalTruncated = "its journal was truncated"
        case truncated = "its file session.hindsight was truncated"
        case logTruncated = "session.hindsight-wal was truncated"
        case idleLogTruncated = "disk I/O error"
        case directoryMoved = "its file session.hindsight was deleted or moved away"
    }

    @Test(
        "Deleting, replacing or truncating a recording in progress is reported, and the new files are not touched",
        arguments: Outcome.allCases
    )
    func underneath(change: Outcome) throws {
        let subject = try Subject()
        let count = 400
        let isIdle = change == .idleLogTruncated
        let settings = isIdle ? ["wait"] : ["journal=65536", "pause=1000"]
        let process = try Running(seed: 1, count: count, settings, to: subject.recording)
        try process.wait(for: isIdle ? count : 20)
        if isIdle { try expectWritten(count, of: subject.recording) }
        let path = subject.recording.path
        var others: [String: Data] = [:]
        switch change {
        case .deleted: #expect(unlink(path) == 0)
        case .replaced:
            others = ["": Data("mine".utf8), "-wal": Data("mine too".utf8), "-ahead": Data("and mine".utf8)]
            for (suffix, data) in others { try data.write(to: URL(fileURLWithPath: path + suffix), options: .atomic) }
        case .logDeleted: #expect(unlink(path + "-wal") == 0)
        case .journalDeleted: #expect(unlink(path + "-ahead") == 0)
        case .journalTruncated: #expect(truncate(path + "-ahead", 0) == 0)
        case .truncated: #expect(truncate(path, 0) == 0)
        case .logTruncated, .idleLogTruncated: #expect(truncate(path + "-wal", 0) == 0)
        case .directoryMoved: #expect(rename(subject.directory.path, subject.directory.path + "-moved") == 0)
        }
        let outcome = try process.outcome()
        let moved = URL(fileURLWithPath: subject.directory.path + "-moved/session.hindsight")
        if change == .directoryMoved {
            try expectStopped(outcome, moved, count: count, says: change.rawValue)
            #expect(rename(subject.directory.path + "-moved", subject.directory.path) == 0)
        } else if [.replaced, .truncated, .logTruncated, .idleLogTruncated].contains(change) {
            // The truncated data is lost. The recorder can only report that.
            #expect(outcome["told"].count == 1 && outcome["told"][0].contains(change.rawValue), "\(outcome.facts)")
            #expect(outcome["close"].count { $0.hasPrefix("stopped") } == 2, "\(outcome.facts)")
            #expect(outcome.returned == count && outcome.signal == 0)
            for (suffix, data) in others { #expect(try Data(contentsOf: URL(fileURLWithPath: path + suffix)) == data) }
        } else {
            let left = try expectStopped(outcome, subject.recording, count: count, says: change.rawValue)
            #expect((left?.actionCount ?? 20) >= 20)
        }
    }

    /// Waits until the writer has caught up with the app.
    private func expectWritten(_ count: Int, of recording: URL) throws {
        for _ in 0..<6000 where try Recording(at: recording).end.seq < count { usleep(10_000) }
        #expect(try Recording(at: recording).end.seq == count)
    }

    @Test("The second of two processes that record to one path is refused, and changes nothing")
    func two() throws {
        let subject = try Subject()
        let process = try Running(seed: 1, count: 30, ["wait"], to: subject.recording)
        try process.wait(for: 30)
        for settings in [[], ["overwrite"]] {
            let outcome = try subject.run(count: 3, settings)
            #expect(outcome["start"].first?.hasPrefix("in use") == true, "\(outcome.facts)")
            #expect(outcome.returned == 3)
        }
        let first = try process.outcome()
        #expect(first["close"] == ["fine", "fine"] && first["told"].isEmpty)
        let checker = RecordingChecker(
            file: subject.recording,
            expected: Expected(seed: 1, count: 30),
            story: "the first of two"
        )
        #expect(checker.expectSound()?.end.seq == 30)
    }

    @Test(
        "A path may be as long as SQLite allows; a longer one is refused, and leaves nothing",
        arguments: [480, 600, 4096]
    )
    func longPath(length: Int) throws {
        let subject = try Subject()
        var directory = subject.directory
        while directory.path.utf8.count < min(length, 3000) - 120 {
            directory.appendPathComponent(String(repeating: "d", count: 100))
        }
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let rest = length - directory.path.utf8.count - 1
        // A path component may have 255 bytes; longer names exist nowhere.
        let name = rest < 250 ? String(repeating: "f", count: rest) : String(repeating: "f/", count: rest / 2 + 1)
        let file = URL(fileURLWithPath: directory.path + "/" + String(name.prefix(rest - 1)) + "f")
        #expect(file.path.utf8.count == length)
        let outcome = try subject.run(count: 3, to: file)
        #expect(outcome.returned == 3 && outcome.signal == 0)
        if length < 500 {
            #expect(outcome["close"] == ["fine", "fine"], "\(outcome.facts)")
            #expect(try Recording(at: file).actionCount == 3)
        } else {
            let told = try #require(outcome["start"].first)
            #expect(told.hasPrefix("unwritable") && told.contains("too long"), "\(told)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
        }
    }
}
