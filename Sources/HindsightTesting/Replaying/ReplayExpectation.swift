import Foundation
import HindsightFormat
import HindsightRecorder
import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree
import Testing

/// One expectation of a test: replays a recording, writes it if the mode says so, and reports.
struct ReplayExpectation {
    let recording: URL
    let app: ReplayableApp
    let options: VerificationOptions
    let mode: RecordingMode
    let sourceLocation: SourceLocation

    func check(recording session: ((RecordingSession) throws -> Void)?) -> VerificationResult? {
        do {
            if !FileManager.default.fileExists(atPath: recording.path) {
                guard mode != .never, let session else {
                    fail(missing(canBeMade: session != nil))
                    return nil
                }
                try make(session)
                warn("\(recording.path) did not exist, and was recorded. Look at it, and commit it.")
            }
            var outcome = ReplayOutcome(of: recording, by: app, options: options)
            let mayWrite = outcome.result != nil && !outcome.isFatal && (mode == .all || mode == .failed)
            let runsUnfinished = try mayWrite && canRunUnfinished()
            let isPending = outcome.failure != nil || outcome.result?.unfinished != nil && runsUnfinished
            if mayWrite, mode == .all || isPending {
                let trap = try trapOfRunningAll()
                if trap == nil, !isPending, try todayIsRecorded() { return report(outcome) }
                if let trap {
                    fail("\(recording.path) was not given the states of today's reducers: \(trap)")
                    return outcome.result
                }
                try app.accept(recording, runningUnfinished: runsUnfinished)
                let reason = outcome.failure.map { ":\n\($0)" } ?? "."
                warn("\(recording.path) was given the states of today's reducers. Look at the change\(reason)")
                outcome = ReplayOutcome(of: recording, by: app, options: options)
            }
            return report(outcome)
        } catch {
            fail("\(error)")
            return nil
        }
    }

    private func report(_ outcome: ReplayOutcome) -> VerificationResult? {
        if let warning = outcome.warning { warn(warning) }
        if let failure = outcome.failure {
            fail(failure)
            attach(outcome)
        }
        return outcome.result
    }

    /// Whether there is an action in which the recorded process ended, and it can run here: it was recorded as a value,
    /// and a fork can run it first.
    private func canRunUnfinished() throws -> Bool {
        guard ForkedProcess.isAvailable else { return false }
        let file = try Recording(at: recording)
        return try file.lastFinished < file.actionCount && file.action(file.actionCount).replayable != nil
    }

    /// Whether the recording has the states of today's reducers already.
    private func todayIsRecorded() throws -> Bool {
        try withTemporaryFolder { folder in
            let today = folder.appending(path: recording.lastPathComponent)
            try app.accept(recording, writingTo: today)
            func content(_ file: URL) throws -> [[UInt8]] {
                let file = try Recording(at: file)
                var lines: [String] = []
                try file.writeText { lines.append($0) }
                // The first line also has facts of the file.
                let texts = file.reducers + [try file.state(at: file.start).json] + lines.dropFirst()
                // Strings with other scalars may be equal.
                return texts.map { Array($0.utf8) }
            }
            return try content(recording) == content(today)
        }
    }

    private func withTemporaryFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "hindsight-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { TestAttachment.remove(folder) }
        return try body(folder)
    }

    private func fail(_ text: String) { Issue.record("\(text)", sourceLocation: sourceLocation) }

    private func warn(_ text: String) {
        #if compiler(>=6.3)
            Issue.record("\(text)", severity: .warning, sourceLocation: sourceLocation)
        #else
            print("warning: \(text)")
        #endif
    }

    private func missing(canBeMade: Bool) -> String {
        let advice =
            canBeMade
            ? "Run the test on your machine with HINDSIGHT_RECORD=missing, and commit the recording."
            : "Put the recording there, name another path, or say which actions make it."
        return "there is no recording \(recording.path). \(advice)"
    }

    /// Records a session into a new file, as text if its name is that of a text. The file comes to its place when it is
    /// complete: if that fails, or the process ends, there is none.
    private func make(_ session: (RecordingSession) throws -> Void) throws {
        try NewFile.check(recording.path, overwrite: false)
        let folder = recording.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try withTemporaryFolder { folder in
            let name = recording.deletingPathExtension().lastPathComponent
            let made = folder.appending(path: "\(name).hindsight")
            do {
                let recorded = try app.record(to: made)
                let result = Result { try session(recorded) }
                // A session that has thrown may be kept, too.
                let end = Result { try recorded.close() }
                try result.get()
                try end.get()
                if recording.pathExtension == "jsonl" {
                    try Recording(at: made).writeText(to: recording)
                } else {
                    let draft = try DraftFile(for: recording.path, overwrite: false)
                    defer { draft.discard() }
                    try Data(contentsOf: made).write(to: URL(filePath: draft.path))
                    try draft.commit()
                }
            } catch var error as RecordingError where error.file == made.path {
                error.file = recording.path
                throw error
            }
        }
    }

    /// Attaches the recording, a recording of what today's reducers did, the whole difference, and, if the environment
    /// asks for them, pages of both recordings.
    private func attach(_ outcome: ReplayOutcome) {
        let name = recording.deletingPathExtension().lastPathComponent
        var text = (outcome.failure ?? "") + "\n"
        if let difference = outcome.difference { text += "\nThe whole difference:\n\(difference)\n" }
        do {
            text += try attach(recording, outcome)
            if outcome.result != nil, !outcome.isFatal { text += try attachToday(name, outcome) }
        } catch {
            text += "\nNot attached: \(error)\n"
        }
        TestAttachment.record(Array(text.utf8), named: "\(name).diff.txt", sourceLocation)
    }

    /// Attaches a recording, and, if the environment asks for it, a page of it.
    ///
    /// - Returns: Why the recording is not attached; empty if it is.
    private func attach(_ file: URL, _ outcome: ReplayOutcome) throws -> String {
        let reason = try TestAttachment.record(contentsOf: file, sourceLocation)
        try PageAttachment.record(file, around: outcome.failingAction, outcome.divergence, sourceLocation)
        return reason.map { "\n\($0)\n" } ?? ""
    }

    /// Attaches a recording of what today's reducers do.
    ///
    /// - Returns: Why it is not attached; empty if it is.
    private func attachToday(_ name: String, _ outcome: ReplayOutcome) throws -> String {
        // A reducer that traps after the divergence would end the test's process.
        guard ForkedProcess.isAvailable else { return "" }
        if let trap = try trapOfRunningAll() { return "\nToday's reducers did not reach the end: \(trap)\n" }
        return try withTemporaryFolder { folder in
            let replayed = folder.appending(path: "\(name).today.hindsight")
            try app.accept(recording, writingTo: replayed)
            let reason = try attach(replayed, outcome)
            return reason.isEmpty ? "" : reason + "It was made for the attachment only, and is not kept.\n"
        }
    }

    /// Where the reducers end the process if all actions run; `nil` if they do not, or if that is not known.
    private func trapOfRunningAll() throws -> String? {
        let replay = ForkedReplay(recording: recording, app: app, options: nil)
        guard case .terminated(let termination) = replay.run() else { return nil }
        return try termination.text(in: Recording(at: recording), replayedBy: app)
    }
}
