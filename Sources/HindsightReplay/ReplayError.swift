import HindsightFormat
import HindsightRecorder
import HindsightRecording
import HindsightTree

/// Why a recording could not be replayed, or an action not be dispatched.
///
/// ``description`` says what happened, where, and what to do. The properties have the facts; those that a code does not
/// use are `nil` or empty.
public struct ReplayError: Error, Sendable {
    /// What kind of failure it is. More may be added.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The recording is of another app.
        public static let otherApp = Code(rawValue: "other app")
        /// This build has other reducers than those that were recorded, or runs them in another order.
        public static let reducersDiffer = Code(rawValue: "reducers differ")
        /// A recorded state does not decode as the app's state type.
        public static let undecodableState = Code(rawValue: "undecodable state")
        /// A state cannot be encoded exactly.
        public static let unencodableState = Code(rawValue: "unencodable state")
        /// A node is no action of the app.
        public static let badAction = Code(rawValue: "bad action")
        /// The position lies before the one from which the replay began.
        public static let beforeStart = Code(rawValue: "before the start")
        /// The position lies behind the reducer in which the recorded process ended; ``ReplayError/lastPosition`` does
        /// not.
        public static let unfinished = Code(rawValue: "unfinished")
        /// The action itself was not recorded, or is time travel to a state that was not: no reducers can be run for
        /// it.
        public static let unrecordedAction = Code(rawValue: "unrecorded action")
    }

    /// The kind of failure.
    public let code: Code
    /// The recording's path.
    public internal(set) var file: String?
    /// The app that the recording is of.
    public internal(set) var recordedApp: String?
    /// The app that was to replay it.
    public internal(set) var app: String?
    /// Where in the recording.
    public internal(set) var position: Recording.Position?
    /// The last position that a replay reaches.
    public internal(set) var lastPosition: Recording.Position?
    /// The number of the action.
    public internal(set) var seq: Int?
    /// The place in the state or the action.
    public internal(set) var path: NodePath?
    /// The name of the action type that was given.
    public internal(set) var type: String?
    /// Whether there is no action type of that name, as far as that can be known.
    public internal(set) var isUnknownType = false
    /// An action type whose name is nearly that.
    public internal(set) var suggestion: String?
    /// The names of the action types that would have been right, as far as they are known.
    public internal(set) var knownTypes: [String] = []
    /// Recorded reducers that this build does not have.
    public internal(set) var missingReducers: [String] = []
    /// Reducers of this build that the recording does not have.
    public internal(set) var additionalReducers: [String] = []
    /// The error that led to this one.
    public internal(set) var cause: (any Error)?

    init(_ code: Code, file: String? = nil, position: Recording.Position? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.file = file
        self.position = position
        self.cause = cause
        path = (cause as? TreeError)?.path
    }

    static func otherApp(recording: Recording, app: String) -> ReplayError {
        var error = ReplayError(.otherApp, file: recording.url.path)
        error.recordedApp = recording.app.name
        error.app = app
        return error
    }

    static func reducersDiffer(recording: Recording, app: ReplayableApp) -> ReplayError {
        var error = ReplayError(.reducersDiffer, file: recording.url.path)
        error.app = app.name
        error.missingReducers = recording.reducers.filter { !app.reducers.contains($0) }
        error.additionalReducers = app.reducers.filter { !recording.reducers.contains($0) }
        return error
    }

    /// An action that does not decode; `cause` says what is wrong with it.
    static func badAction(_ node: Node, names: ActionNames, cause: any Error) -> ReplayError {
        var error = ReplayError(.badAction, cause: cause)
        error.knownTypes = names.known
        guard case .object(let members) = node, members.count == 1 else { return error }
        let name = members[0].key
        error.type = name
        error.isUnknownType = names.isName(name) == false
        error.suggestion = error.isUnknownType ? names.nearest(to: name) : nil
        return error
    }
}
