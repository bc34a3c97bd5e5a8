import HindsightSupport

extension StateSignal {
    /// Lets one value through at once, and then at most one an interval.
    ///
    /// The first value of a burst is told on the dispatching thread; the last one by a task, when the interval is over.
    /// Two values are kept at most.
    ///
    /// - Parameters:
    ///   - interval: How long nothing more comes out after a value did.
    ///   - latest: Whether the newest value of an interval comes out at its end, or the oldest.
    ///   - clock: Measures the time.
    public func throttle<C: Clock>(for interval: C.Duration, latest: Bool = true, clock: C) -> StateSignal {
        timed(clock) { Throttling(interval: interval, latest: latest) }
    }

    /// Lets one value through at once, and then at most one an interval of the continuous clock.
    public func throttle(for interval: Duration, latest: Bool = true) -> StateSignal {
        throttle(for: interval, latest: latest, clock: ContinuousClock())
    }

    /// Lets a value through when no newer one has come for an interval.
    ///
    /// Each value is told by a task. Two are kept at most.
    ///
    /// - Parameters:
    ///   - interval: How long it must be quiet.
    ///   - clock: Measures the time.
    public func debounce<C: Clock>(for interval: C.Duration, clock: C) -> StateSignal {
        timed(clock) { Debouncing(interval: interval) }
    }

    /// Lets a value through when no newer one has come for an interval of the continuous clock.
    public func debounce(for interval: Duration) -> StateSignal {
        debounce(for: interval, clock: ContinuousClock())
    }

    private func timed<Machine: TimedMachine<Value, C.Instant>, C: Clock>(
        _ clock: C,
        _ makeMachine: @escaping @Sendable () -> Machine
    ) -> StateSignal {
        StateSignal(isSame: isSame) { receive in
            let relay = TimedRelay(makeMachine(), clock, Outlet(receive))
            let upstream = start { relay.receive($0) }
            return Subscription(
                EndingOnce {
                    upstream.cancel()
                    relay.end()
                }
            )
        }
    }
}

/// Runs a timed machine for one subscription: in time on the dispatching thread, and by a task when time has passed.
private final class TimedRelay<Machine: TimedMachine, C: Clock>: Sendable where C.Instant == Machine.Instant {
    private struct State {
        var machine: Machine
        var alarm: Task<Void, Never>?
        var hasEnded = false
    }

    private let state: Locked<State>
    private let clock: C
    private let outlet: Outlet<Machine.Output>

    init(_ machine: Machine, _ clock: C, _ outlet: Outlet<Machine.Output>) {
        state = Locked(State(machine: machine))
        self.clock = clock
        self.outlet = outlet
    }

    func receive(_ value: Machine.Output) {
        change { state in
            state.machine.arrived(value, at: clock.now)
            // A task sleeps for a burst as a whole: it looks for a later deadline when it wakes up.
            if state.machine.deadline != nil, state.alarm == nil, !state.hasEnded {
                state.alarm = Task { await self.sleep() }
            }
        }
    }

    func end() {
        let alarm = state.withLock { state in
            state.hasEnded = true
            return state.alarm
        }
        alarm?.cancel()
        outlet.close()
    }

    private func sleep() async {
        while let deadline = nextDeadline() {
            do {
                try await clock.sleep(until: deadline, tolerance: nil)
            } catch {
                // Cancelled: the subscription has ended.
                return
            }
            change { $0.machine.woken(at: clock.now) }
        }
    }

    private func nextDeadline() -> Machine.Instant? {
        state.withLock { state in
            if state.machine.deadline == nil || state.hasEnded { state.alarm = nil }
            return state.hasEnded ? nil : state.machine.deadline
        }
    }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            // Posted within the lock, so that values leave in the order in which they arose.
            if let value = state.machine.take() { outlet.post(value) }
        }
        outlet.drain()
    }
}
