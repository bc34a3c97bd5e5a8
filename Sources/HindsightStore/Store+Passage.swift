extension Store {
    /// What a subscriber wanted done: it is done when the round of notifications is over.
    struct Waiting {
        enum Work {
            case action(Action, answering: Int?, unless: (() -> Bool)?)
            case travel(() -> Void)
        }

        let work: Work
        let origin: Origin
        let cause: Passage?
    }

    /// Sends an action through the middleware, in answer to the one that is under way, if there is one.
    @inlinable
    func pass(_ action: Action, from origin: Origin, answering seq: Int? = nil) {
        if let chain {
            track(action, from: origin, answering: seq) { chain.start(action) }
        } else if door.pointee.isBeingPassed || door.pointee.isWatched || door.pointee.isServingWaiting {
            // What a subscriber dispatched is tracked in any case, or a loop would never be seen.
            track(action, from: origin, answering: seq) { enterDoor(action) }
        } else {
            enterDoor(action)
        }
    }

    @inlinable
    func track(_ action: Action?, from origin: Origin, answering seq: Int? = nil, _ body: () -> Void) {
        let depth = door.pointee.beginPassage(from: origin, answering: seq)
        if door.pointee.hasObservers { tellOfPassage() }
        if depth <= DispatchLoop.unlooked || admits(action, depth) { body() }
        _ = door.pointee.endPassage()
    }

    /// Does what subscribers wanted done, first come first served.
    @usableFromInline
    func serveWaiting() {
        if door.pointee.hasWaiting && !door.pointee.isServingWaiting { serveAllWaiting() }
    }

    /// Apart, for what it begins with is to ask the runtime for its types.
    @inline(never)
    private func serveAllWaiting() {
        door.pointee.isServingWaiting = true
        if (door.pointee.passages.innermost?.depth ?? 1) == 1 { answers = Answers() }
        defer { door.pointee.isServingWaiting = false }
        while !waiting.isEmpty {
            let batch = waiting
            waiting.removeAll(keepingCapacity: true)
            for next in batch {
                let outer = door.pointee.passages.resume(next.cause)
                switch next.work {
                case .action(let action, let seq, let isCancelled):
                    if isCancelled?() != true { pass(action, from: next.origin, answering: seq) }
                case .travel(let travel): track(nil, from: next.origin, travel)
                }
                _ = door.pointee.passages.resume(outer)
                if door.pointee.hasObservers { tell(.subscribers(of: door.pointee.lastSeq)) }
            }
        }
    }
}
