import HindsightRecording
import HindsightTree

/// What differs if the actions of a recording are changed. ``WhatIf/finish()`` makes it.
///
/// It is what the reducers alone would do: no middleware runs, so the actions that it dispatched in answer to others stay
/// as they were recorded.
package struct WhatIfResult: Sendable {
    /// The first difference of the states; `nil` if none was found.
    package internal(set) var first: WhatIfDifference?
    /// The first unchanged action after that which changes other places than it did in the recording; `nil` if there is
    /// none, or the recorded changes cannot be compared.
    package internal(set) var reaction: WhatIfReaction?
    /// The last position of the recording that was compared.
    package internal(set) var end: Recording.Position
    /// The number of the action of the changed log at ``end``.
    package internal(set) var endNumber: Int
    /// The state of the recording at ``end``, without places that are not compared.
    package internal(set) var recordedState: Node
    /// What has to change in ``recordedState`` to give the state of the changed log: empty if both are the same.
    package internal(set) var difference: Patch
    /// Whether the recording does not have the state at ``end``, so that this build's reducers computed it.
    package internal(set) var isEndComputed = false
    /// The recorded actions that ran although the action that had dispatched them is skipped.
    package internal(set) var orphans: [Int] = []
    /// The numbers, in the recording, of actions after the first change that could not be recorded. The run went on from
    /// the recorded state after them.
    package internal(set) var gaps: [Int] = []
    /// The same for time travel.
    package internal(set) var travels: [Int] = []
    /// The places of states that are not compared, since the recording hides them, as patterns.
    package internal(set) var redacted: [String] = []
    /// The places of states that only the recording or only today's types have. They are not compared.
    package internal(set) var unshared: [String] = []
    /// How today's reducers differ from the recorded ones, by their names; `nil` if they do not.
    package internal(set) var reducers: ReducerChanges?
    /// The schemas to which the recording was migrated.
    package internal(set) var migrations: [Int] = []
    /// The action in which the recorded process ended, if it was not run and is not skipped.
    package internal(set) var unfinished: Int?

    /// Whether both end in the same state.
    package var isSame: Bool { difference.isEmpty }
}

/// The first place at which the states of a changed log and of its recording differ.
package struct WhatIfDifference: Codable, Sendable {
    /// The number of the recorded action after which they differ.
    package internal(set) var seq: Int
    /// The numbers of the recorded actions among which it is, if not all states between them were recorded.
    package internal(set) var actions: ClosedRange<Int>
    /// The number of the last action of the changed log up to there.
    package internal(set) var number: Int
    /// The number of the reducer that makes the difference, from 1; `nil` if it is not known.
    @Nullable package internal(set) var reducer: Int?
    /// The name of that reducer.
    @Nullable package internal(set) var reducerName: String?
    /// The place.
    package internal(set) var path: NodePath
    /// The value in the recording; `nil` if there is none.
    @Nullable package internal(set) var recorded: Node?
    /// The value in the changed log; `nil` if there is none.
    @Nullable package internal(set) var changed: Node?
    /// Whether no edit has to do with the difference: the action is a recorded one on a recorded state, so today's
    /// reducers do something else than the recorded ones.
    package internal(set) var isOfReducers: Bool

    private enum CodingKeys: String, CodingKey {
        case seq = "position"
        case actions, number, reducer
        case reducerName = "name"
        case path, recorded, changed
        case isOfReducers = "reducersDiffer"
    }
}

/// An action that does something else because of the changes before it.
package struct WhatIfReaction: Codable, Sendable {
    /// The number of the action in the recording.
    package internal(set) var seq: Int
    /// Its number in the changed log.
    package internal(set) var number: Int
    /// The number of the first reducer that changes other places, from 1.
    package internal(set) var reducer: Int
    /// The name of that reducer.
    package internal(set) var reducerName: String
    /// The changes of the reducer in the recording.
    package internal(set) var recorded: Patch
    /// Its changes in the changed log.
    package internal(set) var changed: Patch

    private enum CodingKeys: String, CodingKey {
        case seq, number, reducer
        case reducerName = "name"
        case recorded, changed
    }
}
