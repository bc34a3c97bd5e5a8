import HindsightRecording
import HindsightTree

/// The first action at which two recordings part.
package struct FirstDifference: Sendable {
    /// How two recordings differ at an action.
    package enum Difference: String, Codable, Sendable, CaseIterable {
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
package struct FirstDifferenceResult: Sendable {
    /// Where they part; `nil` if they do not.
    package internal(set) var firstDifference: FirstDifference?
    /// The last common actions before, with their changes in the first recording: at most three.
    package internal(set) var common: [(action: RecordedAction, steps: [RecordedStep])] = []
    /// The actions that were compared.
    package internal(set) var compared: ClosedRange<Int>?
    /// The number of actions whose effects could not be compared, because one of the recordings does not have them.
    package internal(set) var unknownEffects = 0
    /// Whether the recordings have the same reducers. Otherwise effects are compared after each action as a whole.
    package internal(set) var hasSameReducers = true
}

/// What a comparison of two recordings compares.
package struct FirstDifferenceOptions: Sendable {
    /// Whether to compare the types and the payloads of actions.
    package var payloads: Bool
    /// Whether to compare what the actions changed, and the first states.
    package var effects: Bool
    /// The largest difference between the times of an action since the start, in nanoseconds; `nil` to ignore times.
    package var nanoseconds: Int64?

    package init(payloads: Bool = true, effects: Bool = true, nanoseconds: Int64? = nil) {
        (self.payloads, self.effects, self.nanoseconds) = (payloads, effects, nanoseconds)
    }
}

/// The answer of `part`.
package struct FirstDifferenceFacts: Answer {
    package struct Changed: Answer {
        @Nullable package var changed: [NodePath]?
    }

    package typealias Action = Joined<ActionFacts, Changed>

    package struct Side: Answer {
        @Nullable package var action: Action?
        package let parents: [ActionFacts]
    }

    package let files: [String]
    package let part: Bool
    @Nullable package var compared: ClosedRange<Int>?
    package let unknown: Int
    package let sameReducers: Bool
    @Nullable package var seq: Int?
    package let differences: [FirstDifference.Difference]
    @Nullable package var reducer: Int?
    @Nullable package var possible: ClosedRange<Int>?
    @Nullable package var patch: Patch?
    package let sides: [Side]
    package let common: [Action]

    package static let notes = [
        "part": "whether they do", "unknown": "actions whose effects could not be compared",
        "reducer": "the first with another effect",
        "possible": "if some effects are unknown: one of these actions is the first with another effect",
        "patch": "from the first state there to the second", "common": "the last ones before",
    ]
}

extension FirstDifferenceResult {
    package func facts(_ left: Recording, _ right: Recording) -> FirstDifferenceFacts {
        func action(_ action: RecordedAction, _ steps: [RecordedStep], _ recording: Recording)
            -> FirstDifferenceFacts.Action
        {
            let isKnown = recording.absence(ofChangesIn: action.seq) == nil
            let changed = isKnown ? steps.compactMap(\.patch).places : nil
            return Joined(ActionFacts(action), FirstDifferenceFacts.Changed(changed: changed))
        }
        func side(_ side: FirstDifference.Occurrence, _ recording: Recording) -> FirstDifferenceFacts.Side {
            FirstDifferenceFacts.Side(
                action: side.action.map { action($0, side.steps, recording) },
                parents: side.parents.map(ActionFacts.init)
            )
        }
        return FirstDifferenceFacts(
            files: [left.url.relativePath, right.url.relativePath],
            part: firstDifference != nil,
            compared: compared,
            unknown: unknownEffects,
            sameReducers: hasSameReducers,
            seq: firstDifference?.seq,
            differences: firstDifference?.differences ?? [],
            reducer: firstDifference?.reducer,
            possible: firstDifference?.possible,
            patch: firstDifference?.patch,
            sides: firstDifference.map { [side($0.left, left), side($0.right, right)] } ?? [],
            common: common.map { action($0.action, $0.steps, left) }
        )
    }
}

extension Sequence<Patch> {
    /// Every place that they change, once, in the order in which it first changed.
    package var places: [NodePath] {
        var seen: Set<NodePath> = []
        return flatMap { $0.operations.map(\.place) }.filter { seen.insert($0).inserted }
    }
}
