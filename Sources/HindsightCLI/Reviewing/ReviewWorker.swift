import Foundation
import HindsightFormat
import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// Runs the reducers for a review: examines recordings, and rewrites accepted ones.
///
/// A tool runs it in a child process, called as `TOOL @review examine OPTIONS FILE…` or `TOOL @review accept
/// FINGERPRINT FILE`, which is not documented for users. The child prints an ``ExaminedFile`` a line.
struct ReviewWorker {
    static let word = "@review"

    let tool: Tool

    /// Runs as the child process of a review.
    static func run(_ words: [String], in tool: Tool) throws -> ExitCode {
        guard tool.isProcess, let writer = ReplayProcess.progressWriter, words.count >= 2 else {
            throw UsageError(nil, .unknownCommand(word, known: []))
        }
        let worker = ReviewWorker(tool: tool)
        for file in words.dropFirst(2) {
            writer.beginFile(file)
            let result: ExaminedFile
            if words[0] == "accept" {
                result = worker.accept(file, expecting: words[1])
            } else {
                let options = try JSONDecoder().decode(ReviewOptions.self, from: Data(words[1].utf8))
                result = worker.examine(file, options)
            }
            let line = try JSONEncoder().encode(result)
            writer.endFile()
            tool.console.output.write(bytes: line + [UInt8(ascii: "\n")])
            // The next file may end the process.
            tool.console.output.flush()
        }
        return .fine
    }

    /// Replays a recording, and gathers how it differs. Errors are the file's ``ExaminedFile/problem``.
    func examine(_ file: String, _ options: ReviewOptions) -> ExaminedFile {
        var result = ExaminedFile(file: file)
        do {
            guard let fingerprint = FileFingerprint(of: file) else { throw RecordingError(.notFound, file: file) }
            result.fingerprint = fingerprint.description
            let recording = try tool.open(file)
            result.app = recording.app.name
            result.actions = recording.actionCount
            if recording.ending == .open(live: true) { throw RecordingError(.live, file: file) }
            guard recording.sidecarFiles.isEmpty else {
                throw Failure(
                    .badFile,
                    "\(escape(file)) needs recovery: its last actions are in files beside it.",
                    "Run \(ShellQuoting.command(tool.name, "recover", ShellQuoting.quote(file))) first."
                )
            }
            let app = try tool.app(of: recording)
            let verification = try Verification(of: recording, by: app, options: options.verification)
            verification.watch = ReplayProcess.watch
            let found = try verification.run()
            guard !found.comparedNothing else {
                let what =
                    found.emptiness.map { ": nothing was compared, because \($0)" } ?? " has no states to compare"
                throw Failure(.nothingCompared, "\(escape(file))\(what).")
            }
            result.differences = found.classes.map(ExaminedFile.Difference.init)
            result.unfinished = found.unfinished
        } catch {
            result.problem = ExaminedFile.Problem(Messages.failure(for: error, tool: tool.name))
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
                    "Run \(ShellQuoting.command(tool.name, "review")) again."
                )
            }
            let app = try tool.app(of: try tool.open(file))
            // The rename must replace the file, not a link to it.
            let target = URL(filePath: file).resolvingSymlinksInPath()
            try app.accept(target, expecting: fingerprint, watch: ReplayProcess.watch)
        } catch {
            result.problem = ExaminedFile.Problem(Messages.failure(for: error, tool: tool.name))
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
                position: "\(example.position)",
                action: example.action?.payload?.json,
                path: example.path.description,
                expected: example.expected?.json,
                actual: example.actual?.json,
                patch: example.difference.json,
                explanation: example.explanation
            )
        )
    }
}
