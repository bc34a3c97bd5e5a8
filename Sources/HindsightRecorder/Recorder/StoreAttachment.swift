import HindsightFormat
import HindsightStore
import Synchronization

/// Observes one store, and passes on what it sees if that store is the recorded one.
final class StoreAttachment<StateValue: Codable & Sendable, ActionValue: Sendable>: ReducingObserver {
    private let core: RecorderCore<StateValue, ActionValue>
    private let isRecorded = Atomic(false)
    private let name = Name()

    /// The identity of an attachment. Unlike its address, no later attachment has the same.
    final class Name: Sendable {}

    init(to core: RecorderCore<StateValue, ActionValue>) {
        self.core = core
    }

    func storeStarted(
        initial: StateValue,
        reducer: Reducer<StateValue, ActionValue>,
        present: @escaping @Sendable () -> (state: StateValue, seq: Int)?
    ) {
        let isFirst = core.start(
            initial: initial,
            reducers: reducer.uniqueNames,
            leaves: reducer.leaves,
            present: present,
            from: name
        )
        if isFirst { isRecorded.store(true, ordering: .relaxed) }
    }

    func storeStarted(initial: StateValue, reducers: [String]) {
        let isFirst = core.start(initial: initial, reducers: reducers, leaves: nil, present: { nil }, from: name)
        if isFirst { isRecorded.store(true, ordering: .relaxed) }
    }

    func willReduce(_ action: ActionValue, context: ActionContext) {
        if isRecorded.load(ordering: .relaxed) { core.willReduce(action, context) }
    }

    func didRun(reducer: Int, state: StateValue) {
        if isRecorded.load(ordering: .relaxed) { core.didRun(reducer: reducer, state: state) }
    }

    func didReduce(state: StateValue) {
        if isRecorded.load(ordering: .relaxed) { core.didReduce(state: state) }
    }

    func didTravel(to seq: Int?, context: ActionContext, state: StateValue) {
        if isRecorded.load(ordering: .relaxed) { core.didTravel(to: seq, context, state: state) }
    }

    func didEnter(_ phase: DispatchPhase) {
        if isRecorded.load(ordering: .relaxed) { core.didEnter(phase) }
    }
}
