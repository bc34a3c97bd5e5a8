/// Brings one subscription's values to where its subscriber wants to be told.
final class Courier<Value: Sendable>: Sendable {
    private let mailbox: Mailbox<Value>
    /// Runs a delivery where the subscriber wants to be told.
    private let schedule: @Sendable (Courier) -> Void
    /// Runs a delivery at once if this is the place; says whether it was.
    private let tellHere: @Sendable (Courier) -> Bool

    init(
        isSame: (@Sendable (Value, Value) -> Bool)?,
        tellHere: @escaping @Sendable (Courier) -> Bool = { _ in false },
        schedule: @escaping @Sendable (Courier) -> Void
    ) {
        mailbox = Mailbox(isSame: isSame)
        self.tellHere = tellHere
        self.schedule = schedule
    }

    /// Subscribes by `start`.
    func follow(_ start: (@escaping @Sendable (Value) -> Void) -> Subscription) -> Subscription {
        let upstream = start { self.send($0) }
        let mailbox = mailbox
        return Subscription(
            EndingOnce {
                upstream.cancel()
                mailbox.close()
            }
        )
    }

    /// Tells what waits, as a delivery that was scheduled. What comes meanwhile is scheduled again, so that others have
    /// their turn in between.
    func deliver(_ tell: (Value) -> Void) {
        _ = mailbox.deliver(asScheduled: true, tell)
        scheduleIfNeeded()
    }

    /// Tells what waits, in the midst of a dispatch, with all that comes meanwhile.
    func deliverAtOnce(_ tell: (Value) -> Void) {
        while mailbox.deliver(asScheduled: false, tell) {}
    }

    private func send(_ value: Value) {
        mailbox.put(value)
        if !tellHere(self) { scheduleIfNeeded() }
    }

    private func scheduleIfNeeded() {
        if mailbox.needsDelivery() { schedule(self) }
    }
}

extension Courier {
    /// Tells on the main actor.
    static func main(
        isSame: (@Sendable (Value, Value) -> Bool)?,
        _ tell: @escaping @MainActor @Sendable (Value) -> Void
    ) -> Courier {
        Courier(
            isSame: isSame,
            tellHere: { courier in
                guard MainThread.isCurrent else { return false }
                MainActor.assumeIsolated { courier.deliverAtOnce { value in tell(value) } }
                return true
            },
            schedule: { courier in
                Task { @MainActor in courier.deliver { value in tell(value) } }
            }
        )
    }

    /// Tells on an actor, as long as it lives.
    static func on<A: Actor>(
        _ actor: A,
        isSame: (@Sendable (Value, Value) -> Bool)?,
        _ tell: @escaping @Sendable (isolated A, Value) -> Void
    ) -> Courier {
        Courier(
            isSame: isSame,
            schedule: { [weak actor] courier in
                guard let actor else { return }
                Task { await courier.deliver(on: actor, tell) }
            }
        )
    }

    /// Tells where `delivery` brings it.
    static func by(
        _ delivery: Delivery,
        isSame: (@Sendable (Value, Value) -> Bool)?,
        _ tell: @escaping @Sendable (Value) -> Void
    ) -> Courier {
        Courier(
            isSame: isSame,
            schedule: { courier in
                delivery.schedule { courier.deliver(tell) }
            }
        )
    }

    private func deliver<A: Actor>(on actor: isolated A, _ tell: (isolated A, Value) -> Void) {
        deliver { value in tell(actor, value) }
    }
}
