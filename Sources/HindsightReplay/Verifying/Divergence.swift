import HindsightRecording
import HindsightTree

/// A place at which today's reducers and a recording disagree.
public struct Divergence: Sendable {
    /// The point at which states are compared.
    public enum Scope: String, Sendable, Hashable, CaseIterable {
        /// Before the first action: today's state type does not decode and encode the recorded initial state unchanged.
        case initialState
        /// After each reducer.
        case reducer
        /// After each action, since the reducers are not the recorded ones, or the level is
        /// ``VerificationOptions/Level/states``.
        case action
        /// After the last of some actions, whose states were not recorded or are doubtful.
        case run
        /// At the end only, as ``VerificationOptions/finalStateOnly`` says.
        case end
    }

    /// The point at which the states were compared.
    public let scope: Scope
    /// The action; `nil` if today's state type does not decode and encode the recorded initial state unchanged.
    package let action: RecordedAction?
    /// The number of the reducer, from 1; `nil` if it is not known.
    ///
    /// It is known if ``scope`` is ``Scope/reducer``, and if it is ``Scope/action`` and the changes show that a reducer
    /// with a recorded counterpart differs first.
    package let reducer: Int?
    /// The name of the reducer; `nil` if ``reducer`` is.
    public let reducerName: String?
    /// The first place in the state that differs. In a chained verification, the first that did not differ before.
    public let path: NodePath
    /// The recorded value at ``path``; `nil` if there was none.
    public let expected: Node?
    /// Today's value at ``path``; `nil` if there is none.
    public let actual: Node?
    /// All such differences: the change from the recorded state to today's.
    package let difference: Patch
    /// Whether the reducer or the action ran on the recorded state. If it did not, an earlier one may be the cause.
    package let inputWasRecorded: Bool
    /// Whether the reducer gave the same result when it ran again on the same state and action; `true` if this was not
    /// tried, because ``scope`` is not ``Scope/reducer``.
    package let isRepeatable: Bool
    /// The actions in one of which it began, if their states were not recorded: ``action`` is the last of them, after which
    /// states were compared again. `nil` if it began in ``action``.
    package let actions: ClosedRange<Int>?
    /// The number of actions that migrations make of the recorded one. They also split some actions, and the states
    /// between the parts were not recorded.
    package internal(set) var parts = 1
    /// The reducers that wrote the place, if ``reducer`` is not known and ``scope`` is ``Scope/action``; `nil` for all but
    /// the first divergence of a kind.
    package internal(set) var writers: Writers?
    /// The likely cause.
    public let cause: Cause
    /// The redacted places from which the value may be derived, because the reducer read placeholders there: those of
    /// the action, or, if it has none, those of the state, as patterns. Empty if other placeholders give the same
    /// value.
    package let redacted: [String]

    /// The last reducers that changed a place in an action.
    package struct Writers: Sendable, Hashable {
        /// The one in the recording; `nil` if none changed it there.
        package let recorded: String?
        /// Today's; `nil` if none changes it.
        package let today: String?
    }

    /// The number of the action, or 0.
    public var seq: Int { action?.seq ?? 0 }

    /// The position at which the states were compared.
    public var position: Recording.Position {
        Recording.Position(seq: seq, reducer: scope == .reducer ? reducer : nil)
    }
}

extension Divergence: CustomStringConvertible {
    /// One line: the action, the reducer and the path, without values of the state.
    public var description: String {
        let place = path.isRoot ? "the state" : "\(path)"
        guard let action else { return "the initial state differs at \(place) once today's state type has read it" }
        let name = "action \(action.seq) (\(action.type))"
        switch scope {
        case .end: return "at the end, after \(name), \(place) differs"
        case .run:
            let range = actions.map { "one of the actions \($0.lowerBound) to \($0.upperBound)" } ?? "some action"
            return
                "\(range) without recorded states, or with doubtful ones: after action \(action.seq) \(place) differs"
        case .initialState, .reducer, .action:
            guard let reducer, let reducerName else { return "\(name): \(place) differs after it" }
            return "\(name), reducer \(reducer) (\(reducerName)): \(place) differs"
        }
    }
}

extension Divergence.Writers: CustomStringConvertible {
    /// One sentence, without a full stop. Names are those of the file.
    public var description: String {
        let now = today.map { "\($0) writes it now" } ?? "none writes it now"
        return "in the recording, \(recorded.map { "\($0) wrote this place" } ?? "no reducer wrote this place"); \(now)"
    }
}

extension Divergence {
    private static let mayBeDerived = """
        The reducers' code differs from the recorded run, or something outside that they read, or the value is derived \
        from a redacted one, which this replay cannot tell.
        """

    /// The likely cause and its remedy, in one or two sentences; `nil` if nothing is known about it.
    public var explanation: String? {
        switch (scope, cause) {
        case (.run, _): nil
        case (.reducer, .other) where !redacted.isEmpty: Self.mayBeDerived
        case (.action, .other), (.end, .other):
            redacted.isEmpty
                ? "The code of the reducers differs from the recorded run, or something outside that they read."
                : Self.mayBeDerived
        default: cause.sentence
        }
    }
}
