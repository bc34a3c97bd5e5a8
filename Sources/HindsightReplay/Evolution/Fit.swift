import HindsightRecorder
import HindsightRecording
import HindsightTree

/// Whether an app's types can read a recording, and what does not fit. ``ReplayableApp/fit(of:progress:)`` makes it.
package struct Fit: Sendable {
    /// The result in one word.
    package enum Verdict: String, Sendable, CaseIterable {
        /// Today's types read all recorded actions and states.
        case fits
        /// They do, but fields that are missing get values of today's initial state, some recorded fields are not read,
        /// or some values are read as other ones.
        case fitsWithDefaults = "fits with defaults"
        /// Some actions or states cannot be read.
        case doesNotFit = "does not fit"
    }

    /// Something that does not fit.
    package struct Problem: Sendable {
        /// The name of the action, with the cases around it; `nil` if it is about states or the whole recording.
        package var action: String?
        /// The path of the field in the state or in the action's node; `nil` if unknown.
        package var path: NodePath?
        /// The first position at which it was found; `nil` if it is about the whole recording.
        package var position: Recording.Position?
        /// The number of actions or states that have it.
        package var count = 1
        /// What is wrong, in one sentence without a full stop.
        package var reason: String
        /// The line of code that may help.
        package var migration: String?
    }

    /// A field that only the recording or only the app's types have.
    package struct Field: Sendable, Hashable {
        /// The name of the action; `nil` for a field of states.
        package var action: String?
        /// The path, in the state or the action's node.
        package var path: NodePath
        /// The value of the initial state that is used in place of the missing one; `nil` for a recorded field.
        package var value: Node?
    }

    /// A recorded value that today's types read as another one.
    package struct Conversion: Sendable, Hashable {
        /// The path in the state, with `*` in place of each index and key.
        package var path: NodePath
        /// The recorded value.
        package var recorded: Node
        /// The value that today's types write after they have read it.
        package var read: Node
    }

    /// The schema of the recording.
    package internal(set) var recordedSchema: Int
    /// The schema of the app.
    package internal(set) var schema: Int
    /// The schemas to which the migrations lead that apply.
    package internal(set) var migrations: [Int] = []
    /// What does not fit: empty if the recording fits.
    package internal(set) var problems: [Problem] = []
    /// The fields of states that the recording lacks, and the values that they get. A verification does not compare
    /// them.
    package internal(set) var defaults: [Field] = []
    /// The recorded fields that today's types do not read. A verification does not compare those of states.
    package internal(set) var unread: [Field] = []
    /// Values of states that today's types read as other ones, such as a number that was a text. A verification compares
    /// states after they were read.
    package internal(set) var conversions: [Conversion] = []
    /// The names of actions with payloads without labels (`_0`): inserting one before them gives them other names.
    package internal(set) var unlabelled: [String] = []
    /// Recorded reducers that this build does not have.
    package internal(set) var missingReducers: [String] = []
    /// Reducers of this build that the recording does not have.
    package internal(set) var additionalReducers: [String] = []
    /// Reducers that declare their recorded name with `formerly:`.
    package internal(set) var renamedReducers: [ReducerChanges.Renaming] = []
    /// Whether the reducers that both have run in another order.
    package internal(set) var areReducersReordered = false

    /// The result in one word.
    package var verdict: Verdict {
        if !problems.isEmpty { return .doesNotFit }
        return defaults.isEmpty && unread.isEmpty && conversions.isEmpty ? .fits : .fitsWithDefaults
    }
}
