import HindsightRecording

/// The experiments that a debugger runs on its recording.
enum ExperimentWord: String, CaseIterable {
    case cause, shrink, races, shake, test, invariants, scrub, compare

    /// What must follow the word; `nil` if nothing must.
    var needs: String? {
        switch self {
        case .cause: "a path: cause /cart/total"
        case .scrub: "a file to write: scrub shared.hindsight"
        case .compare: "the app's tool, built from the old code: compare ./shop-main"
        case .shrink, .races, .shake, .test, .invariants: nil
        }
    }

    /// Whether it takes a limit of time.
    var hasBudget: Bool { ![.test, .invariants].contains(self) }

    /// The tool's command.
    ///
    /// - Parameters:
    ///   - rest: What follows the word: a path after `cause`, what the actions must still do after `shrink`, the
    ///     options and positions of a `test`, the file that `scrub` writes, or the old build for `compare`.
    ///   - position: Where the debugger is.
    /// - Throws: ``Failure`` if this process does not know its executable, or `cause` is asked within an action.
    func command(
        _ rest: String,
        at position: Recording.Position,
        of recording: Recording,
        in tool: Tool
    ) throws -> [String] {
        let file = recording.url.relativePath
        let words = rest.split(separator: " ").map(String.init)
        var position = position
        if self == .cause {
            position = try recording.wholePosition(position)
            let remedy = ", or goto \(position.seq - 1) for the state before it"
            try position.requireWhole("goto", "cause leaves out", remedy: remedy)
        }
        return switch self {
        case .cause: [rawValue, "--at", "\(position)", "--", file, rest]
        case .shrink: [rawValue] + (rest.isEmpty ? [] : ["--until", rest]) + ["--", file]
        case .races, .shake, .invariants: [rawValue, "--", file]
        // Options may have a value in the next word, so they cannot be told from positions here.
        case .test: [rawValue, file.hasPrefix("-") ? "./" + file : file] + words
        case .scrub: [rawValue, "--output", rest, "--", file]
        case .compare: [rawValue, "--", rest, try Isolation.executable(of: tool.name).path, file]
        }
    }
}
