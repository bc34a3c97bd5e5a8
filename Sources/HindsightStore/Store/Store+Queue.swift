/// Subscribers and observers cannot dispatch at once: their actions wait in a queue until the round of notifications
/// is over.
extension Store {
    struct QueuedWork {
        enum Work {
            case action(ActionValue, answering: Int?, unless: (() -> Bool)?)
            /// A change of state without an action.
            case transition(() -> Void)
        }

        let work: Work
        let origin: Origin
        /// The frame to continue on.
        let cause: DispatchFrame?
    }

    @usableFromInline
    func enqueue(_ action: ActionValue, from origin: Origin, answering seq: Int?, unless isCancelled: (() -> Bool)?) {
        if !mayEnqueue(action, from: origin) { return }
        enqueue(.action(action, answering: seq, unless: isCancelled), from: origin)
    }

    @inline(__always)
    func enqueue(_ work: QueuedWork.Work, from origin: Origin) {
        queue.append(QueuedWork(work: work, origin: origin, cause: dispatchState.pointee.stack.innermost))
        if dispatchState.pointee.queue == .empty { dispatchState.pointee.queue = .waiting }
    }

    /// Runs the queue in order, unless a call further up on the stack does so.
    ///
    /// - Parameter isAnswering: Whether the queued actions answer one that the store has just reduced. If that action
    ///   has no frame, it still counts as the first of a chain of answers.
    @usableFromInline
    func runQueue(isAnswering: Bool = true) {
        if dispatchState.pointee.queue == .waiting { drainQueue(isAnswering: isAnswering) }
    }

    /// A function of its own, because it begins with a look-up of type metadata.
    @inline(never)
    private func drainQueue(isAnswering: Bool) {
        dispatchState.pointee.queue = .running
        if (dispatchState.pointee.stack.innermost?.depth ?? 1) == 1 { loopDetector = LoopDetector() }
        dispatchState.pointee.stack.baseDepth = isAnswering ? 1 : 0
        defer {
            dispatchState.pointee.stack.baseDepth = 0
            dispatchState.pointee.queue = .empty
        }
        while !queue.isEmpty {
            let batch = queue
            queue.removeAll(keepingCapacity: true)
            for next in batch {
                let outer = dispatchState.pointee.stack.resume(next.cause)
                switch next.work {
                case .action(let action, let seq, let isCancelled):
                    if isCancelled?() != true { process(action, from: next.origin, answering: seq) }
                case .transition(let transition): withFrame(for: nil, from: next.origin, transition)
                }
                _ = dispatchState.pointee.stack.resume(outer)
                if dispatchState.pointee.has(.observers) { announce(.subscribers(of: dispatchState.pointee.lastSeq)) }
            }
        }
    }
}

// MARK: Loops

extension Store {
    /// Whether the innermost action, an answer to another one, may proceed. Only answers to answers count: an action
    /// may have any number of answers of its own.
    @usableFromInline
    func admits(_ action: ActionValue?, depth: Int) -> Bool {
        if depth <= DispatchLoop.untracedDepth {
            // Middleware starts a new count for each answer. The answers of subscribers share one, as they run
            // together.
            if dispatchState.pointee.queue != .running { loopDetector = LoopDetector() }
            dispatchState.pointee.beginChain()
            return !loopDetector.isExhausted
        }
        dispatchState.pointee.stack.trace(action)
        let hasStack = dispatchState.pointee.hasStack(for: depth)
        switch loopDetector.admit(depth: depth, hasStack: hasStack) {
        case .proceed:
            return true
        case .drop(let isReported):
            if isReported {
                let isDeep = depth > DispatchLoop.maxDepth || !hasStack
                reportLoop(isBroad: !isDeep, stackDepth: hasStack ? nil : depth - 1)
            }
            return false
        }
    }

    /// Whether the queue takes one more action.
    private func mayEnqueue(_ action: ActionValue, from origin: Origin) -> Bool {
        guard queue.count >= DispatchLoop.maxAnswers, let innermost = dispatchState.pointee.stack.innermost else {
            return true
        }
        if innermost.depth < DispatchLoop.untracedDepth { return true }
        if case .drop(isReported: true) = loopDetector.exhaust() {
            reportLoop(isBroad: true, endingIn: DispatchLoop.Step(action: "\(action)", origin: origin))
        }
        return false
    }

    private func reportLoop(isBroad: Bool, stackDepth: Int? = nil, endingIn last: DispatchLoop.Step? = nil) {
        var steps = last.map { [$0] } ?? []
        var next = dispatchState.pointee.stack.innermost
        while let frame = next, steps.count < DispatchLoop.reportedSteps {
            let isTraced = frame.depth > DispatchLoop.untracedDepth
            let action = frame.action.map { "\($0)" } ?? (isTraced ? "time travel" : "an action")
            steps.append(DispatchLoop.Step(action: action, origin: frame.origin))
            next = frame.parent
        }
        onLoop(DispatchLoop(steps: steps.reversed(), isBroad: isBroad, stackDepth: stackDepth))
    }
}
