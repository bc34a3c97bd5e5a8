extension Store {
    /// The reducers' door: where an action gets its number, changes the state, and is told about.
    func enterDoor(_ action: Action) {
        // Middleware may let an action through from another thread, later.
        lock.lock()
        defer { lock.unlock() }
        precondition(phase == .idle, "Middleware let an action through while another one was being reduced.")
        lastSeq += 1
        if isPlain && !topics.wantsSteps {
            phase = .reducing
            for leaf in leaves {
                leaf.reduce(&cell.pointee, action)
            }
            phase = .idle
        } else {
            reduceObserved(action)
        }
        if topics.isEmpty { return }
        notify(Change(seq: lastSeq, isTravel: false))
    }

    private func reduceObserved(_ action: Action) {
        let context = makeContext()
        for observer in observers {
            observer.willReduce(action, context: context)
        }
        for (index, leaf) in leaves.enumerated() {
            phase = .reducing
            leaf.reduce(&cell.pointee, action)
            phase = .idle
            for observer in observers {
                observer.didRun(reducer: index + 1, state: cell.pointee)
            }
            past.add(step: index + 1, named: reducerNames[index], seq: lastSeq, state: cell)
            if topics.wantsSteps {
                tell(topics.round(after: .eachReducer, state: cell), Change(seq: lastSeq, isTravel: false))
            }
        }
        for observer in observers {
            observer.didReduce(state: cell.pointee)
        }
        past.add(action, context: context, state: cell)
    }

    /// Numbers the innermost action and settles who is whose parent.
    private func makeContext() -> ActionContext {
        // Middleware that calls `next` later, out of any dispatch, lets its action through with no passage.
        guard let passage = innermost else {
            return ActionContext(seq: lastSeq, parent: nil, adopted: [], origin: Origin(file: "", line: 0))
        }
        passage.seq = lastSeq
        let parent = passage.reducedAncestor
        if parent == nil { passage.parent?.reducedBefore.append(lastSeq) }
        return ActionContext(seq: lastSeq, parent: parent, adopted: passage.reducedBefore, origin: passage.origin)
    }

    /// Tells the subscribers whose value has changed, and then runs what they have dispatched.
    func notify(_ change: Change) {
        tell(topics.round(after: .action, state: cell), change)
        serveWaiting()
    }

    private func tell(_ round: Topics<State>.Round, _ change: Change) {
        if round.isEmpty { return }
        let outer = phase
        phase = .notifying
        round.tell(change)
        phase = outer
    }
}
