import HindsightSupport

extension StateSignal {
    /// Emits one value at once, and then at most one an interval.
    ///
    /// Emits the first value of a burst on the dispatching thread, and the last one in a task, at the end of the
    /// interval. Keeps at most two values.
    ///
    /// - Parameters:
    ///   - interval: The least time between two values.
    ///   - latest: Whether to emit the newest value of an interval at its end, instead of the oldest.
    ///   - clock: The clock to measure with.
    public func throttle<C: Clock<Duration>>(
        for interval: Duration,
        latest: Bool = true,
        clock: C = ContinuousClock()
    ) -> StateSignal {
        timed(.throttle(latest: latest), interval, clock)
    }

    /// Emits a value when no newer one has arrived for an interval.
    ///
    /// Emits each value in a task. Keeps at most two values.
    ///
    /// - Parameters:
    ///   - interval: The time without a newer value.
    ///   - clock: The clock to measure with.
    public func debounce<C: Clock<Duration>>(for interval: Duration, clock: C = ContinuousClock()) -> StateSignal {
        timed(.debounce, interval, clock)
    }

    private func timed<C: Clock<Duration>>(
        _ kind: TimedOperator<Value, C.Instant>.Kind,
        _ interval: Duration,
        _ clock: C
    ) -> StateSignal {
        StateSignal(topics: topics, isSame: isSame) { receive in
            let relay = TimedRelay(TimedOperator(kind, interval: interval), clock, SerialEmitter(receive))
            let end = EndOfSource { relay.finish() }
            let upstream = start { value in
                withExtendedLifetime(end) { relay.receive(value) }
            }
            return SubscriptionToken { waits in
                upstream.end(waits: waits)
                relay.cancel()
            }
        }
    }
}

/// Runs a timed operator for one subscription: on the dispatching thread, and in a task when time has passed.
private final class TimedRelay<Value: Sendable, C: Clock>: Sendable {
    private struct State {
        var timing: TimedOperator<Value, C.Instant>
        var alarm: Task<Void, Never>?
        var isCancelled = false
        /// Whether no value will be received.
        var isFinished = false

        /// Whether no value will be emitted.
        var isOver: Bool { isFinished && alarm == nil }
    }

    private let state: Locked<State>
    private let clock: C
    private let emitter: SerialEmitter<Value>

    init(_ timing: TimedOperator<Value, C.Instant>, _ clock: C, _ emitter: SerialEmitter<Value>) {
        state = Locked(State(timing: timing))
        self.clock = clock
        self.emitter = emitter
    }

    func receive(_ value: Value) {
        change { state in
            state.timing.receive(value, at: clock.now)
            // One task sleeps for a whole burst: when it wakes up, it checks for a later deadline.
            if state.timing.deadline != nil, state.alarm == nil, !state.isCancelled {
                state.alarm = Task { await self.sleep() }
            }
        }
    }

    /// Releases the receiver once the delayed value is emitted. Call it when the source is gone.
    func finish() {
        let isOver = state.withLock { state in
            state.isFinished = true
            return state.isOver
        }
        if isOver { emitter.finish() }
    }

    func cancel() {
        let alarm = state.withLock { state in
            state.isCancelled = true
            return state.alarm
        }
        alarm?.cancel()
        emitter.close()
    }

    private func sleep() async {
        while let deadline = nextDeadline() {
            do {
                try await clock.sleep(until: deadline, tolerance: nil)
            } catch {
                // The subscription was cancelled.
                return
            }
            change { $0.timing.wake(at: clock.now) }
        }
        if state.withLock(\.isOver) { emitter.finish() }
    }

    private func nextDeadline() -> C.Instant? {
        state.withLock { state in
            if state.timing.deadline == nil || state.isCancelled { state.alarm = nil }
            return state.isCancelled ? nil : state.timing.deadline
        }
    }

    private func change(_ body: (inout State) -> Void) {
        var replaced: Value?
        let old = state.withLock { state in
            let old = state.timing
            body(&state)
            // Posted within the lock, so that values keep their order.
            if let value = state.timing.take() { replaced = emitter.post(value) }
            return old
        }
        emitter.drain()
        // Released only now: the end of a value may dispatch.
        withExtendedLifetime((old, replaced)) {}
    }
}
