/// The part of a dispatch that a store is in, as its observers are told.
///
/// A store handles one dispatch at a time, on the thread that holds its lock, so that there is one phase a store.
/// Dispatches from middleware, and those that subscribers asked for, are nested in another one: when a nested dispatch
/// ends, the phase is that of the dispatch around it.
///
/// ```swift
/// func didEnter(_ phase: DispatchPhase) {
///     if case .subscribers(let seq) = phase { print("subscribers hear of", seq) }
/// }
/// ```
public enum DispatchPhase: Sendable, Equatable {
    /// No dispatch is under way. `after` is the number of the last action, 0 before the first.
    case idle(after: Int)
    /// An action is in the middleware, observers included, and has no number yet. `after` is the number of the last
    /// action, `parent` that of the action that this one answers.
    case middleware(after: Int, parent: Int?, origin: Origin)
    /// The leaf with this number, from 1, runs in the action with number `seq`.
    case reducer(Int, of: Int)
    /// Within the reduction of the action with number `of`, no leaf runs: observers are told, or those subscribers that
    /// are told after each reducer. `after` says how many leaves have run.
    case betweenReducers(after: Int, of: Int)
    /// Subscribers are told of the action with number `of`.
    case subscribers(of: Int)
    /// The middleware goes on after the reduction of the action with number `of`. `after` is the number of the last action,
    /// which is a greater one where the middleware has dispatched.
    case unwinding(of: Int, after: Int)
}

extension Store {
    /// Tells the observers which phase begins.
    @usableFromInline
    func tell(_ phase: DispatchPhase) {
        if let soleObserver { return soleObserver.didEnter(phase) }
        for observer in observers { observer.didEnter(phase) }
    }

    /// Tells the observers where the innermost action is on its way through the middleware.
    @usableFromInline
    func tellOfPassage() {
        let lastSeq = door.pointee.lastSeq
        guard let passage = door.pointee.passages.innermost else { return tell(.idle(after: lastSeq)) }
        if let seq = passage.seq { return tell(.unwinding(of: seq, after: lastSeq)) }
        tell(.middleware(after: lastSeq, parent: passage.reducedAncestor, origin: passage.origin))
    }

    /// Whether code other than the leaves and the only observer runs between two leaves.
    @usableFromInline var tellsSteps: Bool {
        @inline(__always) get {
            door.pointee.hasObservers
                && (soleObserver == nil || door.pointee.hasStepTopics || door.pointee.keepsPast)
        }
    }
}
