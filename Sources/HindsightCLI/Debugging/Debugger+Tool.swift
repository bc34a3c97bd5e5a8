import HindsightDebugger
import HindsightRecording
import HindsightReplay
import HindsightTree

/// What the machine asks of the app's reducers, which run in other processes.
extension Debugger {
    /// Computes the steps of the action in which the process ended, if a command may lead there.
    ///
    /// - Parameter change: What has happened to the file of the recording, so that nothing can be computed from it.
    /// - Returns: Why they cannot be computed, or what to do then, as a sentence.
    func computeSteps(for command: DebuggerCommand, by tool: Tool, unless change: String? = nil) throws -> String? {
        guard needsComputedSteps(for: command) else { return nil }
        if let change, branch == 0 {
            supply(nil)
            return change
        }
        let (steps, reason) = try StateReader(of: recording, tool).stepsBeforeCrash()
        supply(steps)
        return reason?.remedy(in: recording, tool)
    }

    /// The position that a text names. The end is the crash, if there is one.
    func position(named text: String) throws -> Recording.Position {
        text == "end" ? last : try recording.position(text, knownOnly: false)
    }

    /// Goes to a position, which may be among the steps that the reducers compute.
    func go(to position: Recording.Position, by tool: Tool) throws {
        _ = try computeSteps(for: .go(position), by: tool)
        _ = try perform(.go(position))
    }

    /// The place that a text means in a state that was not recorded, and the state as the reducers compute it; `nil` if
    /// the state was recorded, the text is no place in it, or something has happened to the file of the recording.
    func computedPlace(_ text: String, by reader: StateReader, unless change: String?) throws -> (
        path: NodePath, state: Node, isComputed: Bool
    )? {
        guard absence != nil, change == nil || branch != 0 else { return nil }
        let pointer = text.isEmpty ? NodePath() : Self.pointer(text)
        // A name may also be a column of an expression.
        guard let path = pointer ?? Self.names(text).map({ NodePath($0) }), pointer != nil || reader.computes else {
            return nil
        }
        let (state, isComputed) = try reader.state(at: position)
        return pointer == nil && state[path] == nil ? nil : (path, state, isComputed)
    }

    /// Replays the recording if a breakpoint needs to know where today's reducers do something else.
    ///
    /// - Returns: A sentence about it; `nil` if nothing needed to be known.
    func findDivergences(in file: OpenedFile?, by tool: Tool, isStopped: () -> Bool) throws -> String? {
        guard needsDivergences else { return nil }
        try file?.check(for: self)
        _ = try tool.app(of: recording)
        let task = DivergenceTask(file: recording.url.path)
        let seqs = try tool.answer(to: task, "Replaying to find divergences", isStopped: isStopped)
        supply(divergences: seqs.map { Recording.Position(seq: $0) })
        let count = seqs.isEmpty ? "no action" : Quantities.counted(seqs.count, "action")
        return "Today's reducers do something else in \(count)."
    }
}

/// Finds the actions in which today's reducers do something else than was recorded.
struct DivergenceTask: AnsweringTask {
    static let name = "divergences"
    let file: String

    var words: [String] { ["verify", file, "--isolated"] }

    func answer(in tool: Tool) throws -> [Int] {
        let recording = try tool.open(file)
        let options = VerificationOptions(afterDivergence: .isolated)
        let verification = try Verification(of: recording, by: tool.app(of: recording), options: options)
        verification.watch = Isolation.watch
        // The result lists only the first ones. One at the start has no action.
        var count = verification.result.divergenceCount
        var seqs = count > 0 ? [recording.start.seq] : []
        while let action = try verification.next() {
            if verification.result.divergenceCount > count { seqs.append(action.recorded.seq) }
            count = verification.result.divergenceCount
        }
        guard !verification.result.comparedNothing else {
            let reason = verification.result.emptiness.map { ", because \($0)" } ?? ""
            throw Failure(.nothingCompared, "Nothing of \(tool.shown(recording)) was compared\(reason).")
        }
        return seqs
    }
}
