import Foundation
import HindsightSupport
import TestSupport
import Testing

@testable import HindsightFormat
@testable import HindsightRecording

/// Writing a recording that is made from another.
@Suite struct RecordingBuilderTests {
    private let scratch = Scratch()
    private var file: URL { scratch.file() }

    init() throws { try recordShop(10, seed: 5, to: file) }

    /// Writes the first actions of a recording.
    private static func write(_ last: Int, of recording: Recording, with builder: RecordingBuilder) throws {
        try builder.write { tables in
            try tables.begin(reducers: recording.reducers, recording.state(at: recording.start).json, at: 0)
            try tables.copyActions(1...last, of: recording) { action, _ in action.dispatched }
        }
        try builder.write { try $0.finish(recording.rawFacts()) }
    }

    private func mode(_ file: URL) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    }

    @Test func `a process that is killed before the commit leaves the output as it was`() async throws {
        let before = try Data(contentsOf: file)
        let path = file.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let builder = try RecordingBuilder(of: path, at: path)
            try RecordingBuilderTests.write(4, of: Recording(at: URL(filePath: path)), with: builder)
            kill(getpid(), SIGKILL)
        }
        #expect(try Data(contentsOf: file) == before)
        #expect(try scratch.names.count == 2, "the draft is left")

        let builder = try RecordingBuilder(of: path, at: path)
        defer { builder.discard() }
        let recording = try Recording(at: file)
        try Self.write(4, of: recording, with: builder)
        #expect(try Data(contentsOf: file) == before)
        try builder.commit(like: recording)
        #expect(try scratch.names == ["session.hindsight"])
        let written = try Recording(at: file)
        #expect(written.actionCount == 4 && written.closed == recording.closed && written.id == recording.id)
        #expect(try written.actions(in: 1...4) == recording.actions(in: 1...4))
        #expect(try written.state(at: written.end) == recording.state(at: Recording.Position(seq: 4)))
    }

    @Test(arguments: ["session.hindsight", "other.hindsight"])
    func `nothing is written if the recording has changed meanwhile`(output: String) throws {
        let recording = try Recording(at: file)
        let builder = try RecordingBuilder(of: file.path, at: scratch.file(output).path)
        try Self.write(4, of: recording, with: builder)
        try Recording.addNote("x", at: "1", of: file)
        let changed = try Data(contentsOf: file)
        #expect { try builder.commit(like: recording) } throws: {
            "\($0)" == "\(file.path) cannot be written: it has changed meanwhile.\nRun it again."
        }
        builder.discard()
        #expect(try scratch.names == ["session.hindsight"])
        #expect(try Data(contentsOf: file) == changed)
    }

    @Test func `a recording that is not the expected one is not begun`() throws {
        let fingerprint = try #require(FileFingerprint(of: file.path)).description
        try Recording.addNote("x", at: "1", of: file)
        #expect { try RecordingBuilder(of: file.path, at: file.path, expecting: fingerprint) } throws: {
            "\($0)" == "\(file.path) cannot be written: it has changed since it was examined.\nExamine it again."
        }
        #expect(try scratch.names == ["session.hindsight"])
    }

    @Test func `an existing file is replaced only on demand, and only by the commit`() throws {
        let recording = try Recording(at: file)
        let output = scratch.file("other.hindsight")
        try Data("mine".utf8).write(to: output)
        let codes: [(URL, Bool, RecordingError.Code)] = [(output, false, .exists), (file, true, .unwritable)]
        for (url, overwrite, code) in codes {
            let error = #expect(throws: RecordingError.self) {
                try RecordingBuilder(from: recording, to: url, overwrite: overwrite)
            }
            #expect(error?.code == code && error?.file == url.path)
        }
        for isComplete in [false, true] {
            let builder = try RecordingBuilder(from: recording, to: output, overwrite: true)
            try Self.write(10, of: recording, with: builder)
            #expect(try Data(contentsOf: output) == Data("mine".utf8))
            if isComplete { try builder.commit(like: recording) }
            builder.discard()
            #expect(try scratch.names == ["other.hindsight", "session.hindsight"])
        }
        #expect(try Recording(at: output).text() == recording.text())
    }

    /// Expects that a new file cannot have a place, and that nothing there changes.
    private func expectRefusal(_ code: RecordingError.Code, at output: URL, overwrite: Bool) throws {
        let before = try scratch.names
        let recording = try Recording(at: file)
        for attempt: () throws -> Void in [
            { try RecordingBuilder(from: recording, to: output, overwrite: overwrite).discard() },
            { try recording.writeText(to: output, overwrite: overwrite) },
            { try DraftFile(for: output.path, overwrite: overwrite).discard() },
        ] {
            expectError(code, output.lastPathComponent) { try attempt() }
        }
        #expect(try scratch.names == before)
    }

    @Test func `what is being recorded is never replaced`() throws {
        let output = scratch.file("live.hindsight")
        let (recorder, store) = try shop(at: output)
        store.dispatch(shopActions(1, seed: 5)[0])
        try recorder.flush()
        try expectRefusal(.inUse, at: output, overwrite: true)
        try recorder.close()
        #expect(try Recording(at: output).actionCount == 1)
    }

    @Test func `files that stand beside no recording are replaced on demand only`() throws {
        for suffix in ["-wal", "-ahead", "-journal"] {
            let output = scratch.file("other.hindsight")
            let part = scratch.file("other.hindsight\(suffix)")
            try Data("part".utf8).write(to: part)
            try expectRefusal(.exists, at: output, overwrite: false)
            #expect { try shop(at: output) } throws: { ($0 as? RecordingError)?.file == part.path }
            try FileManager.default.removeItem(at: part)
        }
    }

    @Test func `no part of a recording is replaced by what is made of it`() throws {
        let recording = try Recording(at: file)
        for suffix in ["", "-wal", "-shm", "-ahead"] {
            let output = scratch.file("session.hindsight\(suffix)")
            if !suffix.isEmpty { try Data().write(to: output) }
            #expect { try recording.writeText(to: output, overwrite: true) } throws: {
                ($0 as? RecordingError)?.reason == RecordingError.isSource
            }
        }
    }

    @Test func `errors name the output, and not its draft`() throws {
        let output = scratch.file("other.hindsight")
        let builder = try RecordingBuilder(from: Recording(at: file), to: output, overwrite: false)
        defer { builder.discard() }
        let failures: [(NewTables) throws -> Void] = [
            { try $0.connection.execute("SELECT nothing") },
            { throw RecordingError(.damaged, file: $0.connection.path) },
            { _ in throw SystemError(number: ENOSPC) },
        ]
        for (index, failure) in failures.enumerated() {
            let error = #expect(throws: RecordingError.self) { try builder.write(failure) }
            #expect(error?.file == output.path, "\(index)")
            #expect(error?.code == (index == 1 ? .damaged : .unwritable), "\(index)")
        }
    }

    @Test(arguments: ["session.hindsight", "session.jsonl"])
    func `a replaced file keeps its form and its permissions, and a new one is only its owner's`(name: String) throws {
        let source = scratch.file(name)
        if name.hasSuffix(".jsonl") { try Recording(at: file).writeText(to: source) }
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: source.path)
        let recording = try Recording(at: source)
        let replacing = try RecordingBuilder(of: source.path, at: source.path)
        let creating = try RecordingBuilder(from: recording, to: scratch.file("new"), overwrite: false)
        for builder in [replacing, creating] {
            defer { builder.discard() }
            try Self.write(4, of: recording, with: builder)
            try builder.commit(like: recording)
            let written = try Recording(at: URL(filePath: builder.output))
            #expect(written.actionCount == 4 && written.isText == recording.isText)
        }
        #expect(try mode(source) == 0o640 && mode(scratch.file("new")) == 0o600)
    }

    @Test func `of replacements of a file at the same time, one succeeds`() throws {
        let bytes = try Data(contentsOf: file)
        for round in 0..<30 {
            try bytes.write(to: file)
            let path = file.path
            // Each thread uses one of its own.
            nonisolated(unsafe) let builders = try (0..<4).map { _ in try RecordingBuilder(of: path, at: path) }
            for builder in builders { _ = try builder.copy(path) }
            let successes = Locked(0)
            onThreads(builders.count) { index in
                do {
                    try builders[index].commit(asText: false)
                    successes.withLock { $0 += 1 }
                } catch {
                    #expect((error as? RecordingError)?.code == .unwritable)
                }
            }
            #expect(successes.withLock { $0 } == 1, "round \(round)")
            for builder in builders { builder.discard() }
            #expect(try Recording(at: file).actionCount == 10)
        }
    }
}
