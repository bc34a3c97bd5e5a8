import HindsightFormat
import HindsightTree

/// A recorded action.
public struct RecordedAction: Sendable, Hashable {
    /// The number of the action, from 1.
    public var seq: Int
    /// The number of the action whose middleware, subscriber or effect dispatched this one.
    public var parent: Int?
    /// The action's short name: the case of an enum, the type of a struct, or `@travel` if ``isTravel``.
    public var type: String
    /// The action itself; `nil` if it could not be encoded (``problem`` says why), or if ``isTravel``.
    public var payload: Node?
    /// When it reached the reducers, in nanoseconds since 1970.
    public var at: Int64
    /// The duration of all its reducers in nanoseconds; `nil` if they did not finish.
    public var duration: Int64?
    /// Where it was dispatched, as `file:line`.
    public var origin: String?
    /// Why the action cannot be run again.
    public var problem: String?
    /// Whether this is time travel in the running app, and not an action. Its only step has reducer 0.
    public var isTravel: Bool { payload == nil && type == Schema.travelType }
    /// Whether the action could not be encoded.
    public var isGap: Bool { payload == nil && !isTravel }

    public init(
        seq: Int,
        parent: Int? = nil,
        type: String,
        payload: Node?,
        at: Int64,
        duration: Int64?,
        origin: String? = nil,
        problem: String? = nil
    ) {
        self.seq = seq
        self.parent = parent
        self.type = type
        self.payload = payload
        self.at = at
        self.duration = duration
        self.origin = origin
        self.problem = problem
    }
}

extension RecordedAction {
    /// Whether the action has this type, or one inside it: `market(.quotes)` has the types `market` and
    /// `market.quotes`.
    ///
    /// Types are compared by their scalars.
    package func isOf(type: String) -> Bool {
        let wanted = type.utf8
        if wanted.elementsEqual(self.type.utf8) { return true }
        guard wanted.starts(with: (self.type + ".").utf8), let payload else { return false }
        let full = ([self.type] + payload.nestedCases).joined(separator: ".")
        return full.utf8.elementsEqual(wanted) || full.utf8.starts(with: (type + ".").utf8)
    }
}

/// The change by one reducer in one action.
public struct RecordedStep: Sendable, Hashable {
    /// The number of the reducer, from 1; 0 for time travel. ``Recording/name(ofReducer:)`` returns its name.
    public var reducer: Int
    /// The reducer's duration in nanoseconds.
    public var duration: Int64
    /// The change; `nil` if the reducer changed nothing.
    public var patch: Patch?

    public init(reducer: Int, duration: Int64, patch: Patch?) {
        self.reducer = reducer
        self.duration = duration
        self.patch = patch
    }
}

extension Recording {
    /// How a recording ended.
    public enum Ending: Sendable, Hashable {
        /// The recorder was closed.
        case closed
        /// The recorder was not closed. If `live`, it is recording now. Otherwise the process ended while no action was
        /// being reduced (see ``Recording/lastActivity``), or the recorder had to stop (see ``Recording/stopped``).
        case open(live: Bool)
        /// The process ended while an action was being reduced: in the reducer with this number, from 1; or, if it is
        /// `nil`, before the first, after the last or between two reducers.
        case crashed(seq: Int, reducer: Int?)
    }
}

extension Recording {
    /// The counts and sizes of a recording.
    public struct Summary: Sendable, Hashable {
        /// An action type and its number of actions.
        public struct TypeCount: Sendable, Hashable {
            /// The name; for an enum inside an action, with the types around it: `market.quotes`.
            public var type: String
            public var count: Int
            /// The cases of the enum in the payload, if every action of this type has such a payload, with at most 64
            /// different cases.
            public var nested: [TypeCount]

            public init(type: String, count: Int, nested: [TypeCount] = []) {
                self.type = type
                self.count = count
                self.nested = nested
            }

            /// The names of this type and all types inside it.
            package var names: [String] { [type] + nested.flatMap(\.names) }
        }

        /// The number of actions.
        public var actions: Int
        /// The number of actions that could not be encoded.
        public var gaps: Int
        /// The number of time travels.
        public var travels: Int
        /// The action types, by decreasing frequency, then by name.
        public var types: [TypeCount]
        /// The number of steps that changed something.
        public var changes: Int
        /// The number of whole states.
        public var keyframes: Int
        /// The size of all actions' text in bytes.
        public var actionBytes: Int64
        /// The size of all steps (patches and durations) as text, in bytes.
        public var patchBytes: Int64
        /// The size of all whole states' text in bytes.
        public var keyframeBytes: Int64
        /// The size of the file, with the part that is still in SQLite's files beside it, in bytes.
        public var fileBytes: Int64
    }
}
