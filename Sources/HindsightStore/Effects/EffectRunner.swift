/// Runs effects without a store.
package final class EffectRunner<ActionValue: Sendable>: DispatchTarget {
    private let effects = RunningEffects()
    private let send: @Sendable (ActionValue, Origin) -> Void

    package init(_ send: @escaping @Sendable (_ action: ActionValue, _ origin: Origin) -> Void) {
        self.send = send
    }

    deinit { effects.cancelAll() }

    /// A dispatcher that keeps this runner.
    package var dispatcher: Dispatcher<ActionValue> {
        Dispatcher(send: send, target: { self })
    }

    /// See ``Store/waitForEffects()``.
    package func waitForEffects() async {
        await effects.finished()
    }

    @usableFromInline
    func boundDispatcher() -> Dispatcher<ActionValue> {
        Dispatcher(isBound: true, send: send, target: { self })
    }

    @usableFromInline
    func boundFrame() -> @Sendable (() -> Void) -> Void { { $0() } }

    @usableFromInline
    func startEffect(
        id: HashableKey?,
        priority: TaskPriority?,
        _ work: @escaping @Sendable (Dispatcher<ActionValue>) async -> Void
    ) {
        effects.start(id: id, priority: priority) { [send, weak self] flag in
            await work(Self.dispatcher(for: self, send, unless: flag))
        }
    }

    /// The dispatcher of an effect. It does not keep the runner.
    private static func dispatcher(
        for runner: EffectRunner?,
        _ send: @escaping @Sendable (ActionValue, Origin) -> Void,
        unless flag: CancellationFlag
    ) -> Dispatcher<ActionValue> {
        Dispatcher(
            isBound: true,
            send: { action, origin in if !flag.isCancelled { send(action, origin) } },
            target: { [weak runner] in flag.isCancelled ? nil : runner }
        )
    }

    @usableFromInline
    func cancelEffect(id: HashableKey) {
        effects.cancel(id: id)
    }
}

extension Dispatcher {
    /// Creates a dispatcher that calls a function instead of a store, for example to call middleware without a store.
    ///
    /// ```swift
    /// let dispatch = Dispatcher<AppAction> { action, origin in print(action, "from", origin) }
    /// ```
    ///
    /// Effects that middleware starts by it run in tasks, as long as the dispatcher or a copy lives.
    public init(_ send: @escaping @Sendable (_ action: ActionValue, _ origin: Origin) -> Void) {
        self = EffectRunner(send).dispatcher
    }
}
