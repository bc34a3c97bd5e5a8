/// Follows one value of the state on behalf of all who subscribed to it. Knows nothing of the value's type.
class AnyTopic: @unchecked Sendable {
    // Sound: touched only while the store's lock is held.
    typealias Receive = (AnyTopic, Change) -> Void

    /// One subscription.
    struct Listener {
        let id: Int
        fileprivate(set) var receive: Receive
        fileprivate(set) var isActive = true
    }

    let key: TopicKey
    /// Where tokens find it.
    var slot = 0
    /// Key paths that are known to lead here.
    var paths: [AnyKeyPath] = []
    /// In the order in which they subscribed, so their ids rise.
    private var listeners: [Listener] = []
    private var ended = 0
    private var rounds = 0

    init(key: TopicKey) { self.key = key }

    /// Takes the value from a new state; says whether subscribers are to be told.
    func refresh(from state: UnsafeRawPointer) -> Bool { false }

    final var hasListeners: Bool { listeners.count > ended }

    /// Adds a subscription and gives its index.
    final func add(id: Int, _ receive: @escaping Receive) -> Int {
        listeners.append(Listener(id: id, receive: receive))
        return listeners.count - 1
    }

    /// Ends a subscription.
    ///
    /// - Parameters:
    ///   - id: Its number.
    ///   - first: The index at which it was put: it is there still, or before.
    /// - Returns: What it was, for the caller to let go of its closure; `nil` where it has ended already.
    final func end(id: Int, index first: Int) -> Listener? {
        guard let index = index(of: id, from: first), listeners[index].isActive else { return nil }
        let listener = listeners[index]
        listeners[index].isActive = false
        listeners[index].receive = { _, _ in }
        ended += 1
        sweepIfWorthwhile()
        return listener
    }

    /// Begins a round of notifications: until it is over, every subscription stays where it is.
    final func beginRound() { rounds += 1 }

    final func endRound() {
        rounds -= 1
        sweepIfWorthwhile()
    }

    /// Tells those who subscribed before the round began and have not cancelled since.
    final func tell(_ change: Change, upTo lastID: Int) {
        var index = 0
        while index < listeners.count, listeners[index].id <= lastID {
            tell(at: index, change)
            index += 1
        }
    }

    final func tell(at index: Int, _ change: Change) {
        if listeners[index].isActive { listeners[index].receive(self, change) }
    }

    /// The numbers of the subscriptions that are to be told, and their indices.
    final func forEachListener(_ body: (_ id: Int, _ index: Int) -> Void) {
        for (index, listener) in listeners.enumerated() where listener.isActive { body(listener.id, index) }
    }

    /// Where a subscription is, unless it was swept away.
    private func index(of id: Int, from first: Int) -> Int? {
        if first < listeners.count, listeners[first].id == id { return first }
        var low = 0
        var high = min(first, listeners.count)
        while low < high {
            let middle = (low + high) / 2
            if listeners[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low < listeners.count && listeners[low].id == id ? low : nil
    }

    /// Sweeps in bulk, so that ending one of many moves no others.
    private func sweepIfWorthwhile() {
        guard ended > 16, ended * 2 > listeners.count, rounds == 0 else { return }
        listeners.removeAll { !$0.isActive }
        ended = 0
    }
}

final class Topic<State, Value>: AnyTopic, @unchecked Sendable {
    private let select: (UnsafePointer<State>) -> Value
    private let isSame: ((Value, Value) -> Bool)?
    private(set) var value: Value

    init(
        key: TopicKey,
        state: UnsafePointer<State>,
        isSame: ((Value, Value) -> Bool)?,
        select: @escaping (UnsafePointer<State>) -> Value
    ) {
        self.select = select
        self.isSame = isSame
        value = select(state)
        super.init(key: key)
    }

    /// The value of a topic that is known by what it follows.
    @inline(__always)
    static func value(of topic: AnyTopic) -> Value {
        // Sound: a subscription is added to a topic of its own state and value only, for both are part of its key.
        unsafeDowncast(topic, to: Topic.self).value
    }

    override func refresh(from state: UnsafeRawPointer) -> Bool {
        // Sound: a topic is refreshed only by the store that it was made for.
        let now = select(state.assumingMemoryBound(to: State.self))
        if let isSame, isSame(value, now) { return false }
        value = now
        return true
    }
}
