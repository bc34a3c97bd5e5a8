import HindsightFormat
import HindsightQuery
import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

extension Messages {
    /// The exit code and the lines for an error of any layer.
    static func failure(for error: any Error, tool: String) -> Failure {
        switch error {
        case let failure as Failure:
            return failure
        case let error as UsageError:
            return Failure(.usage, lines: text(of: error, tool: tool))
        case let error as RecordingError:
            if error.code == .exists { return exists(error) }
            return Failure(code(for: error), lines: lines(of: error) + advice(for: error))
        case let error as ExpressionError:
            return Failure(.usage, lines: ExpressionErrorText(error: error).lines)
        case is RuleError, is ChangedLogError:
            return Failure(.usage, lines: lines(of: error))
        case let error as ReplayError:
            return Failure(code(for: error), lines: lines(of: error))
        default:
            return Failure(.badFile, lines: lines(of: error))
        }
    }

    /// The lines of an error's description, escaped, at most three.
    static func lines(of error: any Error) -> [String] {
        "\(error)".split(separator: "\n").prefix(3).map { escape(String($0)) }
    }

    private static func code(for error: RecordingError) -> ExitCode {
        switch error.code {
        case .badPosition, .positionOutOfRange, .ambiguousPosition, .exists, .noteExists, .badNote, .noNote: .usage
        case .unwritable where error.reason == RecordingError.isSource: .usage
        case .unknownAction, .undecodableAction, .unregisteredAction: .doesNotFit
        default: .badFile
        }
    }

    private static func code(for error: ReplayError) -> ExitCode {
        switch error.code {
        case .beforeStart, .unfinished, .badPattern: .usage
        default: .doesNotFit
        }
    }

    private static func exists(_ error: RecordingError) -> Failure {
        let file = escape(error.file ?? "The output")
        guard let reason = error.reason else {
            return Failure(.usage, "\(file) exists.", "Choose another name, or replace it with --force.")
        }
        let advice = "Move it beside that recording, choose another name, or delete it with --force."
        return Failure(.usage, "\(file) exists: \(reason).", advice)
    }

    /// Advice beyond the error's own description.
    private static func advice(for error: RecordingError) -> [String] {
        switch error.code {
        case .unknownAction, .undecodableAction: Suggestion.question(error.type, in: error.allowed)
        case .badPosition: Suggestion.question(error.given, in: error.allowed)
        default: []
        }
    }
}
