import HindsightFormat
import HindsightStore
import HindsightTree

extension Recorder {
    /// Runs one action of a store of any kind, and records it: the action, and the state before and after `body`.
    ///
    /// Call it where your store runs its reducer. A `Store` needs ``middleware`` instead.
    ///
    /// ```swift
    /// func send(_ action: AppAction) {
    ///     recorder.record(action, in: &state) { state in reduce(&state, action) }
    /// }
    /// ```
    ///
    /// The action is written ahead before `body` runs, as it is with ``middleware``, and everything that the recorder
    /// promises holds: see ``Recorder``. The first call records `state` as the initial state. A recording made so is
    /// replayed by ``ReplayableApp/init(_:version:initial:schema:migrations:reduce:)`` with the same function.
    ///
    /// **Steps.** Without ``RecorderOptions/steps``, an action has one reducer, `reduce`. ``ActionStep`` divides it.
    ///
    /// **Changes outside.** If the state is not the one that the call before left, the app has changed it outside of any
    /// action. The recording then has a time travel to the given state before the action, so that no action gets the blame.
    ///
    /// **Calls inside of `body`.** What they change is part of the action that is under way, because a replay of that
    /// action runs them again. Their own actions become notes.
    ///
    /// **Errors.** If `body` throws, the recording has the state that it left, and a note with the error. If actions or
    /// states are redacted, the notes name types only. If nothing is recorded, the method runs `body` and nothing else.
    ///
    /// **Parents.** The action that started a task is the parent of the actions that the task sends: see ``ActionCause``.
    ///
    /// **Threads.** Any thread may call this method. The recorder runs one `body` at a time. A `body` that waits for
    /// another thread's call never ends.
    ///
    /// **Cost.** That of an action of a `Store` with one reducer and a recorder. If the state is not at the same place with
    /// the same bits as the call before left it, also a comparison of two states. If it may hold class instances, each
    /// action also encodes it twice.
    ///
    /// - Parameters:
    ///   - action: The action. `body` may ignore it.
    ///   - state: The state of the whole app.
    ///   - fileID: The file that sent the action, which recordings show.
    ///   - line: Its line.
    ///   - body: Changes the state. A pure function of the state and the action can be replayed.
    /// - Returns: What `body` returns, for example the effects to run.
    /// - Throws: What `body` throws.
    @discardableResult
    public func record<Outcome, Failure: Error>(
        _ action: ActionValue,
        in state: inout StateValue,
        fileID: String = #fileID,
        line: Int = #line,
        _ body: (inout StateValue) throws(Failure) -> Outcome
    ) throws(Failure) -> Outcome {
        guard case .success(let core) = core else { return try body(&state) }
        return try core.external.record(action, in: &state, from: Origin(file: fileID, line: line), by: core, body)
    }
}

extension Recorder {
    /// Runs one action of a store whose state is not `Codable`, or not `Sendable`, and records it as
    /// ``record(_:in:fileID:line:_:)`` does.
    ///
    /// ```swift
    /// let recorder = Recorder<Described<AppState>, Described<AppAction>>.start(to: url, app: AppInfo(name: "shop"))
    ///
    /// recorder.record(Described(action), in: &state) { state in reduce(&state, action) }
    /// ```
    ///
    /// **Cost.** Each action describes the state at least twice: see ``Described``.
    ///
    /// - Throws: What `body` throws.
    @discardableResult
    public func record<Value, Outcome, Failure: Error>(
        _ action: ActionValue,
        in state: inout Value,
        fileID: String = #fileID,
        line: Int = #line,
        _ body: (inout Value) throws(Failure) -> Outcome
    ) throws(Failure) -> Outcome where StateValue == Described<Value> {
        let outcome = withUnsafeMutablePointer(to: &state) { state in
            // A struct with one stored property has the layout of the property.
            state.withMemoryRebound(to: Described<Value>.self, capacity: 1) { state in
                Result { () throws(Failure) in
                    try record(action, in: &state.pointee, fileID: fileID, line: line) { state throws(Failure) in
                        try body(&state.value)
                    }
                }
            }
        }
        return try outcome.get()
    }
}

/// A part of the work for one action, with a name of its own in the recording.
///
/// Use it inside the function that ``Recorder/record(_:in:fileID:line:_:)`` runs, and list the names in
/// ``RecorderOptions/steps``:
///
/// ```swift
/// func reduce(_ state: inout AppState, _ action: AppAction) {
///     ActionStep.run("cart", in: &state) { state in reduceCart(&state.cart, action) }
///     ActionStep.run("totals", in: &state) { state in state.total = state.cart.sum }
/// }
/// ```
///
/// A step lasts until the next one begins, or the action ends. What changes before the first step belongs to the reducer
/// `reduce`.
public enum ActionStep {
    /// Runs a part of an action's work on the whole state, as the step `name`.
    ///
    /// Outside of an action, as in a replay, it runs `body` and nothing else. A step that the options do not list, that
    /// comes after a later one, or that has another state than the recorder's is part of the step before;
    /// ``RecorderOptions/onError`` receives the code `unknownStep` once for each name.
    ///
    /// - Throws: What `body` throws.
    public static func run<StateValue, Outcome, Failure: Error>(
        _ name: String,
        in state: inout StateValue,
        _ body: (inout StateValue) throws(Failure) -> Outcome
    ) throws(Failure) -> Outcome {
        ActionCause.action?.store.begin(name, state)
        return try body(&state)
    }
}

/// A store whose actions are recorded, and which is told of their steps.
protocol StepObserver: AnyObject, Sendable {
    func begin<Value>(_ name: String, _ state: Value)
}
