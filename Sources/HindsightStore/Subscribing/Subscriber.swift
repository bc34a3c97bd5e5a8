/// What a subscriber is told beside the value.
public struct Change: Sendable, Hashable {
    /// The action after which the value is this one; for time travel, the action to which the store travelled, or the
    /// travel's own number where that was no state of its history.
    public let seq: Int
    /// Whether the state was set by time travel instead of being reduced.
    public let isTravel: Bool

    @usableFromInline
    init(seq: Int, isTravel: Bool) {
        self.seq = seq
        self.isTravel = isTravel
    }
}

/// When subscribers are told.
public enum Timing: Sendable {
    /// Once an action, when all reducers have run: never in the middle of an action.
    case action
    /// After each reducer.
    case eachReducer
}

/// One subscription; knows nothing of the value's type.
class Subscriber: @unchecked Sendable {
    // Sound: `isActive` is read and written only while the store's lock is held.
    let id: Int
    var isActive = true

    init(id: Int) { self.id = id }

    func tell(_ change: Change) {}

    /// Gives up the closure, so that whoever ends the subscription can let go of it, and of what it holds.
    func giveUp() -> Any? { nil }
}

/// Follows one value of the state on behalf of all who subscribed to it.
class AnyTopic<State> {
    /// In the order in which they subscribed.
    var subscribers: [Subscriber] = []
    private var ended = 0

    /// Takes the value from a new state; says whether subscribers are to be told.
    func refresh(from state: UnsafeMutablePointer<State>) -> Bool { false }

    final func end(_ subscriber: Subscriber) {
        guard subscriber.isActive else { return }
        subscriber.isActive = false
        ended += 1
        // Swept in bulk, so that ending one of many costs no search.
        if ended > 16 && ended * 2 > subscribers.count { sweep() }
    }

    final func sweep() {
        if ended == 0 { return }
        subscribers.removeAll { !$0.isActive }
        ended = 0
    }

    final var hasSubscribers: Bool { subscribers.count > ended }
}

final class Topic<State, Value>: AnyTopic<State> {
    let select: (UnsafeMutablePointer<State>) -> Value
    let isSame: ((Value, Value) -> Bool)?
    private(set) var value: Value

    init(
        state: UnsafeMutablePointer<State>,
        select: @escaping (UnsafeMutablePointer<State>) -> Value,
        isSame: ((Value, Value) -> Bool)?
    ) {
        self.select = select
        self.isSame = isSame
        value = select(state)
    }

    override func refresh(from state: UnsafeMutablePointer<State>) -> Bool {
        let now = select(state)
        if let isSame, isSame(value, now) { return false }
        value = now
        return true
    }

    final class Listener: Subscriber, @unchecked Sendable {
        unowned let topic: Topic
        private var receive: ((Value, Change) -> Void)?

        init(id: Int, topic: Topic, receive: @escaping (Value, Change) -> Void) {
            self.topic = topic
            self.receive = receive
            super.init(id: id)
        }

        override func tell(_ change: Change) { receive?(topic.value, change) }

        override func giveUp() -> Any? {
            defer { receive = nil }
            return receive
        }
    }
}
