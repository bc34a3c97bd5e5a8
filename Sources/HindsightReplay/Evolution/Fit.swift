import HindsightRecording
import HindsightTree

/// Whether an app's types can read a recording, and what does not fit. ``ReplayableApp/fit(of:progress:)`` makes it.
package struct Fit: Codable, Sendable {
    /// The result in one word.
    package enum Verdict: String, Codable, Sendable, CaseIterable {
        /// Today's types read all recorded actions and states.
        case fits
        /// They do, but fields that are missing get values of today's initial state, some recorded fields are not read,
        /// or some values are read as other ones.
        case fitsWithDefaults = "fits with defaults"
        /// Some actions or states cannot be read.
        case doesNotFit = "does not fit"
    }

    /// Something that does not fit.
    package struct Problem: Codable, Sendable {
        /// The name of the action, with the cases around it; `nil` if it is about states or the whole recording.
        @Nullable package var action: String? = nil
        /// The path of the field in the state or in the action's node; `nil` if unknown.
        @Nullable package var path: NodePath? = nil
        /// The first position at which it was found; `nil` if it is about the whole recording.
        @Nullable package var position: Recording.Position? = nil
        /// The number of actions or states that have it.
        package var count = 1
        /// What is wrong, in one sentence without a full stop.
        package var reason: String
        /// The line of code that may help.
        @Nullable package var migration: String? = nil
    }

    /// A field that only the app's types have.
    package struct Default: Codable, Sendable, Hashable {
        /// The path in the state.
        package var path: NodePath
        /// The value of the initial state that is used in place of the missing one.
        package var value: Node
    }

    /// A field that only the recording has.
    package struct Field: Codable, Sendable, Hashable {
        /// The name of the action; `nil` for a field of states.
        @Nullable package var action: String? = nil
        /// The path, in the state or the action's node.
        package var path: NodePath
    }

    /// A recorded value that today's types read as another one.
    package struct Conversion: Codable, Sendable, Hashable {
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
    /// The number of states that were decoded as a whole.
    package internal(set) var decodedStates = 0
    /// Whether these are all states of the recording that are known.
    package internal(set) var allStates = false
    /// What does not fit: empty if the recording fits.
    package internal(set) var problems: [Problem] = []
    /// The types because of which recorded values are descriptions by reflection. No state can be made of one. Actions are
    /// gaps: a replay goes on after them.
    package internal(set) var notCodable: [Recording.Summary.DescribedType] = []
    /// The fields of states that the recording lacks, and the values that they get. A verification does not compare
    /// them.
    package internal(set) var defaults: [Default] = []
    /// The recorded fields that today's types do not read. A verification does not compare those of states.
    package internal(set) var unread: [Field] = []
    /// Values of states that today's types read as other ones, such as a number that was a text. A verification compares
    /// states after they were read.
    package internal(set) var conversions: [Conversion] = []
    /// The names of actions with payloads without labels (`_0`): inserting one before them gives them other names.
    package internal(set) var unlabelled: [String] = []
    /// How the reducers of this build differ from the recorded ones.
    package internal(set) var reducers = ReducerChanges(recorded: [], today: [], former: [])

    /// What is known without the app of a recording whose states are descriptions; `nil` if they are not.
    ///
    /// - Throws: `RecordingError` if the recording cannot be read.
    package init?(ofDescriptionsIn recording: Recording) throws(RecordingError) {
        self.init(recordedSchema: recording.app.schema, schema: recording.app.schema)
        if recording.typesOfDescribedStates.isEmpty { return nil }
        notCodable = try recording.descriptions(atMost: 0).types
    }

    init(recordedSchema: Int, schema: Int) { (self.recordedSchema, self.schema) = (recordedSchema, schema) }

    /// The result in one word.
    package var verdict: Verdict {
        if !problems.isEmpty || notCodable.contains(where: \.states) { return .doesNotFit }
        return defaults.isEmpty && unread.isEmpty && conversions.isEmpty ? .fits : .fitsWithDefaults
    }
}

/// The answer of `check`.
package typealias FitAnswer = Joined<FitVerdict, Fit>

package struct FitVerdict: Answer {
    package let file: String
    package let app: String
    package let verdict: Fit.Verdict

    package init(_ fit: Fit, of recording: Recording) {
        (file, app, verdict) = (recording.url.relativePath, recording.app.name, fit.verdict)
    }
}

extension Fit: Answer {
    package static let notes = [
        "notCodable": "types because of which values are descriptions by reflection, which cannot be replayed",
        "migrations": "schemas to which they lead", "decodedStates": "states that were decoded as a whole",
        "allStates": "whether these are all; of a large recording it decodes a part",
        "conversions": "values read as other ones",
        "unlabelled": "actions whose payloads have no labels",
    ]
}
