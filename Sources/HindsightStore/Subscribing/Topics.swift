/// What makes two subscriptions follow the same value.
struct TopicKey: Hashable {
    /// A key path, a selector, or the state's type.
    let value: AnyHashable
    /// The value's type.
    let type: ObjectIdentifier
    let timing: Timing
    let comparesValues: Bool
}

/// All that is subscribed to, each distinct value once.
///
/// After an action, each distinct value is looked at once, however many subscribers it has; only those of values that
/// changed are called.
struct Topics<State> {
    private var byKey: [TopicKey: AnyTopic<State>] = [:]
    private var afterAction: [AnyTopic<State>] = []
    private var afterReducer: [AnyTopic<State>] = []
    private var lastID = 0
    /// Is told whether there is anybody to tell.
    private let door: UnsafeMutablePointer<Door>

    init(door: UnsafeMutablePointer<Door>) {
        self.door = door
    }

    private func tellDoor() {
        door.pointee.hasTopics = !afterAction.isEmpty
        door.pointee.hasStepTopics = !afterReducer.isEmpty
    }

    mutating func add<Value>(
        key: TopicKey,
        makeTopic: () -> Topic<State, Value>,
        receive: @escaping (Value, Change) -> Void
    ) -> (topic: Topic<State, Value>, subscriber: Subscriber) {
        let topic: Topic<State, Value>
        if let known = byKey[key] {
            // Sound: a key holds its value's type.
            topic = unsafeDowncast(known, to: Topic<State, Value>.self)
        } else {
            topic = makeTopic()
            byKey[key] = topic
            switch key.timing {
            case .action: afterAction.append(topic)
            case .eachReducer: afterReducer.append(topic)
            }
            tellDoor()
        }
        lastID += 1
        let subscriber = Topic<State, Value>.Listener(id: lastID, topic: topic, receive: receive)
        topic.subscribers.append(subscriber)
        return (topic, subscriber)
    }

    /// Ends a subscription; a value that nobody follows any more is not looked at any more.
    mutating func end(_ subscriber: Subscriber, of topic: AnyTopic<State>, key: TopicKey) {
        topic.end(subscriber)
        guard !topic.hasSubscribers, byKey[key] === topic else { return }
        byKey[key] = nil
        afterAction.removeAll { $0 === topic }
        afterReducer.removeAll { $0 === topic }
        tellDoor()
    }

    /// Lets go of all subscribers' closures; their tokens may live on.
    func giveUpAll() {
        for topic in byKey.values {
            for subscriber in topic.subscribers { _ = subscriber.giveUp() }
        }
    }

    /// Takes the values from a new state and gives those who are to be told.
    func round(after timing: Timing, state: UnsafeMutablePointer<State>) -> Round {
        var changed: [AnyTopic<State>] = []
        for topic in timing == .action ? afterAction : afterReducer where topic.refresh(from: state) {
            changed.append(topic)
        }
        return Round(topics: changed, lastID: lastID)
    }

    /// Those who are to be told after one action.
    struct Round {
        let topics: [AnyTopic<State>]
        /// Who subscribes during the round is told from the next action on.
        let lastID: Int

        /// Tells all of them in the order in which they subscribed; who is cancelled during the round is left out.
        func tell(_ change: Change) {
            if topics.isEmpty { return }
            if topics.count == 1 { return tell(topics[0].subscribers, change) }
            tell(topics.flatMap(\.subscribers).sorted { $0.id < $1.id }, change)
        }

        private func tell(_ subscribers: [Subscriber], _ change: Change) {
            for subscriber in subscribers where subscriber.isActive && subscriber.id <= lastID {
                subscriber.tell(change)
            }
        }
    }
}
