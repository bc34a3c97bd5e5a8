/// All that is subscribed to in one store, each distinct value once.
///
/// After an action, each distinct value is looked at once, however many subscribers it has; only those of values that
/// changed are called.
///
/// Tokens know it, not their store: it outlives the store where a token is kept longer, and is empty then.
final class Topics: @unchecked Sendable {
    // Sound: everything mutable here is touched only while the doorway's lock is held.
    private let doorway: Doorway
    /// Each topic at the place that tokens know it by, which others take when it is gone.
    private var slots: [AnyTopic?] = []
    private var freeSlots: [Int] = []
    private var byKey: [TopicKey: AnyTopic] = [:]
    private var byPath: [PathIdentity: AnyTopic] = [:]
    private var afterAction: [AnyTopic] = []
    private var afterReducer: [AnyTopic] = []
    private var lastID = 0

    init(doorway: Doorway) {
        self.doorway = doorway
    }

    /// Where one subscription stands.
    struct Place {
        /// Its topic's slot. Others may be there once it has ended, but none with its number.
        let slot: Int
        let id: Int
        let index: Int
    }

    /// The topic of a key path, made where there is none yet.
    ///
    /// - Parameters:
    ///   - path: The key path, by which the topic may be found without a key.
    ///   - timing: When its subscribers are told.
    ///   - comparesValues: Whether they are told of changes only.
    ///   - makeKey: Makes the topic's key.
    ///   - makeTopic: Makes the topic.
    func topic(
        at path: AnyKeyPath,
        _ timing: Timing,
        comparesValues: Bool,
        makeKey: () -> TopicKey,
        makeTopic: (TopicKey) -> AnyTopic
    ) -> AnyTopic {
        let identity = PathIdentity(path: ObjectIdentifier(path), timing: timing, comparesValues: comparesValues)
        if let known = byPath[identity] { return known }
        let topic = topic(makeKey(), makeTopic)
        // Some key paths are made anew each time; they must not fill the memory.
        if topic.paths.count < Self.pathsPerTopic {
            topic.paths.append(path)
            byPath[identity] = topic
        }
        return topic
    }

    private static var pathsPerTopic: Int { 8 }

    /// The topic of a value, made where there is none yet.
    func topic(_ key: TopicKey, _ makeTopic: (TopicKey) -> AnyTopic) -> AnyTopic {
        if let known = byKey[key] { return known }
        let topic = makeTopic(key)
        byKey[key] = topic
        if let slot = freeSlots.popLast() {
            topic.slot = slot
            slots[slot] = topic
        } else {
            topic.slot = slots.count
            slots.append(topic)
        }
        switch key.timing {
        case .action: afterAction.append(topic)
        case .eachReducer: afterReducer.append(topic)
        }
        tellDoor()
        return topic
    }

    func add(to topic: AnyTopic, _ receive: @escaping AnyTopic.Receive) -> Place {
        lastID += 1
        return Place(slot: topic.slot, id: lastID, index: topic.add(id: lastID, receive))
    }

    /// Ends a subscription, from any thread; a value that nobody follows any more is not looked at any more.
    func end(_ place: Place) {
        doorway.lock.lock()
        let topic = place.slot < slots.count ? slots[place.slot] : nil
        let listener = topic?.end(id: place.id, index: place.index)
        if let topic, !topic.hasListeners { remove(topic) }
        doorway.lock.unlock()
        // Let go only now: what the closure and the value hold may end other subscriptions as it goes.
        withExtendedLifetime((topic, listener)) {}
    }

    private func remove(_ topic: AnyTopic) {
        byKey[topic.key] = nil
        for path in topic.paths {
            let identity = PathIdentity(
                path: ObjectIdentifier(path),
                timing: topic.key.timing,
                comparesValues: topic.key.comparesValues
            )
            byPath[identity] = nil
        }
        slots[topic.slot] = nil
        freeSlots.append(topic.slot)
        afterAction.removeAll { $0 === topic }
        afterReducer.removeAll { $0 === topic }
        tellDoor()
    }

    /// Lets go of all that is subscribed to; the tokens may live on.
    func giveUpAll() {
        let topics = doorway.lock.withLock {
            let topics = slots
            slots = []
            freeSlots = []
            byKey = [:]
            byPath = [:]
            afterAction = []
            afterReducer = []
            tellDoor()
            return topics
        }
        withExtendedLifetime(topics) {}
    }

    private func tellDoor() {
        doorway.door.pointee.hasTopics = !afterAction.isEmpty
        doorway.door.pointee.hasStepTopics = !afterReducer.isEmpty
    }

    /// Takes the values from a new state and gives those who are to be told.
    func round(after timing: Timing, state: UnsafeRawPointer) -> Round {
        var changed: [AnyTopic] = []
        for topic in timing == .action ? afterAction : afterReducer where topic.refresh(from: state) {
            changed.append(topic)
        }
        return Round(topics: changed, lastID: lastID)
    }

    /// Those who are to be told after one action.
    struct Round {
        let topics: [AnyTopic]
        /// Who subscribes during the round is told from the next action on.
        let lastID: Int

        /// Tells all of them in the order in which they subscribed; who is cancelled during the round is left out.
        func tell(_ change: Change) {
            if topics.isEmpty { return }
            for topic in topics { topic.beginRound() }
            defer { for topic in topics { topic.endRound() } }
            if topics.count == 1 { return topics[0].tell(change, upTo: lastID) }
            for turn in turns { topics[turn.topic].tell(at: turn.index, change) }
        }

        /// Whose turn it is: the subscription at an index of a topic.
        private var turns: [(id: Int, topic: Int, index: Int)] {
            var turns: [(id: Int, topic: Int, index: Int)] = []
            for (number, topic) in topics.enumerated() {
                topic.forEachListener { id, index in turns.append((id, number, index)) }
            }
            return turns.sorted { $0.id < $1.id }
        }
    }
}
