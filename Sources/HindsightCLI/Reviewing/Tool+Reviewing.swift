import Foundation
import HindsightFormat
import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// Examines recordings in a child process, and answers with an ``ExaminedFile`` each.
struct ExaminationTask: IsolatedTask {
    static let name = "examine"

    let files: [String]
    let options: ReviewOptions

    var words: [String] { ["review"] + files }

    func run(in tool: Tool, _ replies: ReplyWriter) throws -> ExitCode {
        for file in files {
            replies.beginFile(file)
            try replies.answer(tool.examine(file, options))
            replies.endFile()
        }
        return .fine
    }
}

/// Gives an accepted recording the states of today's reducers, in a child process.
struct AcceptanceTask: IsolatedTask {
    static let name = "accept"

    let file: String
    let fingerprint: String

    var words: [String] { ["review", file] }

    func run(in tool: Tool, _ replies: ReplyWriter) throws -> ExitCode {
        replies.beginFile(file)
        try replies.answer(tool.accept(file, expecting: fingerprint))
        replies.endFile()
        return .fine
    }
}

/// Runs the reducers for a review: examines recordings, and rewrites accepted ones.
extension Tool {
    /// Replays a recording, and gathers how it differs. Errors are the file's ``ExaminedFile/problem``.
    func examine(_ file: String, _ options: ReviewOptions) -> ExaminedFile {
        var result = ExaminedFile(file: file)
        do {
            guard let fingerprint = FileFingerprint(of: file) else { throw RecordingError(.notFound, file: file) }
            result.fingerprint = fingerprint.description
            let recording = try open(file)
            result.app = recording.app.name
            result.actions = recording.actionCount
            if recording.ending == .open(live: true) { throw RecordingError(.live, file: file) }
            try requireRecovered(recording)
            let found = try verify(recording, options.verification)
            guard !found.comparedNothing else {
                let what =
                    found.emptiness.map { ": nothing was compared, because \($0)" } ?? " has no states to compare"
                throw Failure(.nothingCompared, "\(escape(file))\(what).")
            }
            result.differences = found.classes.map(ExaminedFile.Difference.init)
            (result.unfinished, result.unfinishedIsGap) = (found.unfinished, found.unfinishedIsGap)
        } catch {
            result.problem = ExaminedFile.Problem(failure(for: error))
        }
        return result
    }

    /// Gives a recording the states of today's reducers.
    ///
    /// - Parameter fingerprint: The fingerprint of the examined file.
    func accept(_ file: String, expecting fingerprint: String) -> ExaminedFile {
        var result = ExaminedFile(file: file)
        do {
            guard FileFingerprint(of: file)?.description == fingerprint else {
                throw Failure(
                    .badFile,
                    "\(escape(file)) has changed since it was examined, and is left as it is.",
                    "Run \(ShellQuoting.command(name, "review")) again."
                )
            }
            let app = try app(of: try open(file))
            // The rename must replace the file, not a link to it.
            let target = URL(filePath: file).resolvingSymlinksInPath()
            try app.accept(target, expecting: fingerprint, watch: Isolation.watch)
        } catch {
            result.problem = ExaminedFile.Problem(failure(for: error))
        }
        return result
    }
}

extension ExaminedFile.Difference {
    init(_ one: DivergenceClass) {
        let example = one.example
        self.init(
            type: one.actionType,
            reducer: one.reducerName,
            path: one.path.description,
            cause: one.cause.rawValue,
            count: one.count,
            first: ExaminedFile.Example(
                seq: example.seq,
                position: example.position,
                action: example.action?.payload,
                path: example.path.description,
                expected: example.expected,
                actual: example.actual,
                patch: example.difference,
                explanation: example.explanation
            )
        )
    }
}
