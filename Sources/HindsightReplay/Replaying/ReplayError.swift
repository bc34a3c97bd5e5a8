import HindsightRecorder
import HindsightRecording
import HindsightTree

/// A failure of a replay, or of dispatching an action as a node.
///
/// ``description`` says what happened, where, and what to do. The properties have the facts; those that a code does not
/// use are `nil` or empty.
public struct ReplayError: Error, Sendable {
    /// The kind of failure. Later versions may add more.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The recording is of another app.
        public static let otherApp = Code(rawValue: "other app")
        /// The recorded states are descriptions of types that are not `Codable`, so no state can be made of them.
        public static let describedStates = Code(rawValue: "described states")
        /// This build's reducers differ from the recorded ones, or run in another order.
        public static let reducersDiffer = Code(rawValue: "reducers differ")
        /// The level is `steps`, but migrations apply, or today's types read recorded states as other ones.
        public static let stepsNotComparable = Code(rawValue: "steps not comparable")
        /// The recording has the form of an earlier version of the app, so changed actions would run on other states.
        public static let earlierForm = Code(rawValue: "earlier form")
        /// A path to ignore or to tolerate is not a pattern.
        public static let badPattern = Code(rawValue: "bad pattern")
        /// A recorded state does not decode as the app's state type.
        public static let undecodableState = Code(rawValue: "undecodable state")
        /// A state cannot be encoded exactly.
        public static let unencodableState = Code(rawValue: "unencodable state")
        /// A node is not an action of the app.
        public static let badAction = Code(rawValue: "bad action")
        /// The position is before the start of the replay.
        public static let beforeStart = Code(rawValue: "before the start")
        /// The position is after the reducer in which the recorded process ended. ``ReplayError/lastPosition`` is the
        /// last one before it.
        public static let unfinished = Code(rawValue: "unfinished")
        /// The action was not recorded, or is time travel to a state that was not recorded, so no reducer can run.
        public static let unrecordedAction = Code(rawValue: "unrecorded action")
        /// The app's migrations do not lead from the recording's schema to the app's. The cause is a `MigrationError`.
        public static let badMigrations = Code(rawValue: "bad migrations")
        /// A migration failed on a recorded state or action. The cause is a `MigrationError`.
        public static let failedMigration = Code(rawValue: "failed migration")
        /// The state lacks a field that this build needs, and has one that it does not read, as if it had been renamed or
        /// moved.
        /// ``ReplayError/path`` is the recorded one, and ``ReplayError/missingPath`` the missing one.
        public static let renamedField = Code(rawValue: "renamed field")
        /// A migration splits or removes the action, so there are no positions between its reducers.
        public static let splitAction = Code(rawValue: "split action")
    }

    /// The kind of failure.
    public let code: Code
    /// The recording's path.
    public package(set) var file: String?
    /// The name of the recorded app.
    package internal(set) var recordedApp: String?
    /// The name of the app that replays.
    package internal(set) var app: String?
    /// The position in the recording.
    public internal(set) var position: Recording.Position?
    /// The schemas to which the migrations lead that apply.
    package internal(set) var migrations: [Int] = []
    /// The last position that a replay reaches.
    package internal(set) var lastPosition: Recording.Position?
    /// The number of the action.
    public internal(set) var seq: Int?
    /// The path in the state or the action.
    public internal(set) var path: NodePath?
    /// The path of a field that the recorded state lacks.
    package internal(set) var missingPath: NodePath?
    /// The line of code to add to the app's migrations, if one may help.
    package internal(set) var migration: String?
    /// Types of the recording that are not `Codable`.
    package internal(set) var notCodable: [String] = []
    /// The given name of an action type.
    package internal(set) var type: String?
    /// Whether the app is known to have no action type with the given name.
    package internal(set) var isUnknownType = false
    /// The action type with a similar name.
    package internal(set) var suggestion: String?
    /// The known names of action types.
    package internal(set) var knownTypes: [String] = []
    /// Recorded reducers that this build does not have.
    package internal(set) var missingReducers: [String] = []
    /// Reducers of this build that the recording does not have.
    package internal(set) var additionalReducers: [String] = []
    /// Reducers that have another name in this build.
    package internal(set) var renamedReducers: [ReducerChanges.Renaming] = []
    /// The path that is not a pattern.
    package internal(set) var pattern: String?
    /// The underlying error.
    public package(set) var cause: (any Error)?

    init(_ code: Code, file: String? = nil, position: Recording.Position? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.file = file
        self.position = position
        self.cause = cause
        path = (cause as? TreeError)?.path
        pattern = (cause as? PatternError)?.pattern
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
        let changes = ReducerChanges(of: app, since: recording)
        error.missingReducers = changes.removed
        error.additionalReducers = changes.added
        error.renamedReducers = changes.renamed
        return error
    }

    /// A node that does not decode as an action, because of `cause`.
    static func badAction(_ node: Node, names: ActionNames, cause: any Error) -> ReplayError {
        var error = ReplayError(.badAction, cause: cause)
        error.knownTypes = names.known
        guard let name = node.soleMember?.key else { return error }
        error.type = name
        error.isUnknownType = names.isName(name) == false
        error.suggestion = error.isUnknownType ? names.nearest(to: name) : nil
        return error
    }
}

extension Recording {
    /// - Throws: ``ReplayError`` with the code `describedStates` if the states are descriptions.
    package func requireReplayable() throws(ReplayError) {
        if typesOfDescribedStates.isEmpty { return }
        var error = ReplayError(.describedStates, file: url.path)
        error.notCodable = typesOfDescribedStates
        throw error
    }

    /// Runs a migration of what is at a position, and adds that to its error.
    func migrating<Result>(_ position: Position, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch var error as MigrationError {
            error.seq = position.seq
            throw ReplayError(.failedMigration, file: url.path, position: position, cause: error)
        }
    }
}
