import HindsightQuery

/// A command that a debugger cannot do now.
package struct DebuggerError: Error, Sendable, Hashable {
    /// The kind of mistake. Later versions may add kinds.
    package struct Code: RawRepresentable, Sendable, Hashable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        /// It runs, and must stop first.
        package static let running = Code(rawValue: "running")
        /// There is no breakpoint with this number.
        package static let noBreakpoint = Code(rawValue: "no breakpoint")
        /// The recording has no reducer of this name.
        package static let noReducer = Code(rawValue: "no reducer")
        /// There is no branch with this number.
        package static let noBranch = Code(rawValue: "no branch")
        /// The position is at no action.
        package static let noAction = Code(rawValue: "no action")
        /// The recorded process ended before the position.
        package static let afterCrash = Code(rawValue: "after the crash")
        /// No edit waits for a run.
        package static let noEdits = Code(rawValue: "no edits")
        /// Nothing is left to undo.
        package static let nothingToUndo = Code(rawValue: "nothing to undo")
        /// There are as many breakpoints as there may be.
        package static let tooManyBreakpoints = Code(rawValue: "too many breakpoints")
    }

    /// The kind of mistake.
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
        default: code.rawValue
        }
    }
}
