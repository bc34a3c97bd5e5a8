import HindsightFormat
import HindsightQuery
import HindsightRecording
import HindsightSupport
import HindsightTree

/// Arguments of the commands that ask for places of a state.
enum PlaceArguments {
    static let at = Option<String>("at", value: "P", help: "The position of the state: \(SharedArguments.positionHelp)")
    static let noIndex = Flag("no-index", help: "Neither use nor keep an index in the cache folder; slower.")

    /// The path in a positional argument; `nil` if it was not given.
    static func path(_ positional: Positional, _ arguments: Arguments) throws(UsageError) -> NodePath? {
        guard let text = arguments[positional] else { return nil }
        if let path = NodePath(text) { return path }
        let expected = SharedArguments.path.expected
        throw UsageError(arguments.syntax.name, .badValue(text, of: positional.declaration.name, expected: expected))
    }

    /// The position that `--at` names, and the steps that led to it if it is in the action in which the process ended; by
    /// default, the last one whose state is recorded.
    ///
    /// - Parameter reachesCrash: Whether the default is the last position before the crash that is computed, if there is
    ///   one.
    static func computedPosition(
        _ arguments: Arguments,
        in recording: Recording,
        _ tool: Tool,
        reachesCrash: Bool = false
    ) throws -> (Recording.Position, ComputedSteps?) {
        let text = try arguments[at]
        // Without the states before it, who set a value cannot be told.
        if text != nil || reachesCrash, case .crashed(let seq, _) = recording.ending, recording.end.seq == seq - 1 {
            let position = try text.map { try recording.position($0, knownOnly: false) }
            let isWithin = position.map { $0.seq == seq && $0.reducer != 0 } ?? true
            if isWithin, let steps = try StateReader(of: recording, tool).stepsBeforeCrash().steps,
                position ?? steps.last <= steps.last
            {
                return (position ?? steps.last, steps)
            }
        }
        if text ?? "end" == "end", recording.ending != .open(live: true), recording.end.seq < recording.lastFinished {
            tool.console.note(
                "\(tool.shown(recording)) has the states up to action \(recording.end) of \(recording.lastFinished): "
                    + "what the later actions changed is not recorded.\(tool.computingHint(for: recording))"
            )
        }
        return (try text.map { try recording.position($0) } ?? recording.end, nil)
    }
}

extension Recording.Position {
    /// Throws if the position of an option lies within an action.
    ///
    /// - Parameters:
    ///   - use: What needs whole actions, such as `replay runs`.
    ///   - remedy: What else to do, after the number of the action.
    func requireWhole(_ option: String, _ use: String, remedy: String = "") throws(Failure) {
        guard reducer != nil else { return }
        throw Failure(
            .usage,
            "\(option) \(self) lies within an action, and \(use) whole ones.",
            "Use \(option) \(seq)\(remedy)."
        )
    }
}

extension Recording {
    /// The position after a whole action at which the state is that of another one: before the first reducer of an action, or
    /// after the last. Any other position is returned as it is.
    ///
    /// - Throws: A `RecordingError` if the action cannot be read.
    func wholePosition(_ position: Position) throws -> Position {
        if position.reducer == reducers.count { return Position(seq: position.seq) }
        guard position.reducer == 0, position.seq > start.seq else { return position }
        // A time travel comes before the first reducer.
        return try action(position.seq).isTravel ? position : Position(seq: position.seq - 1)
    }

    /// The actions that `--from` and `--to` choose; `nil` if neither is given.
    func actions(from: String?, to: String?) throws -> ClosedRange<Int>? {
        if from == nil, to == nil { return nil }
        let ends = try positions(from: from, to: to, knownOnly: false)
        let first = ends.first?.seq ?? start.seq + 1
        let last = ends.last?.seq ?? actionCount
        guard first <= last else {
            throw Failure(.usage, "--from \(first) comes after --to \(last), so there is nothing between them.")
        }
        return first...last
    }
}

extension Tool {
    /// A sentence with the command that computes the states which the process lost with its end; empty if this build
    /// does not have the app, or cannot compute them.
    func computingHint(for recording: Recording) -> String {
        guard apps.contains(where: { $0.name == recording.app.name }), !runsWhole(recording),
            recording.firstGapAfterEnd == nil, recording.typesOfDescribedStates.isEmpty
        else { return "" }
        let skipped = if case .crashed = recording.ending { ["--skip", "crash"] } else { [String]() }
        let words = [name, "whatif", quoted(recording)] + skipped + ["-o", "computed.hindsight"]
        return " To compute it: \(words.joined(separator: " "))"
    }

    /// The index of a recording's changes. Shows the progress of building it.
    func index(of recording: Recording, _ arguments: Arguments) throws -> ChangeIndex {
        defer { console.clearProgress() }
        let cache = arguments[PlaceArguments.noIndex] ? nil : ChangeIndex.defaultCache
        return try ChangeIndex(of: recording, cache: cache) { part in
            console.progress("Indexing the changes of \(shown(recording)): \(Int(part * 100)) %")
        }
    }

    /// The failure for a place that a state does not have: whether it was there before, or never.
    func absent(
        _ path: NodePath,
        in state: Node,
        at position: Recording.Position,
        of recording: Recording,
        by index: ChangeIndex
    ) throws -> Failure {
        let name = escape(path.description)
        let earlier = try recording.history(of: path, upTo: position, limit: 1, by: index)
        if let change = earlier.changes.last {
            let text = OriginText(recording: recording)
            var lines = [
                "There is nothing at \(name) at position \(position): it went \(try text.clause(of: change.origin))."
            ]
            if let before = change.origin.positionBefore {
                lines.append("To ask for what was there, add --at \(before).")
            }
            return Failure(.usage, lines: lines)
        }
        let later = try recording.history(of: path, limit: 1, by: index)
        if later.changes.last != nil || later.first != nil {
            return Failure(.usage, "There is nothing at \(name) at position \(position) yet; it came later.")
        }
        var near = NearPaths(to: path, isPattern: false)
        near.look(in: state)
        if recording.start != position { near.look(in: try recording.state(at: recording.start)) }
        guard later.unknown.isEmpty else {
            let lines = [
                "There is no \(name) at any recorded position.",
                "Not known: \(UnknownText.changes(in: later.unknown)).",
            ]
            return Failure(.usage, lines: lines + near.question)
        }
        return Failure(.usage, lines: ["There is no \(name) in this recording."] + near.question)
    }
}
