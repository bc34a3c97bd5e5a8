extension Store {
    /// Sets the state to that after an action of the store's history, without running any reducer.
    ///
    /// ```swift
    /// let store = Store(initial: AppState(), reducer: appReducer, history: .last(actions: 100))
    /// // …
    /// try store.travel(to: 3)
    /// ```
    ///
    /// Travel takes its place in the one order of actions, with a number of its own. Subscribers are told with
    /// ``Change/isTravel``, observers with ``ReductionObserver/didTravel(to:context:state:)``. Middleware is passed by,
    /// and no effect is started or cancelled.
    ///
    /// **History is a log:** travel adds a record (see ``HistoryRecord/isTravel``) and takes none away; what is
    /// dispatched afterwards goes on from the state that was travelled to, and those that were left can still be
    /// travelled to. To forget a future is the business of undo: see ``Middleware/undo(limit:coalescing:where:)``.
    ///
    /// In a subscriber it takes place when the round of notifications is over. It costs a look-up in the history, and
    /// the state is shared with it, not copied.
    ///
    /// - Parameters:
    ///   - seq: A record's number; 0 is the initial state, while that is kept.
    ///   - fileID: The caller's file.
    ///   - line: The caller's line.
    /// - Throws: ``TravelError`` where history does not hold that record, or not any more.
    public func travel(to seq: Int, fileID: String = #fileID, line: Int = #line) throws(TravelError) {
        lock.lock()
        defer { lock.unlock() }
        guard let record = past.records.first(where: { $0.seq == seq }) else {
            let kept = past.records.all
            throw TravelError(seq: seq, first: kept.first?.seq, last: kept.last?.seq)
        }
        travel(from: Origin(file: fileID, line: line)) { self.arrive(at: record.state, of: seq) }
    }

    /// Sets the state to a given one, without running any reducer.
    ///
    /// As ``travel(to:fileID:line:)``, but the state need not be one of the store's past.
    public func travel(toState state: State, fileID: String = #fileID, line: Int = #line) {
        lock.lock()
        defer { lock.unlock() }
        travel(from: Origin(file: fileID, line: line)) { self.arrive(at: state, of: nil) }
    }

    /// Travels now or, in a subscriber, when the round of notifications is over.
    func travel(from origin: Origin, _ journey: @escaping () -> Void) {
        switch door.pointee.phase {
        case .idle:
            track(nil, from: origin, journey)
            if door.pointee.hasObservers { tellOfPassage() }
        case .notifying:
            waiting.append(Waiting(work: .travel(journey), origin: origin, cause: door.pointee.passages.innermost))
        case .reducing:
            preconditionFailure(
                """
                A reducer travelled in time (\(origin)). Reducers only change their state: change it there directly, \
                or travel once the action has passed.
                """
            )
        }
    }

    /// The end of a journey: the state is there, and everybody is told.
    func arrive(at state: State, of seq: Int?) {
        door.pointee.lastSeq += 1
        let context = makeContext()
        door.pointee.phase = .notifying
        cell.pointee = state
        for observer in observers {
            observer.didTravel(to: seq, context: context, state: state)
        }
        past.add(travelTo: seq, seq: context.seq, state: cell)
        door.pointee.phase = .idle
        let change = Change(seq: seq ?? context.seq, isTravel: true)
        if door.pointee.hasStepTopics { tell(after: .eachReducer, change) }
        notify(change)
    }
}
