import HindsightDebugger
import HindsightReplay

extension Debugger {
    /// Computes the steps of the action in which the process ended, if a command may lead there.
    ///
    /// - Returns: What to do if they cannot be computed, as a sentence.
    func computeSteps(for command: DebuggerCommand, by tool: Tool) throws -> String? {
        guard needsComputedSteps(for: command) else { return nil }
        let (steps, reason) = try StateReader(of: recording, tool).stepsBeforeCrash()
        supply(steps)
        return reason?.remedy(in: recording, tool)
    }
}
