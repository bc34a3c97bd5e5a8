extension Store {
    /// The states after the last actions, oldest first, as many as the store's ``HistoryLimit`` allows.
    public var history: [HistoryRecord<StateValue, ActionValue>] {
        lock.withLock { historyBuffer.records.all }
    }

    /// The states after the last reducer runs, oldest first, as many as the store's ``HistoryLimit`` allows.
    public var microHistory: [MicroHistoryRecord<StateValue>] {
        lock.withLock { historyBuffer.steps.all }
    }
}

extension Store {
    /// Sets the state to the state after an action of the store's history, without running any reducer.
    ///
    /// ```swift
    /// let store = Store(initial: AppState(), reducer: appReducer, history: .last(actions: 100))
    /// // …
    /// try store.travel(to: 3)
    /// ```
    ///
    /// Travel takes its place in the total order of actions and has a number of its own. Subscribers receive a change
    /// with ``StateChange/isTravel``, observers a call of ``ReductionObserver/didTravel(to:context:state:)``. Travel
    /// does not pass through middleware, and neither starts nor cancels effects.
    ///
    /// **History is a log.** Travel adds a record (see ``HistoryRecord/isTravel``) and removes none. Later actions
    /// continue from the state that you travelled to, and you can still travel to the states that you left. For a
    /// history that forgets its future, see ``Middleware/undo(of:limit:coalescing:where:)``.
    ///
    /// In a subscriber, travel takes place after the round of notifications. It costs a linear search of the history.
    /// The state shares its storage with the record.
    ///
    /// - Parameters:
    ///   - seq: A record's number. 0 is the initial state, as long as history holds it.
    ///   - fileID: The caller's file.
    ///   - line: The caller's line.
    /// - Throws: ``TravelError`` if history does not hold that record.
    public func travel(to seq: Int, fileID: String = #fileID, line: Int = #line) throws(TravelError) {
        lock.lock()
        defer { lock.unlock() }
        guard let record = historyBuffer.records.first(where: { $0.seq == seq }) else {
            let kept = historyBuffer.records.all
            throw TravelError(seq: seq, first: kept.first?.seq, last: kept.last?.seq)
        }
        travel(from: Origin(file: fileID, line: line)) { self.arrive(at: record.state, of: seq) }
    }

    /// Sets the state to a given one, without running any reducer.
    ///
    /// Like ``travel(to:fileID:line:)``, but the state need not be from the store's history.
    public func travel(toState state: StateValue, fileID: String = #fileID, line: Int = #line) {
        lock.lock()
        defer { lock.unlock() }
        travel(from: Origin(file: fileID, line: line)) { self.arrive(at: state, of: nil) }
    }

    /// Travels now or, in a subscriber, after the round of notifications.
    func travel(from origin: Origin, _ transition: @escaping () -> Void) {
        switch dispatchState.pointee.phase {
        case .idle:
            withFrame(for: nil, from: origin, transition)
            if dispatchState.pointee.has(.observers) { announceFrame() }
        case .betweenReducers, .notifying:
            enqueue(.transition(transition), from: origin)
        case .reducing:
            fatalError(
                """
                A reducer travelled in time (\(origin)). Reducers only change their state: change it there directly, \
                or travel once the action has passed.
                """
            )
        }
    }

    /// Sets the state and notifies observers and subscribers.
    func arrive(at state: StateValue, of seq: Int?) {
        dispatchState.pointee.lastSeq += 1
        let lastSubscription = dispatchState.pointee.lastSubscription
        let context = makeContext()
        // Until all subscribers with the timing `.eachReducer` know the state, as in an action.
        dispatchState.pointee.phase = .betweenReducers
        if dispatchState.pointee.has(.readers) {
            handle.core.stateLock.withLock { statePointer.pointee = state }
        } else {
            statePointer.pointee = state
        }
        for observer in observers {
            observer.didTravel(to: seq, context: context, state: state)
        }
        keepInHistory(nil, travelledTo: seq, seq: context.seq)
        let cause = ChangeCause(seq: seq ?? context.seq, isTravel: true)
        if dispatchState.pointee.has(.stepSubscribers) {
            notify(.eachReducer, upTo: lastSubscription, cause)
        }
        dispatchState.pointee.phase = .idle
        notifySubscribers(upTo: lastSubscription, cause)
    }
}
