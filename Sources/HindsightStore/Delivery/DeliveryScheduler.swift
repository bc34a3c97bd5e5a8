import HindsightSupport

/// Delivers one subscription's values on its actor, queue or executor.
final class DeliveryScheduler<Value: Sendable>: Sendable {
    private let buffer: LatestValueBuffer<Value>
    /// Schedules a call of ``deliver(_:)``.
    private let schedule: @Sendable (DeliveryScheduler) -> Void
    /// Delivers at once if the caller is in the right place, and returns whether it did.
    private let deliverHere: @Sendable (DeliveryScheduler) -> Bool

    init(
        isSame: (@Sendable (Value, Value) -> Bool)?,
        deliverHere: @escaping @Sendable (DeliveryScheduler) -> Bool = { _ in false },
        schedule: @escaping @Sendable (DeliveryScheduler) -> Void
    ) {
        buffer = LatestValueBuffer(isSame: isSame)
        self.deliverHere = deliverHere
        self.schedule = schedule
    }

    /// Subscribes to what `start` subscribes to.
    func follow(_ start: (@escaping @Sendable (Value) -> Void) -> SubscriptionToken) -> SubscriptionToken {
        let upstream = start { self.send($0) }
        let buffer = buffer
        return SubscriptionToken { waits in
            upstream.end(waits: waits)
            buffer.close()
        }
    }

    /// Delivers the buffered value, as scheduled. Schedules a value that arrives meanwhile anew, so that other work may
    /// run in between.
    func deliver(_ receive: (Value) -> Void) {
        _ = buffer.deliver(asScheduled: true, receive)
        scheduleIfNeeded()
    }

    /// Delivers the buffered value within a dispatch, and all values that arrive meanwhile.
    func deliverAtOnce(_ receive: (Value) -> Void) {
        while buffer.deliver(asScheduled: false, receive) {}
    }

    private func send(_ value: Value) {
        buffer.put(value)
        if !deliverHere(self) { scheduleIfNeeded() }
    }

    private func scheduleIfNeeded() {
        if buffer.needsDelivery() { schedule(self) }
    }
}

extension DeliveryScheduler {
    /// Delivers on the main actor.
    static func main(
        isSame: (@Sendable (Value, Value) -> Bool)?,
        _ receive: @escaping @MainActor @Sendable (Value) -> Void
    ) -> DeliveryScheduler {
        DeliveryScheduler(
            isSame: isSame,
            deliverHere: { scheduler in
                guard CurrentThread.number.isMain else { return false }
                MainActor.assumeIsolated { scheduler.deliverAtOnce { value in receive(value) } }
                return true
            },
            schedule: { scheduler in
                Task { @MainActor in scheduler.deliver { value in receive(value) } }
            }
        )
    }

    func deliver<A: Actor>(on actor: isolated A, _ receive: (isolated A, Value) -> Void) {
        deliver { value in receive(actor, value) }
    }
}
