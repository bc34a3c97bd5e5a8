extension Store {
    /// Reduces an action about which nobody but the reducers wants to know.
    @inlinable
    func reducePlainly(_ action: Action) {
        door.pointee.lastSeq += 1
        door.pointee.phase = .reducing
        // By index: a leaf that is taken out as a whole is copied, its name too.
        for index in leaves.indices {
            leaves[index].reduce(&cell.pointee, action)
        }
        door.pointee.phase = .idle
    }

    /// The reducers' door: where an action gets its number, changes the state, and is told about.
    @inlinable
    func enterDoor(_ action: Action) {
        precondition(
            door.pointee.phase == .idle,
            "Middleware let an action through while another one was being reduced."
        )
        if door.pointee.isWatched || door.pointee.hasStepTopics {
            door.pointee.lastSeq += 1
            reduceObserved(action)
        } else {
            reducePlainly(action)
        }
        if door.pointee.hasTopics || door.pointee.hasStepTopics {
            notify(Change(seq: door.pointee.lastSeq, isTravel: false))
        }
        // Whoever has called `next` goes on, or nobody.
        if door.pointee.hasObservers && door.pointee.hasMiddleware { tellOfPassage() }
    }

    /// Reduces an action and tells those who want to know about it.
    @inlinable
    func reduceObserved(_ action: Action) {
        let context = makeContext()
        // What observers dispatch waits until the action is done, as what subscribers dispatch does.
        door.pointee.phase = .notifying
        let sole = soleObserver
        // Middleware that calls `next` later, out of any dispatch, lets its action through unannounced.
        if door.pointee.hasObservers && (sole == nil || !door.pointee.isBeingPassed) {
            tell(.betweenReducers(after: 0, of: context.seq))
        }
        tellObservers(sole) { $0.willReduce(action, context: context) }
        for index in leaves.indices {
            if tellsSteps { tell(.reducer(index + 1, of: context.seq)) }
            door.pointee.phase = .reducing
            leaves[index].reduce(&cell.pointee, action)
            door.pointee.phase = .notifying
            if tellsSteps { tell(.betweenReducers(after: index + 1, of: context.seq)) }
            tellObservers(sole) { $0.didRun(reducer: index + 1, state: cell.pointee) }
            if door.pointee.keepsPast || door.pointee.hasStepTopics { tellOfStep(index, of: context.seq) }
        }
        tellObservers(sole) { $0.didReduce(state: cell.pointee) }
        if door.pointee.keepsPast { keep(action, context) }
        door.pointee.phase = .idle
        // Where the last subscriber has gone meanwhile, nobody else does what it wanted done.
        if !door.pointee.hasTopics && !door.pointee.hasStepTopics { serveWaiting() }
    }

    /// Tells the observers; `sole` is the only one, where there is one.
    @inlinable @inline(__always)
    func tellObservers(
        _ sole: (any ReductionObserver<State, Action>)?,
        _ tell: (any ReductionObserver<State, Action>) -> Void
    ) {
        if let sole { return tell(sole) }
        for observer in observers { tell(observer) }
    }

    @usableFromInline
    func tellOfStep(_ index: Int, of seq: Int) {
        past.add(step: index + 1, named: reducerNames[index], seq: seq, state: cell)
        if door.pointee.hasStepTopics {
            tell(after: .eachReducer, Change(seq: seq, isTravel: false))
        }
    }

    @usableFromInline
    func keep(_ action: Action, _ context: ActionContext) {
        past.add(action, context: context, state: cell)
    }

    /// Numbers the innermost action and settles who is whose parent.
    @usableFromInline
    func makeContext() -> ActionContext {
        let lastSeq = door.pointee.lastSeq
        // Middleware that calls `next` later, out of any dispatch, lets its action through with no passage.
        guard let passage = door.pointee.passages.innermost else {
            return ActionContext(seq: lastSeq, parent: nil, adopted: [], origin: Origin(file: "", line: 0))
        }
        passage.seq = lastSeq
        let parent = passage.reducedAncestor
        if parent == nil { passage.parent?.reducedBefore.append(lastSeq) }
        return ActionContext(seq: lastSeq, parent: parent, adopted: passage.reducedBefore, origin: passage.origin)
    }

    /// Tells the subscribers whose value has changed, and then runs what they have dispatched.
    @usableFromInline
    func notify(_ change: Change) {
        if door.pointee.hasObservers { tell(.subscribers(of: door.pointee.lastSeq)) }
        tell(after: .action, change)
        serveWaiting()
    }

    func tell(after timing: Timing, _ change: Change) {
        let outer = door.pointee.phase
        // Already while values are selected and compared: that is the app's code too, and may dispatch.
        door.pointee.phase = .notifying
        topics.round(after: timing, state: cell).tell(change)
        door.pointee.phase = outer
    }
}
