import HindsightRecording

/// The experiments that a debugger runs on its recording.
enum ExperimentWord: String, CaseIterable {
    case cause, shrink, races, shake

    /// The tool's command.
    ///
    /// - Parameters:
    ///   - rest: What follows the word: a path after `cause`, and what the actions must still do after `shrink`.
    ///   - position: Where the debugger is.
    func command(_ rest: String, at position: Recording.Position, of recording: Recording) -> [String] {
        let file = recording.url.relativePath
        return switch self {
        case .cause: [rawValue, "--at", "\(position)", "--", file, rest]
        case .shrink: [rawValue] + (rest.isEmpty ? [] : ["--until", rest]) + ["--", file]
        case .races, .shake: [rawValue, "--", file]
        }
    }
}
