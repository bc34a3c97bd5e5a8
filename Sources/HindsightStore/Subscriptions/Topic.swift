import HindsightSupport

/// Follows one value of the state for all of its subscribers. Does not know the value's type.
class AnyTopic: @unchecked Sendable {
    // Sound: used only while the store's lock is held.
    typealias Receive = (AnyTopic, ChangeCause) -> Void

    /// One subscription.
    struct Listener {
        let id: Int
        fileprivate(set) var receive: Receive
        fileprivate(set) var isActive = true

        /// Ends the subscription, and returns it with its closure.
        fileprivate mutating func end() -> Listener {
            var ended = Listener(id: id, receive: { _, _ in }, isActive: false)
            swap(&self, &ended)
            return ended
        }
    }

    let key: TopicKey
    /// The index in the store's table, which tokens know.
    var slot = 0
    /// The index in the list of topics with the same timing.
    var position = 0
    /// What is registered for this topic.
    var identities: [TopicIdentity] = []
    /// Keeps the key paths of ``identities`` alive.
    var paths: [AnyKeyPath] = []
    /// In the order of subscription, so sorted by id.
    // Sound without dynamic checks of exclusivity: no closure of others is called during a modification.
    private var listeners: [Listener] = []
    private var inactive = 0
    private var rounds = 0
    /// Whether a subscriber wants the value before a change.
    fileprivate(set) var keepsOld = false

    init(key: TopicKey) { self.key = key }

    /// Reads the value from a new state, and returns whether to notify the subscribers.
    func refresh(from state: UnsafeRawPointer) -> Bool { false }

    /// Releases the value before the last change.
    func forgetOld() {}

    final var hasListeners: Bool { listeners.count > inactive }

    /// Adds a subscription and returns its index.
    final func add(id: Int, _ receive: @escaping Receive) -> Int {
        listeners.append(Listener(id: id, receive: receive))
        return listeners.count - 1
    }

    /// Removes a subscription.
    ///
    /// - Parameters:
    ///   - id: The subscription's number.
    ///   - first: The index that ``add(id:_:)`` returned. The listener is there or before.
    /// - Returns: The listener, so that the caller releases its closure; `nil` if it was removed already.
    final func remove(id: Int, index first: Int) -> Listener? {
        guard let index = index(of: id, from: first), listeners[index].isActive else { return nil }
        let listener = listeners[index].end()
        inactive += 1
        compactIfWorthwhile()
        return listener
    }

    /// Begins a round of notifications. Indices do not change until it ends.
    final func beginRound() { rounds += 1 }

    final func endRound() {
        rounds -= 1
        if keepsOld { forgetOld() }
        compactIfWorthwhile()
    }

    /// Calls the active listeners that subscribed before the round began.
    final func notify(_ cause: ChangeCause, upTo lastID: Int, _ lock: RecursiveLock) {
        var index = 0
        while index < listeners.count, listeners[index].id <= lastID {
            notify(at: index, cause, lock)
            index += 1
        }
    }

    final func notify(at index: Int, _ cause: ChangeCause, _ lock: RecursiveLock) {
        if lock.hasDeferred { lock.runDeferred() }
        if listeners[index].isActive { listeners[index].receive(self, cause) }
    }

    final func forEachActiveListener(_ body: (_ id: Int, _ index: Int) -> Void) {
        for (index, listener) in listeners.enumerated() where listener.isActive { body(listener.id, index) }
    }

    /// A listener's index, or `nil` if it was compacted away.
    private func index(of id: Int, from first: Int) -> Int? {
        guard let lowest = listeners.first?.id else { return nil }
        // It is there if nothing was compacted, or if all listeners subscribed in a row. Otherwise it is before.
        let last = min(first, id - lowest, listeners.count - 1)
        if last < 0 || listeners[last].id == id { return last < 0 ? nil : last }
        let index = (0..<last).partitioningIndex { listeners[$0].id >= id }
        return listeners[index].id == id ? index : nil
    }

    /// Compacts in bulk, so that removing one of many listeners does not move the others.
    private func compactIfWorthwhile() {
        guard inactive > 16, inactive * 2 > listeners.count, rounds == 0 else { return }
        listeners.removeAll { !$0.isActive }
        inactive = 0
    }
}

final class Topic<StateValue, Value>: AnyTopic, @unchecked Sendable {
    private let select: (UnsafePointer<StateValue>) -> Value
    private let isSame: ((Value, Value) -> Bool)?
    /// Whether ``select`` returns another value than for the last state, if something tells it for less than comparing
    /// both. Called with each state, before ``select``.
    private let hasChanged: ((UnsafePointer<StateValue>) -> Bool)?
    private(set) var value: Value
    /// The value before the last change, as long as a round is under way; the present one at other times. `nil` unless
    /// a subscriber wants it.
    private var old: Value?

    init(
        key: TopicKey,
        state: UnsafePointer<StateValue>,
        isSame: ((Value, Value) -> Bool)?,
        hasChanged: ((UnsafePointer<StateValue>) -> Bool)? = nil,
        select: @escaping (UnsafePointer<StateValue>) -> Value
    ) {
        self.select = select
        self.isSame = isSame
        self.hasChanged = hasChanged
        _ = hasChanged?(state)
        value = select(state)
        super.init(key: key)
    }

    /// What a subscriber receives of a topic's changes.
    struct Subscriber {
        let receive: Receive
        let wantsOld: Bool
        /// Receives the value at the beginning.
        let present: ((Value) -> Void)?

        init(_ onChange: @escaping (Value) -> Void, initial: Bool) {
            receive = { topic, _ in onChange(Topic.of(topic).value) }
            wantsOld = false
            present = initial ? onChange : nil
        }

        init(changes onChange: @escaping (StateChange<Value>) -> Void, present: ((Value) -> Void)? = nil) {
            receive = { topic, cause in
                let topic = Topic.of(topic)
                onChange(StateChange(cause, old: topic.old ?? topic.value, new: topic.value))
            }
            wantsOld = true
            self.present = present
        }
    }

    @inline(__always)
    static func of(_ topic: AnyTopic) -> Topic {
        // Sound: the state and the value are part of a topic's key, so a subscription's topic has its types.
        unsafeDowncast(topic, to: Topic.self)
    }

    /// Keeps the value before each change until the end of the round, from now on.
    func keepOld() {
        if keepsOld { return }
        keepsOld = true
        old = value
    }

    override func forgetOld() { old = value }

    override func refresh(from state: UnsafeRawPointer) -> Bool {
        // Sound: only the store that created a topic refreshes it.
        let state = state.assumingMemoryBound(to: StateValue.self)
        if let hasChanged, !hasChanged(state), isSame != nil { return false }
        let now = select(state)
        if let isSame, isSame(value, now) { return false }
        value = now
        return true
    }
}
