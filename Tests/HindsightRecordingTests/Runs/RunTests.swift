import Foundation
import HindsightSQLite
import HindsightStore
import Synchronization
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

@Suite("Runs in a directory") struct RunTests {
    private let scratch = Scratch()

    private func record(
        in directory: URL,
        _ name: String = "{app}",
        keep retention: Retention,
        app: String = "sum",
        complaints: Complaints = Complaints()
    ) throws -> Recorder<Sum, Int> {
        let recorder = try Recorder<Sum, Int>(
            in: directory,
            name: name,
            keep: retention,
            app: AppInfo(name: app),
            options: complaints.options
        )
        let store = Store(initial: Sum(), reducer: Sum.reducer, middleware: [recorder.middleware])
        store.dispatch(1)
        return recorder
    }

    @Test("Each run has its own file, and the last ones are kept")
    func lastRuns() throws {
        let directory = scratch.file("a/b")
        for number in 1...6 {
            let recorder = try record(in: directory, "{app}", keep: .runs(3))
            #expect(recorder.url.lastPathComponent.hasPrefix("sum"), "\(number)")
            try recorder.close()
            #expect(try Recording(at: recorder.url).actionCount == 1)
        }
        let entries = try RunDirectory(at: directory).entries()
        #expect(entries.count == 3)
        let created = try entries.map { try $0.recording.get().created }
        #expect(created == created.sorted(by: >))
        #expect(try RunDirectory(at: directory).newest() == entries[0].url)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).count == 3)
    }

    @Test("A run of a dead process is deleted with its sidecar files")
    func dead() throws {
        try Child(recordingTo: scratch.file("old.hindsight"), end: "kill").waitForEnd()
        #expect(try scratch.names.count > 1)
        let recorder = try record(in: scratch.directory, keep: .runs(1), app: "crashing")
        try recorder.close()
        #expect(try scratch.names == ["crashing.hindsight"])
    }

    @Test("A live run is never deleted, whether this process or another records it")
    func live() throws {
        let child = try Child(recordingTo: scratch.file("child.hindsight"), end: "close")
        child.waitForOutput()
        let first = try record(in: scratch.directory, "first", keep: .runs(1), app: "crashing")
        let second = try record(in: scratch.directory, "second", keep: Retention(runs: 1, bytes: 1), app: "crashing")
        try second.close()
        #expect(try RunDirectory(at: scratch.directory).entries().count == 3)
        try child.letClose()
        try first.close()
        #expect(try Recording(at: scratch.file("child.hindsight")).actionCount == 3)
        try record(in: scratch.directory, "third", keep: .runs(2), app: "crashing").close()
        #expect(try scratch.names == ["second.hindsight", "third.hindsight"])
    }

    @Test("Files that are no recordings of this app are left alone, whatever their names")
    func strangers() throws {
        try record(in: scratch.directory, "other", keep: .all, app: "other").close()
        try record(in: scratch.directory, "elsewhere", keep: .all).close()
        try FileManager.default.moveItem(at: scratch.file("elsewhere.hindsight"), to: scratch.file("elsewhere"))
        try FileManager.default.createSymbolicLink(
            at: scratch.file("link.hindsight"),
            withDestinationURL: scratch.file("elsewhere")
        )
        try FileManager.default.createDirectory(at: scratch.file("d.hindsight"), withIntermediateDirectories: false)
        for (name, text) in [
            ("text.hindsight", "text"), ("empty.hindsight", ""), ("x.hindsight-wal", ""),
            ("x.hindsight-ahead", "other"),
        ] {
            try Data(text.utf8).write(to: scratch.file(name))
        }
        try Data().write(to: scratch.file("base.hindsight"))
        try Connection(scratch.file("base.hindsight").path, .readWrite).execute("CREATE TABLE recording(key, value)")
        let before = try scratch.names
        try record(in: scratch.directory, keep: Retention(runs: 1, bytes: 1, age: .zero)).close()
        #expect(try scratch.names == (before + ["sum.hindsight"]).sorted())
        #expect(
            try RunDirectory(at: scratch.directory).entries().map(\.url.lastPathComponent).sorted() == [
                "other.hindsight", "sum.hindsight",
            ]
        )
    }

    @Test("Recorders that start at the same moment get different names and do not delete each other's files")
    func together() async throws {
        let directory = scratch.directory
        let urls = try await withThrowingTaskGroup(of: URL.self) { group in
            for _ in 1...12 {
                group.addTask {
                    let recorder = try record(in: directory, "same", keep: .runs(100))
                    try recorder.close()
                    return recorder.url
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(urls).count == 12)
        for url in urls { #expect(try Recording(at: url).actionCount == 1) }
        let names = try scratch.names
        #expect(names.count == 12, "\(names)")
    }

    @Test("A file that cannot be deleted is reported once, and the others are deleted")
    func undeletable() throws {
        for name in ["a", "b", "c"] { try record(in: scratch.directory, name, keep: .all).close() }
        // A directory cannot be deleted as a file, even by root.
        for name in ["a", "b"] {
            let place = scratch.file("\(name).hindsight-shm")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
        }
        let complaints = Complaints()
        let recorder = try record(in: scratch.directory, "d", keep: .runs(1), complaints: complaints)
        try recorder.close()
        while complaints.all.isEmpty { usleep(1000) }
        #expect(complaints.codes == [.notDeleted])
        #expect(complaints.all.first?.description.contains("a.hindsight exceeds the retention limit") == true)
        let names = try scratch.names.filter { $0.hasSuffix(".hindsight") }
        #expect(names == ["a.hindsight", "b.hindsight", "d.hindsight"])
        #expect(try Recording(at: recorder.url).ending == .closed)
    }

    @Test("The next run removes the rest of an interrupted deletion")
    func interrupted() throws {
        let path = scratch.file("gone.hindsight").path
        let journal = try Journal(for: path, capacity: 4096)
        // While its lock is held, the file may belong to a recorder that is starting.
        try record(in: scratch.directory, "a", keep: .runs(5)).close()
        #expect(try scratch.names == ["a.hindsight", "gone.hindsight-ahead"])
        _ = consume journal
        try Data().write(to: scratch.file("gone-2.hindsight-ahead"))
        try record(in: scratch.directory, "b", keep: .runs(5)).close()
        #expect(try scratch.names == ["a.hindsight", "b.hindsight"])
    }

    @Test func `the journal of a recording that was moved away stays`() throws {
        let path = scratch.file("moved.hindsight").path
        let journal = try Journal(for: path, capacity: 4096)
        _ = consume journal
        try Data("x".utf8).write(to: scratch.file("moved.hindsight-wal"))
        try record(in: scratch.directory, "a", keep: .runs(5)).close()
        #expect(try scratch.names == ["a.hindsight", "moved.hindsight-ahead", "moved.hindsight-wal"])
    }

    @Test func `a file of the far future is a run like others`() throws {
        try record(in: scratch.directory, "a", keep: .all).close()
        let future = [timespec(tv_sec: 10_413_792_000, tv_nsec: 5), timespec(tv_sec: 10_413_792_000, tv_nsec: 5)]
        try #require(utimensat(AT_FDCWD, scratch.file("a.hindsight").path, future, 0) == 0)
        #expect(RunFile(scratch.file("a.hindsight").path)?.ended == .max)
        try record(in: scratch.directory, "b", keep: .runs(5)).close()
        #expect(try scratch.names == ["a.hindsight", "b.hindsight"])
    }

    @Test("An uncreatable directory is reported, and so is an invalid pattern")
    func refused() throws {
        try Data().write(to: scratch.file("plain"))
        expectError(.unwritable) { try record(in: scratch.file("plain/x"), keep: .all) }
        expectError(.badRunName) { try record(in: scratch.file("new"), "{user}", keep: .all) }
        #expect(try scratch.names == ["plain"])
    }

    @Test("Another name is tried only if a name is taken")
    func unwritable() throws {
        let journal = JournalFile.path(for: scratch.file("sum.hindsight").path)
        try FileManager.default.createDirectory(atPath: journal, withIntermediateDirectories: false)
        let error = expectError(.unwritable) { try record(in: scratch.directory, keep: .all) }
        #expect(error?.file == scratch.file("sum.hindsight").path)
        #expect(try scratch.names == ["sum.hindsight-ahead"])
    }
}
