import HindsightQuery
import HindsightReplay

/// A command to a ``Debugger``.
package enum DebuggerCommand: Sendable, Hashable {
    /// Steps some actions or reducers on, or back.
    case step(DebuggerDirection, by: StateCursor.Granularity = .action, count: Int = 1)
    /// Runs until a breakpoint hits, or to the end or the start.
    case run(DebuggerDirection)
    /// Goes to a position.
    case go(Recording.Position)
    /// Goes to a branch, 0 is the recording itself; to its position from the last time.
    case checkout(branch: Int)
    /// Takes back the last change of an action that waits to run; if there is none, goes back to the position and the
    /// branch before the last command that moved.
    case undo
}

/// What a ``Debugger`` has to say.
package enum DebuggerEvent: Sendable, Hashable {
    /// It is at a position.
    case stopped(DebuggerStop)
    /// It runs. Call ``Debugger/advance(budget:isInterrupted:stops:)`` until it stops. The part of the way to the end or
    /// the start, from 0 to 1.
    case running(Double)
    /// The recording has grown, and ends at this position now.
    case grew(end: Recording.Position)
    /// The recording that was live is complete.
    case ended
    /// The recording's limit dropped the present position, so that it moved to the first one.
    case dropped
    /// The changes of actions that wait to run changed.
    case editsChanged
}

/// A position at which a ``Debugger`` stopped.
package struct DebuggerStop: Sendable, Hashable {
    package enum Reason: Sendable, Hashable {
        case step
        case command
        /// Breakpoints hit, with these numbers.
        case breakpoints([Int])
        /// There is no earlier position.
        case start
        /// There is no later position. If `live`, the recording goes on.
        case end(live: Bool)
        /// ``Debugger/interrupt()`` stopped it.
        case interrupted
    }

    /// Why it stopped.
    package let reason: Reason
    package let position: Recording.Position
    /// The number of positions passed at which a breakpoint could not be evaluated, because it reads a state that was
    /// not recorded.
    package var unknownCount = 0
}
