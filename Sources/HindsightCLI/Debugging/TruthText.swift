import HindsightDebugger
import HindsightTree

extension Debugger.Evaluation {
    /// The value, in which a condition is true or false; `nil` if there is none, or it is not known.
    var node: Node? {
        switch self {
        case .value(_, let node), .result(let node): node
        case .truth(.yes): true
        case .truth(.no): false
        case .truth(.null), .truth(.unknown), .missing: nil
        }
    }

    /// Whether it is known what the value is, or that there is none.
    var isKnown: Bool { if case .truth(.unknown) = self { false } else { true } }
}

extension RecordingExpression.Truth {
    /// The result of a condition, as a debugger shows it.
    var answer: String {
        switch self {
        case .yes: "true"
        case .no: "false"
        case .null: "null: it has no value here"
        case .unknown: "not known: it needs a value that was redacted, or not recorded"
        }
    }
}

extension DebuggerStop.Reason {
    /// What is said at the start or the end; `nil` for another reason.
    var edge: String? {
        switch self {
        case .start: "The recording begins here."
        case .end(live: true): "This is the end so far. The recording goes on."
        case .end(live: false): "The recording ends here."
        case .step, .command, .breakpoints, .interrupted: nil
        }
    }
}

extension DebuggerStop {
    /// What a run could not evaluate, as a sentence; `nil` if nothing.
    var unknown: String? {
        guard unknownCount > 0 else { return nil }
        let positions = Quantities.counted(unknownCount, "position")
        return "Not known at \(positions) on the way, where a value was redacted, or not recorded."
    }
}
