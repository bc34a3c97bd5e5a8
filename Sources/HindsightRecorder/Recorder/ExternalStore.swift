import HindsightFormat
import HindsightStore
import HindsightTree

/// What a recorder knows of a store that is not a `Store`: it sees the state only when an action runs.
///
/// Sound: the mutable properties are touched only while `lock` is held.
final class ExternalStore<StateValue: Codable & Sendable, ActionValue: Sendable>: StepObserver, @unchecked Sendable {
    typealias Core = RecorderCore<StateValue, ActionValue>

    /// The reducer of what an action does before its first step.
    static var firstStep: String { "reduce" }

    private static var described: (any DescribedValue.Type)? { StateValue.self as? any DescribedValue.Type }

    private let lock = RecursiveLock()
    private let name = StoreAttachment<StateValue, ActionValue>.Name()
    /// Whether this is the recorded store; `nil` before the first action.
    private var isRecorded: Bool?
    private var seq = 0
    /// Follows the state that the last action left, to find changes outside of actions.
    private let finder: ChangeFinder<StateValue>
    private var isFollowing = false
    private let steps: [String: Int]
    private let stepCount: Int
    /// The names of steps that were reported.
    private var reported: Set<String> = []
    /// The recorder of the action that is under way.
    private var running: Core?
    /// The number of the step that is under way, from 1.
    private var step = 0

    /// - Parameters:
    ///   - steps: The names of the steps after the first.
    ///   - redactor: That of the states: a change that is hidden is none.
    init(steps: [String], redactor: Redactor) {
        finder = ChangeFinder(redactor: redactor)
        self.steps = Dictionary(steps.enumerated().map { ($1, $0 + 2) }, uniquingKeysWith: { first, _ in first })
        stepCount = steps.count + 1
    }

    func record<Outcome, Failure: Error>(
        _ action: ActionValue,
        in state: inout StateValue,
        from origin: Origin,
        by core: Core,
        _ body: (inout StateValue) throws(Failure) -> Outcome
    ) throws(Failure) -> Outcome {
        // Another thread may have held the lock when this process was forked.
        if core.isForked { return try body(&state) }
        lock.lock()
        defer { lock.unlock() }
        if running != nil {
            note("sent", action, core)
            return try body(&state)
        }
        guard core.channel.isOpen, isRecorded ?? start(state, core) else {
            stopFollowing()
            return try body(&state)
        }
        noteChangeOutside(state, origin, core)
        seq += 1
        let cause = ActionCause.action.flatMap { $0.store === self ? $0.seq : nil }
        // Before the action is encoded, since its `encode(to:)` may send another one.
        running = core
        // Notes the thread, and gives it a stack for signal handlers.
        core.didEnter(.middleware(after: seq - 1, parent: cause, origin: origin))
        core.willReduce(action, ActionContext(seq: seq, parent: cause, adopted: [], origin: origin))
        step = 1
        defer {
            running = nil
            end(upTo: stepCount + 1, state, core)
            core.didReduce(state: state)
            core.didEnter(.idle(after: seq))
            follow(state)
        }
        do {
            return try causing(&state, body)
        } catch {
            note("threw", error, core)
            throw error
        }
    }

    /// Runs `body` as the cause of what it starts.
    private func causing<Outcome, Failure: Error>(
        _ state: inout StateValue,
        _ body: (inout StateValue) throws(Failure) -> Outcome
    ) throws(Failure) -> Outcome {
        let action = ActionCause.Action(store: self, seq: seq)
        // `withValue` forgets the type of the error.
        let outcome: Result<Outcome, Failure> = ActionCause.$action.withValue(action) {
            do throws(Failure) { return .success(try body(&state)) } catch { return .failure(error) }
        }
        return try outcome.get()
    }

    private func start(_ state: StateValue, _ core: Core) -> Bool {
        let names = [Self.firstStep] + core.options.steps
        // A step may have the name of the first one, or of another.
        let reducer = Reducer<StateValue, ActionValue>.combine(names.map { Reducer($0) { _, _ in } })
        let isFirst = core.start(
            initial: state,
            reducers: reducer.uniqueNames,
            leaves: nil,
            present: { nil },
            from: name
        )
        isRecorded = isFirst
        if isFirst { follow(state) }
        return isFirst
    }

    /// Records a time travel if the state is not the one that the last action left.
    private func noteChangeOutside(_ state: StateValue, _ origin: Origin, _ core: Core) {
        // What cannot be compared is recorded, and the recorder stops and says why.
        let isSame = !isFollowing || (try? finder.patch(to: state).isEmpty) ?? false
        // Another reference to the state would make the action copy what it changes.
        stopFollowing()
        if isSame { return }
        seq += 1
        core.didTravel(to: nil, ActionContext(seq: seq, parent: nil, adopted: [], origin: origin), state: state)
    }

    private func follow(_ state: StateValue) {
        // If it cannot be encoded, the recorder has stopped, or is about to.
        isFollowing = (try? finder.follow(from: state)) != nil
    }

    private func stopFollowing() {
        finder.stopFollowing()
        isFollowing = false
    }

    // MARK: Steps

    func begin<Value>(_ name: String, _ state: Value) {
        // A task that the action started inherits its cause.
        guard lock.isMine, let core = running else { return }
        let number = steps[name]
        let own = state as? StateValue ?? Self.described?.wrapping(state) as? StateValue
        guard let number, number > step, let state = own else {
            guard reported.insert(name).inserted else { return }
            let reason =
                number == nil
                ? "the recorder's options do not list it"
                : own != nil ? "it began after a later one" : "its state is not that of the recorder"
            return core.report(RecordingError(.unknownStep, type: name, reason: reason))
        }
        end(upTo: number, state, core)
    }

    /// Ends the step that is under way, and all before `next`, which are left out.
    private func end(upTo next: Int, _ state: StateValue, _ core: Core) {
        while step < next {
            core.didRun(reducer: step, state: state)
            step += 1
        }
    }

    private func note(_ verb: String, _ value: Any, _ core: Core) {
        let described = (value as? any DescribedValue)?.described
        let hidden = core.redactors.actions.isActive || core.redactors.states.isActive
        let text =
            hidden
            ? ValueDescription.name(of: type(of: described ?? value))
            : described.map(ChangeText.bareName) ?? String("\(value)".prefix(200))
        core.note("\(verb) \(text)")
    }
}
