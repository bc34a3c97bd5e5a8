import HindsightDebugger

extension RecordingExpression.Truth {
    /// The result of an expression, as a debugger shows it.
    var answer: String {
        switch self {
        case .yes: "true"
        case .no: "false"
        case .null: "null: a value that it needs does not exist"
        case .unknown: "not known: it needs a value that was redacted, or not recorded"
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
