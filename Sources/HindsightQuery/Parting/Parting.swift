import HindsightRecording
import HindsightTree

/// The first action at which two recordings part.
package struct Parting: Sendable {
    /// How two recordings differ at an action.
    package enum Difference: String, Sendable, CaseIterable {
        /// The states with which the comparison begins differ.
        case start
        /// The actions differ: their types or their payloads.
        case action
        /// The actions are the same, or are not compared, and they changed the state in different ways.
        case effect
        /// The actions came at different times after the start.
        case time
        /// One of the recordings has no more actions, or ends in this one, which never finished.
        case end
    }

    /// What one of the recordings has at the action.
    package struct Occurrence: Sendable {
        /// The action; `nil` at the start, and if the recording has no more actions.
        package internal(set) var action: RecordedAction?
        /// The changes by its reducers; empty if they are not known.
        package internal(set) var steps: [RecordedStep] = []
        /// The action that it answers, the action that this one answers, and so on, at most ten.
        package internal(set) var parents: [RecordedAction] = []
    }

    /// The number of the action; at the start, that of the last action before.
    package internal(set) var seq: Int
    /// In what the recordings differ there.
    package internal(set) var differences: [Difference]
    /// The first reducer after which the states differ; `nil` if that is not known, or if the effect is not different.
    package internal(set) var reducer: Int?
    /// If the effects of some actions before are not known: those of which one is the first with another effect.
    package internal(set) var possible: ClosedRange<Int>?
    /// The change from the first recording's state to the second's there; `nil` if the states are the same or not
    /// compared.
    package internal(set) var patch: Patch?
    package internal(set) var left = Occurrence()
    package internal(set) var right = Occurrence()
}

/// What a comparison of two recordings found.
package struct PartingResult: Sendable {
    /// Where they part; `nil` if they do not.
    package internal(set) var parting: Parting?
    /// The last common actions before, with their changes in the first recording: at most as many as were asked for.
    package internal(set) var common: [(action: RecordedAction, steps: [RecordedStep])] = []
    /// The actions that were compared.
    package internal(set) var compared: ClosedRange<Int>?
    /// The number of actions whose effects could not be compared, because one of the recordings does not have them.
    package internal(set) var unknownEffects = 0
    /// Whether the recordings have the same reducers. Otherwise effects are compared after each action as a whole.
    package internal(set) var hasSameReducers = true
}

/// What a comparison of two recordings compares.
package struct PartingOptions: Sendable {
    /// Whether to compare the types and the payloads of actions.
    package var payloads: Bool
    /// Whether to compare what the actions changed, and the first states.
    package var effects: Bool
    /// The largest difference between the times of an action since the start, in nanoseconds; `nil` to ignore times.
    package var nanoseconds: Int64?
    /// The number of common actions to return.
    package var commonActions: Int

    package init(payloads: Bool = true, effects: Bool = true, nanoseconds: Int64? = nil, commonActions: Int = 3) {
        (self.payloads, self.effects) = (payloads, effects)
        (self.nanoseconds, self.commonActions) = (nanoseconds, commonActions)
    }
}
