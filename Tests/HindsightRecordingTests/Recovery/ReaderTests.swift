import Foundation
import HindsightSQLite
import HindsightStore
import HindsightSupport
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

/// Closing and recovering while another connection reads.
@Suite("Closing and recovery with concurrent readers") struct ReaderTests {
    /// Much longer than closing waits for readers, and shorter than SQLite would.
    private static let bound = Duration.seconds(9)

    private func reader(of file: URL, inTransaction: Bool) throws -> Connection {
        let reader = try Connection(file.path, .readShared)
        if inTransaction { try reader.execute("BEGIN") }
        #expect(try reader.integer("SELECT count(*) FROM action") ?? 0 > 0)
        return reader
    }

    @Test("Closing leaves the rest to a recovery if a reader continues", arguments: [false, true])
    func closing(inTransaction: Bool) throws {
        let scratch = Scratch()
        let (recorder, store) = try shop(at: scratch.file())
        for action in shopActions(20, seed: 3) { store.dispatch(action) }
        try recorder.flush()
        var reader: Connection? = try self.reader(of: scratch.file(), inTransaction: inTransaction)
        for action in shopActions(20, seed: 4) { store.dispatch(action) }
        let time = try ContinuousClock().measure { try recorder.close() }
        #expect(time < Self.bound)
        guard case .closed = recorder.status else { return #expect(Bool(false), "\(recorder.status)") }
        #expect(recorder.sidecarFiles == ["session.hindsight-wal", "session.hindsight-shm"])
        do {
            let recording = try Recording(at: scratch.file())
            #expect(recording.ending == .closed && recording.actionCount == 40)
            #expect(recording.sidecarFiles == recorder.sidecarFiles)
        }
        if inTransaction { try reader?.execute("COMMIT") }
        withExtendedLifetime(reader) {}
        reader = nil
        let recovery = try Recording.recover(at: scratch.file())
        #expect(recovery.removed == ["session.hindsight-wal", "session.hindsight-shm"])
        #expect(try scratch.names == ["session.hindsight"])
        #expect(try Recording(at: scratch.file()).actionCount == 40)
    }

    @Test(
        "A recovery does not wait for another process that keeps reading, and reports that",
        .enabled(if: Shell.isAvailable, "needs the sqlite3 shell"),
        arguments: [false, true]
    )
    func recovering(inTransaction: Bool) throws {
        let scratch = Scratch()
        try Child(recordingTo: scratch.file(), end: "kill").waitForEnd()
        let shell = try shell(reading: scratch, inTransaction: inTransaction)
        let result = try outcome(of: scratch.file())
        if inTransaction {
            expectError(.beingRead, saying: "Run `hindsight recover FILE` again") { try result.get() }
        } else {
            let recovery = try result.get()
            #expect(recovery.actions == 3...3)
            #expect(recovery.left == ["session.hindsight-wal", "session.hindsight-shm"])
            #expect(FileSystem.size(of: scratch.file("session.hindsight-wal").path) == 0)
        }
        #expect(try Recording(at: scratch.file()).actionCount == 3)
        try shell.input.close()
        shell.waitForEnd()
        #expect(try Recording.recover(at: scratch.file()).left.isEmpty)
        #expect(try scratch.names == ["ready", "session.hindsight"])
        let recording = try Recording(at: scratch.file())
        #expect(recording.ending == .crashed(seq: 3, reducer: 2))
        #expect(recording.actionCount == 3)
    }

    /// The `sqlite3` shell, once it has read the recording. It keeps the recording open until its input ends.
    private func shell(reading scratch: Scratch, inTransaction: Bool = false) throws -> Spawned {
        let shell = try Spawned(try #require(Shell.path), [scratch.file().path])
        let (ready, begin) = (scratch.file("ready"), inTransaction ? "BEGIN; " : "")
        try shell.input.write(
            contentsOf: Data("\(begin)SELECT count(*) FROM action;\n.system touch '\(ready.path)'\n".utf8)
        )
        for _ in 0..<12_000 where !FileManager.default.fileExists(atPath: ready.path) { usleep(5_000) }
        return shell
    }

    private func outcome(of file: URL) throws -> Result<Recovery, any Error> {
        var result: Result<Recovery, any Error>?
        let time = ContinuousClock().measure { result = Result { try Recording.recover(at: file) } }
        #expect(time < Self.bound)
        return try #require(result)
    }

    #if os(Linux)
        @Test(
            "A reader keeps SQLite's lock on the index, also if a second reader comes",
            .enabled(if: Shell.isAvailable, "needs the sqlite3 shell")
        )
        func secondReader() throws {
            let scratch = Scratch()
            try Child(recordingTo: scratch.file(), end: "kill").waitForEnd()
            // A reader locks the index only if a writer of another process has it open.
            let shell = try shell(reading: scratch)
            let index = scratch.file("session.hindsight-shm").path
            let node = try #require(FileManager.default.attributesOfItem(atPath: index)[.systemFileNumber] as? Int)
            func isLocked(by process: pid_t) throws -> Bool {
                try String(contentsOfFile: "/proc/locks", encoding: .utf8).split(separator: "\n").contains {
                    $0.contains(" \(process) ") && $0.contains(":\(node) 128 128")
                }
            }
            // Some file systems report other inode numbers there.
            guard try isLocked(by: shell.id) else { return }
            let first = try Recording(at: scratch.file())
            #expect(try isLocked(by: getpid()))
            let second = try Recording(at: scratch.file())
            #expect(try isLocked(by: getpid()))
            #expect(first.actionCount == second.actionCount)
            try shell.input.close()
            shell.waitForEnd()
        }

        @Test(
            "While another process builds the index again, readers use SQLite's locks",
            .enabled(if: Shell.isAvailable, "needs the sqlite3 shell")
        )
        func beginningIndex() throws {
            let scratch = Scratch()
            try Child(recordingTo: scratch.file(), end: "kill").waitForEnd()
            let place = FileSystem.place(of: scratch.file().path)
            #expect(ReadableFile.accessMode(of: place, isLive: false) == .readShared)
            let shell = try shell(reading: scratch)
            let index = try FileHandle(forUpdating: scratch.file("session.hindsight-shm"))
            // The salts, which belong to no -wal now.
            try index.seek(toOffset: 32)
            try index.write(contentsOf: Data(repeating: 0, count: 8))
            #expect(ReadableFile.accessMode(of: place, isLive: false) == .readShared)
            kill(shell.id, SIGKILL)
            shell.waitForEnd()
            #expect(ReadableFile.accessMode(of: place, isLive: false) == .readAbandoned)
        }

        // On other systems the lock belongs to the process.
        @Test("Without SQLite's shared memory, a recovery and a reader exclude each other")
        func withoutSharedMemory() throws {
            let scratch = Scratch()
            try Child(recordingTo: scratch.file(), end: "kill").waitForEnd()
            try FileManager.default.removeItem(at: scratch.file("session.hindsight-shm"))
            let before = try scratch.contents()
            var reader: Recording? = try Recording(at: scratch.file())
            #expect(reader?.actionCount == 3)
            expectError(.beingRead, saying: "nothing was changed") { try Recording.recover(at: scratch.file()) }
            #expect(try scratch.contents() == before)
            withExtendedLifetime(reader) {}
            reader = nil
            #expect(try Recording.recover(at: scratch.file()).actions == 3...3)
            #expect(try scratch.names == ["session.hindsight"])
        }
    #endif

    @Test("Two concurrent recoveries have the result of one")
    func twice() async throws {
        for _ in 1...5 {
            let scratch = Scratch()
            try Child(recordingTo: scratch.file(), end: "race").waitForEnd()
            let file = scratch.file()
            await withTaskGroup(of: Void.self) { group in
                for _ in 1...2 {
                    group.addTask {
                        do {
                            _ = try Recording.recover(at: file)
                        } catch {
                            #expect((error as? RecordingError)?.code == .beingRead, "\(error)")
                        }
                    }
                }
            }
            _ = try Recording.recover(at: file)
            let recording = try Recording(at: file)
            #expect(recording.ending == .crashed(seq: 3, reducer: 2))
            #expect(recording.actionCount == 3)
            #expect(try scratch.names == ["session.hindsight"])
        }
    }
}
