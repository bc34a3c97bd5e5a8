import HindsightFormat
import HindsightStore
import Synchronization

/// Observes the reduction of one store, and forwards it to the recorder if that store is the recorded one.
final class StoreAttachment<State: Codable & Sendable, Action: Sendable>: ReductionObserver {
    private let core: RecorderCore<State, Action>
    private let isRecorded = Atomic(false)
    private let name = Name()

    /// Identifies the attachment, even if another one takes its address later.
    final class Name: Sendable {}

    init(to core: RecorderCore<State, Action>) {
        self.core = core
    }

    func storeStarted(initial: State, reducers: [String]) {
        let isFirst = core.start(initial: initial, reducers: reducers, from: name)
        if isFirst { isRecorded.store(true, ordering: .relaxed) }
    }

    func willReduce(_ action: Action, context: ActionContext) {
        if isRecorded.load(ordering: .relaxed) { core.willReduce(action, context) }
    }

    func didRun(reducer: Int, state: State) {
        if isRecorded.load(ordering: .relaxed) { core.didRun(reducer: reducer, state: state) }
    }

    func didReduce(state: State) {
        if isRecorded.load(ordering: .relaxed) { core.didReduce(state: state) }
    }

    func didTravel(to seq: Int?, context: ActionContext, state: State) {
        if isRecorded.load(ordering: .relaxed) { core.didTravel(to: seq, context, state: state) }
    }

    func didEnter(_ phase: DispatchPhase) {
        if isRecorded.load(ordering: .relaxed) { core.didEnter(phase) }
    }
}
