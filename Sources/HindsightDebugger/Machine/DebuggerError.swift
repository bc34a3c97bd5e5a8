import HindsightQuery

/// A command that a debugger cannot do now.
package struct DebuggerError: Error, Sendable, Hashable {
    /// The kind of mistake.
    package enum Code: Sendable {
        /// It runs, and must stop first.
        case running
        /// There is no breakpoint with this number.
        case noBreakpoint
        /// The recording has no reducer of this name.
        case noReducer
        /// There is no branch with this number.
        case noBranch
        /// The position is at no action.
        case noAction
        /// The recorded process ended before the position.
        case afterCrash
        /// No edit waits for a run.
        case noEdits
        case nothingToUndo
        /// There are as many breakpoints as there may be.
        case tooManyBreakpoints
    }

    package let code: Code
    /// The number or the name that was given; `nil` if none was.
    package let given: String?
    /// What may stand there instead; empty if there is nothing, or too much.
    package let allowed: [String]

    init(_ code: Code, given: String? = nil, allowed: [String] = []) {
        (self.code, self.given, self.allowed) = (code, given, allowed)
    }
}

extension DebuggerError: CustomStringConvertible {
    package var description: String {
        let given = given ?? ""
        return switch code {
        case .running: "It is running. Interrupt it first."
        case .noBreakpoint: "There is no breakpoint \(given)."
        case .noReducer: "The recording has no reducer \"\(given)\"."
        case .noBranch: "There is no branch \(given)."
        case .noAction: "Position \(given) is before the first action."
        case .afterCrash: "There is no position \(given): the process ended before it, in this action."
        case .noEdits: "No action was skipped, edited or inserted, so there is nothing to run."
        case .nothingToUndo: "There is nothing to undo."
        case .tooManyBreakpoints: "There are \(given) breakpoints, and no more are possible. Delete some first."
        }
    }
}
