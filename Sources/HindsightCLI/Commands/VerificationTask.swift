import Foundation
import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// Verifies files, or a part of one, in a child process of `verify --jobs`. It prints like `verify`, and answers with
/// the ``Details`` of each file.
struct VerificationTask: IsolatedTask {
    static let name = "verify"

    /// What to verify of the files.
    struct Scope: Codable {
        /// The action after which to begin; `nil` for the start.
        var start: Int?
        /// What was compared up to there.
        var tally: VerificationTally?
        /// The last action of a part; `nil` for the end.
        var end: Int?
        /// Whether this is one part of several. A part prints nothing.
        var isPart = false
    }

    /// What the parent learns of a file.
    struct Details: Codable {
        /// The exit code.
        var code = ExitCode.fine.rawValue
        /// The bytes that the process has written to its output and its errors.
        var (output, errors) = (0, 0)
        var seconds = 0.0
        /// The result for programs.
        var result: Node?
        /// What was compared, if a part has no divergence.
        var tally: VerificationTally?
        /// Whether the file cannot be verified in parts.
        var needsWhole = false
    }

    let scope: Scope
    let options: [String]
    let files: [String]

    var words: [String] { ["verify"] + options + ["--"] + files }

    func run(in tool: Tool, _ replies: ReplyWriter) throws -> ExitCode {
        let arguments = try Parser(syntax: VerifyCommand.syntax).parse(Array(words.dropFirst()))
        if let color = try arguments[GlobalOptions.color] { tool.console.choose(color) }
        tool.console.wraps = !arguments[GlobalOptions.json]
        var worst = ExitCode.fine
        for file in files {
            tool.console.finish()
            replies.beginFile(file)
            let start = SuspendingClock.now
            var details = Details()
            var code = ExitCode.fine
            if scope.isPart {
                verifyPart(file, arguments, tool, &details)
            } else {
                code = Self.verify(file, scope, arguments, tool, &details)
            }
            tool.console.finish()
            details.code = code.rawValue
            details.seconds = (SuspendingClock.now - start) / .seconds(1)
            (details.output, details.errors) = Isolation.written(tool.outputDescriptor)
            try replies.answer(details)
            replies.endFile(code)
            worst = max(worst, code)
        }
        return worst
    }

    /// Verifies and prints like `verify`.
    static func verify(
        _ file: String,
        _ scope: Scope,
        _ arguments: Arguments,
        _ tool: Tool,
        _ details: inout Details
    ) -> ExitCode {
        do {
            var options = try VerificationArguments.options(arguments)
            options.start = scope.start.map { VerificationStart(after: $0, tally: scope.tally ?? VerificationTally()) }
            let (code, result) = try VerifyCommand.verify(file, options, arguments, tool, makesNode: true)
            details.result = result
            return code
        } catch {
            let failure = tool.failure(for: error)
            let node = VerifyCommand.node(ofFailed: file, because: failure, nil)
            details.result = node
            if arguments[GlobalOptions.json] { tool.console.print(json: node) }
            return tool.report(failure)
        }
    }

    /// Verifies a part. Its parent verifies a part with a divergence or an error again, and prints that.
    private func verifyPart(_ file: String, _ arguments: Arguments, _ tool: Tool, _ details: inout Details) {
        do {
            let recording = try Recording(at: URL(filePath: file))
            var options = try VerificationArguments.options(arguments)
            options.afterDivergence = .stop
            options.start = scope.start.map { VerificationStart(after: $0) }
            options.end =
                try scope.end.map { Recording.Position(seq: $0) }
                ?? VerificationArguments.end(arguments, of: recording)
            let verification = try Verification(of: recording, by: try tool.app(of: recording), options: options)
            verification.watch = Isolation.watch
            // Rules are about a whole recording.
            guard verification.readsRecordedForm, !arguments.isGiven(VerifyCommand.rules) else {
                details.needsWhole = true
                return
            }
            let result = try verification.run()
            // A later state has values that this build reads as other ones, which counts for the parts after it too.
            if !verification.readsRecordedForm { details.needsWhole = true }
            if result.matches { details.tally = VerificationTally(result) }
            // No reducer has run: a replay from the start does not read this state.
            if let divergence = result.divergence, divergence.action == nil { details.needsWhole = true }
        } catch {
            // The same error ends the verification of the whole file, which reports it.
            details.needsWhole = true
        }
    }
}
