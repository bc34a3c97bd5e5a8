import HindsightFormat
import HindsightTree

/// An action as it was recorded.
public struct ActionRecord: Sendable, Hashable {
    /// The action's number; the first is 1.
    public var seq: Int
    /// The number of the action in whose middleware this one was dispatched.
    public var parent: Int?
    /// The action's short name: an enum's case, or a struct's type; `@travel` where ``isTravel``.
    public var type: String
    /// The action itself; `nil` where it could not be encoded, and where ``isTravel``. ``problem`` then says why.
    public var payload: Node?
    /// When it reached the reducers, in nanoseconds since 1970.
    public var at: Int64
    /// How long its reducers took together, in nanoseconds; `nil` where they were not seen to finish.
    public var duration: Int64?
    /// Where it was dispatched, as `file:line`.
    public var origin: String?
    /// Why there is no action here to be run again.
    public var problem: String?
    /// Whether this is no action, but the running app's state was set by time travel. Its one step is that of reducer 0.
    public var isTravel: Bool { payload == nil && type == Schema.travelType }
    /// Whether the action itself is missing: it could not be encoded.
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

extension ActionRecord {
    /// Whether this is an action of the type, or of one inside it: `market(.quotes)` is of `market` and `market.quotes`.
    ///
    /// Types are told apart by their scalars.
    package func isOf(type: String) -> Bool {
        let wanted = type.utf8
        if wanted.elementsEqual(self.type.utf8) { return true }
        guard wanted.starts(with: (self.type + ".").utf8), let payload else { return false }
        let full = ([self.type] + payload.nestedCases).joined(separator: ".")
        return full.utf8.elementsEqual(wanted) || full.utf8.starts(with: (type + ".").utf8)
    }
}

/// What one reducer did in one action.
public struct StepRecord: Sendable, Hashable {
    /// The reducer's number, from 1; 0 where time travel set the state. ``Recording/name(ofReducer:)`` has its name.
    public var reducer: Int
    /// How long it took, in nanoseconds.
    public var duration: Int64
    /// What it changed; `nil` where it changed nothing.
    public var patch: Patch?

    public init(reducer: Int, duration: Int64, patch: Patch?) {
        self.reducer = reducer
        self.duration = duration
        self.patch = patch
    }
}

/// How a recording ended.
public enum Ending: Sendable, Hashable {
    /// The recorder was closed.
    case closed
    /// The recorder was not closed. Where it is `live`, it is recording now; otherwise its process ended while no action
    /// was being reduced, see ``Recording/lastActivity``, or the recorder had to stop: see ``Recording/stopped``.
    case open(live: Bool)
    /// The process ended while an action was being reduced: in the reducer with this number, from 1, or, where it is
    /// `nil`, before the first, after the last or between two of them.
    case crashed(seq: Int, reducer: Int?)
}

/// What a recording consists of.
public struct Summary: Sendable, Hashable {
    /// An action type and how often it occurs.
    public struct TypeCount: Sendable, Hashable {
        /// The name, with those around it where it is of an enum inside an action: `market.quotes`.
        public var type: String
        public var count: Int
        /// The cases of the enum that this type's payload is, as far as nodes show it: where every action of the type has
        /// such a payload, with at most 64 different cases.
        public var nested: [TypeCount]

        public init(type: String, count: Int, nested: [TypeCount] = []) {
            self.type = type
            self.count = count
            self.nested = nested
        }

        /// This type's name and those of all inside it.
        package var names: [String] { [type] + nested.flatMap(\.names) }
    }

    /// The number of actions.
    public var actions: Int
    /// How many of them could not be encoded.
    public var gaps: Int
    /// How many of them are no actions, but time travel of the running app.
    public var travels: Int
    /// Action types, the most frequent first, equally frequent ones by name.
    public var types: [TypeCount]
    /// How many steps changed something.
    public var changes: Int
    /// The number of whole states.
    public var keyframes: Int
    /// Bytes of all actions' text.
    public var actionBytes: Int64
    /// Bytes of what all reducers did, as text: their patches and times.
    public var patchBytes: Int64
    /// Bytes of all whole states' text.
    public var keyframeBytes: Int64
    /// Bytes of the file, with what SQLite has written beside it and not yet into it.
    public var fileBytes: Int64
}
