extension AsyncSequence where Self: Sendable, Element: Sendable {
    /// Lets one value through at once, and then at most one an interval.
    ///
    /// ```swift
    /// for await name in store.values(\.name).throttle(for: .milliseconds(100)) { show(name) }
    /// ```
    ///
    /// The last value of a burst comes out when its interval is over, not only when the next burst begins; at the
    /// sequence's end it comes out at once.
    ///
    /// The sequence is read as fast as it gives values. Two are kept at most, the newest in place of older ones while
    /// the consumer is busy.
    ///
    /// - Parameters:
    ///   - interval: How long nothing more comes out after a value did.
    ///   - latest: Whether the newest value of an interval comes out at its end, or the oldest.
    ///   - clock: Measures the time.
    public func throttle<C: Clock>(
        for interval: C.Duration,
        latest: Bool = true,
        clock: C
    ) -> some AsyncSequence<Element, Failure> & Sendable {
        timed(Throttling(interval: interval, latest: latest), clock)
    }

    /// Lets one value through at once, and then at most one an interval of the continuous clock.
    public func throttle(
        for interval: Duration,
        latest: Bool = true
    ) -> some AsyncSequence<Element, Failure> & Sendable {
        throttle(for: interval, latest: latest, clock: ContinuousClock())
    }

    /// Lets a value through when no newer one has come for an interval.
    ///
    /// ```swift
    /// for await query in store.values(\.query).debounce(for: .milliseconds(300)) { await search(query) }
    /// ```
    ///
    /// At the sequence's end the last value comes out at once. The sequence is read as fast as it gives values. Two are
    /// kept at most, the newest in place of older ones while the consumer is busy.
    ///
    /// - Parameters:
    ///   - interval: How long it must be quiet.
    ///   - clock: Measures the time.
    public func debounce<C: Clock>(
        for interval: C.Duration,
        clock: C
    ) -> some AsyncSequence<Element, Failure> & Sendable {
        timed(Debouncing(interval: interval), clock)
    }

    /// Lets a value through when no newer one has come for an interval of the continuous clock.
    public func debounce(for interval: Duration) -> some AsyncSequence<Element, Failure> & Sendable {
        debounce(for: interval, clock: ContinuousClock())
    }

    private func timed<Machine: TimedMachine<Element, C.Instant>, C: Clock>(
        _ machine: Machine,
        _ clock: C
    ) -> OperatorSequence<Machine, Failure> {
        OperatorSequence(
            machine: machine,
            workers: [
                OperatorStorage.source(self, arrived: { $0.arrived($1, at: clock.now) }, finished: { $0.finished() }),
                OperatorStorage.alarm(clock),
            ]
        )
    }
}
