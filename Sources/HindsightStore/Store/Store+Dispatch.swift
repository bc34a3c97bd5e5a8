/// The way of an action: the fast path or the middleware, then the reducers, then the subscribers.
extension Store {
    /// Runs the reducers and nothing else.
    @inlinable
    func runReducers(_ action: ActionValue) {
        dispatchState.pointee.lastSeq += 1
        dispatchState.pointee.phase = .reducing
        // By index: taking a leaf out of the array would retain its name and its closure.
        for index in leaves.indices {
            leaves[index].reduce(&statePointer.pointee, action)
        }
        dispatchState.pointee.phase = .idle
    }

    @inlinable
    func dispatchSlowPath(
        _ action: ActionValue,
        from origin: Origin,
        answering seq: Int? = nil,
        unless isCancelled: (() -> Bool)? = nil
    ) {
        switch dispatchState.pointee.phase {
        case .idle:
            process(action, from: origin, answering: seq)
            if dispatchState.pointee.has(.observers) { announceFrame() }
        case .betweenReducers, .notifying:
            enqueue(action, from: origin, answering: seq, unless: isCancelled)
        case .reducing:
            refuseDispatchInReducer(origin)
        }
    }

    /// Sends an action through the middleware, in answer to the innermost one if there is one.
    @inlinable
    func process(_ action: ActionValue, from origin: Origin, answering seq: Int? = nil) {
        if let chain {
            withFrame(for: action, from: origin, answering: seq) { chain.start(action) }
        } else if dispatchState.pointee.hasFrames || dispatchState.pointee.isObserved
            || dispatchState.pointee.queue == .running
        {
            // Queued actions get a frame in any case: the loop detector counts frames.
            withFrame(for: action, from: origin, answering: seq) { reduce(action) }
        } else {
            reduce(action)
        }
    }

    @inlinable
    func withFrame(for action: ActionValue?, from origin: Origin, answering seq: Int? = nil, _ body: () -> Void) {
        let depth = dispatchState.pointee.stack.push(from: origin, answering: seq)
        let passedLayers = dispatchState.pointee.passedLayers
        dispatchState.pointee.passedLayers = 0
        if dispatchState.pointee.has(.observers) { announceFrame() }
        if depth <= DispatchLoop.uncheckedDepth || admits(action, depth: depth) { body() }
        dispatchState.pointee.passedLayers = passedLayers
        _ = dispatchState.pointee.stack.pop()
    }

    /// Passes on an action in a frame of its own, if a layer calls `next` once more: what the layers after it dispatch
    /// answers this action, and not the one before.
    @usableFromInline
    func passAgain(_ action: ActionValue, from layer: Int, to next: Middleware<StateValue, ActionValue>.Next) {
        guard let frame = dispatchState.pointee.stack.innermost else { return next(action) }
        _ = dispatchState.pointee.stack.resume(frame.parent)
        withFrame(for: action, from: frame.origin, answering: frame.answered) {
            dispatchState.pointee.passedLayers = layer
            next(action)
        }
        _ = dispatchState.pointee.stack.resume(frame)
        if dispatchState.pointee.has(.observers) { announceFrame() }
    }

    /// Runs `body` in a frame that may have been popped: see ``Dispatcher/bound(_:)``.
    func run(in frame: DispatchFrame, _ body: () -> Void) {
        if dispatchState.pointee.stack.innermost === frame { return body() }
        let outer = dispatchState.pointee.stack.resume(frame.seq == nil ? frame : frame.parent)
        if frame.seq == nil {
            let passedLayers = dispatchState.pointee.passedLayers
            dispatchState.pointee.passedLayers = 0
            if dispatchState.pointee.has(.observers) { announceFrame() }
            body()
            dispatchState.pointee.passedLayers = passedLayers
        } else {
            withFrame(for: nil, from: frame.origin, answering: frame.answered, body)
        }
        _ = dispatchState.pointee.stack.resume(outer)
        if dispatchState.pointee.has(.observers) { announceFrame() }
    }

    /// The middleware of a store, composed around its reduction.
    @usableFromInline
    struct MiddlewareChain: Sendable {
        @usableFromInline let start: Middleware<StateValue, ActionValue>.Next

        /// Nests the layers, the first outermost. `nil` if there are none.
        @inlinable
        init?(_ middleware: [Middleware<StateValue, ActionValue>], around handle: StoreHandle) {
            let layers = middleware.flatMap { $0.layers }
            if layers.isEmpty { return nil }
            let getState: @Sendable () -> StateValue = { handle.state }
            let dispatch = handle.dispatcher
            var next: Middleware<StateValue, ActionValue>.Next = { action in
                handle.withStore { $0.reduce(action) }
            }
            for (index, layer) in layers.enumerated().reversed() {
                let inner = next
                next = layer.make(getState, dispatch)({ action in handle.pass(action, from: index + 1, to: inner) })
            }
            start = next
        }
    }

    /// Numbers an action that has passed the middleware, runs the reducers and notifies the subscribers.
    @inlinable
    func reduce(_ action: ActionValue) {
        if dispatchState.pointee.phase != .idle { refuseNext() }
        let lastSubscription = dispatchState.pointee.lastSubscription
        let isShared = dispatchState.pointee.has(.readers)
        if isShared { handle.core.stateLock.lock() }
        let isObserved = dispatchState.pointee.isObserved || dispatchState.pointee.has(.stepSubscribers)
        if isObserved {
            dispatchState.pointee.lastSeq += 1
            reduceObserved(action)
        } else {
            runReducers(action)
        }
        if isShared { handle.core.stateLock.unlock() }
        if dispatchState.pointee.has(.allSubscribers) {
            notifySubscribers(
                upTo: lastSubscription,
                ChangeCause(seq: dispatchState.pointee.lastSeq, isTravel: false)
            )
        } else if isObserved {
            // Observers may have dispatched, or subscribers that are gone: without subscribers, no notification runs
            // the queue.
            runQueue()
        }
        // The middleware that called `next` continues.
        if dispatchState.pointee.has(.observers) && dispatchState.pointee.has(.middleware) { announceFrame() }
    }

    /// Runs the reducers, and calls the observers and the subscribers with the timing `.eachReducer` in between.
    @inlinable
    func reduceObserved(_ action: ActionValue) {
        let context = makeContext()
        // Observers may dispatch, and reducers must not, so the phase changes around each reducer.
        dispatchState.pointee.phase = .betweenReducers
        let sole = soleObserver
        // No frame announced this action if middleware calls `next` outside of a dispatch.
        if dispatchState.pointee.has(.observers) && (sole == nil || !dispatchState.pointee.hasFrames) {
            announce(.betweenReducers(after: 0, of: context.seq))
        }
        forEachObserver(sole) { $0.willReduce(action, context: context) }
        for index in leaves.indices {
            let lastSubscription = dispatchState.pointee.lastSubscription
            if announcesReducers { announce(.reducer(index + 1, of: context.seq)) }
            dispatchState.pointee.phase = .reducing
            leaves[index].reduce(&statePointer.pointee, action)
            dispatchState.pointee.phase = .betweenReducers
            if announcesReducers { announce(.betweenReducers(after: index + 1, of: context.seq)) }
            forEachObserver(sole) { $0.didRun(reducer: index + 1, state: statePointer.pointee) }
            if dispatchState.pointee.has(.stepFollowers) {
                finishStep(index, of: context.seq, upTo: lastSubscription)
            }
        }
        forEachObserver(sole) { $0.didReduce(state: statePointer.pointee) }
        if dispatchState.pointee.has(.history) { keepInHistory(action, seq: context.seq) }
        dispatchState.pointee.phase = .idle
    }

    /// - Parameter sole: The only observer, if there is exactly one.
    @inlinable @inline(__always)
    func forEachObserver(
        _ sole: (any ReductionObserver<StateValue, ActionValue>)?,
        _ body: (any ReductionObserver<StateValue, ActionValue>) -> Void
    ) {
        if let sole { return body(sole) }
        for observer in observers { body(observer) }
    }

    @usableFromInline
    func finishStep(_ index: Int, of seq: Int, upTo lastSubscription: Int) {
        if historyBuffer.keepsSteps {
            var step = MicroHistoryRecord(
                seq: seq,
                reducer: index + 1,
                name: reducerNames[index],
                state: statePointer.pointee
            )
            historyBuffer.steps.append(&step)
            withExtendedLifetime(step) {}
        }
        if dispatchState.pointee.has(.stepSubscribers) {
            notify(.eachReducer, upTo: lastSubscription, ChangeCause(seq: seq, isTravel: false))
        }
    }

    @usableFromInline
    func keepInHistory(_ action: ActionValue?, travelledTo: Int? = nil, seq: Int) {
        guard historyBuffer.keepsRecords else { return }
        var record = HistoryRecord(seq: seq, action: action, travelledTo: travelledTo, state: statePointer.pointee)
        historyBuffer.records.append(&record)
        withExtendedLifetime(record) {}
    }

    /// Numbers the innermost action, and settles its parent and children.
    @usableFromInline
    func makeContext() -> ActionContext {
        let lastSeq = dispatchState.pointee.lastSeq
        // There is no frame if middleware calls `next` outside of a dispatch.
        guard let frame = dispatchState.pointee.stack.innermost else {
            return ActionContext(seq: lastSeq, parent: nil, adopted: [], origin: .unknown)
        }
        frame.seq = lastSeq
        let parent = frame.reducedAncestor
        if parent == nil { frame.parent?.reducedBefore.append(lastSeq) }
        return ActionContext(seq: lastSeq, parent: parent, adopted: frame.reducedBefore, origin: frame.origin)
    }

    /// Calls the subscribers whose value has changed, and then runs what they have dispatched.
    ///
    /// - Parameters:
    ///   - lastSubscription: The last subscription before the action.
    ///   - cause: What changed the state.
    @usableFromInline
    func notifySubscribers(upTo lastSubscription: Int, _ cause: ChangeCause) {
        if dispatchState.pointee.has(.observers) { announce(.subscribers(of: dispatchState.pointee.lastSeq)) }
        notify(.action, upTo: lastSubscription, cause)
        if topics.hasLateSubscribers { whileNotifying { topics.startLateSubscribers() } }
        runQueue()
    }

    func notify(_ timing: SubscriptionTiming, upTo lastSubscription: Int, _ cause: ChangeCause) {
        // The phase covers selectors and `==` as well: they are the app's code, and may dispatch.
        whileNotifying { topics.round(timing, upTo: lastSubscription, state: statePointer).notify(cause) }
    }

    /// Calls the app's code as a round of notifications: what it dispatches waits in the queue.
    func whileNotifying<Result>(_ body: () -> Result) -> Result {
        let outer = dispatchState.pointee.phase
        if outer != .betweenReducers { dispatchState.pointee.phase = .notifying }
        defer { dispatchState.pointee.phase = outer }
        return body()
    }
}

@usableFromInline
func refuseNext() -> Never {
    fatalError(
        """
        Middleware called `next` while the store was reducing another action or calling subscribers. Call it in \
        middleware, or outside of a dispatch; in a subscriber, dispatch an action instead.
        """
    )
}

@usableFromInline
func refuseDispatchInReducer(_ origin: Origin) -> Never {
    fatalError(
        """
        A reducer dispatched an action (\(origin)). Reducers only change their state: change it there directly, \
        or dispatch from middleware once the action that starts it has passed.
        """
    )
}

// MARK: Phases

extension Store {
    /// Tells the observers which phase begins.
    @usableFromInline
    func announce(_ phase: DispatchPhase) {
        if let soleObserver { return soleObserver.didEnter(phase) }
        for observer in observers { observer.didEnter(phase) }
    }

    /// Tells the observers where the innermost action is in the middleware.
    @usableFromInline
    func announceFrame() {
        let lastSeq = dispatchState.pointee.lastSeq
        guard let frame = dispatchState.pointee.stack.innermost else { return announce(.idle(after: lastSeq)) }
        if let seq = frame.seq { return announce(.unwinding(of: seq, after: lastSeq)) }
        announce(.middleware(after: lastSeq, parent: frame.reducedAncestor, origin: frame.origin))
    }

    /// Whether code other than the reducers and a sole observer runs between two reducers. A sole observer needs no
    /// phase to tell its own code from the reducers.
    @usableFromInline var announcesReducers: Bool {
        @inline(__always) get {
            dispatchState.pointee.has(.observers)
                && (soleObserver == nil || dispatchState.pointee.has(.stepFollowers))
        }
    }
}
