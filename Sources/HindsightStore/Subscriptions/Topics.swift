/// The topics of one store: each distinct value that has subscribers, once.
///
/// After an action, the store reads each distinct value once, however many subscribers it has, and calls the
/// subscribers of those values that changed.
///
/// Tokens refer to the topics, not to the store. If a token outlives the store, the topics do too, and are empty.
final class Topics: @unchecked Sendable {
    // Sound: the mutable properties are touched only while the core's lock is held.
    private let core: StoreCore
    /// Each topic at the index that tokens know. A new topic reuses the slot of one that is gone.
    // Sound without dynamic checks of exclusivity: no closure of others is called during a modification.
    @exclusivity(unchecked) private var slots: [AnyTopic?] = []
    private var freeSlots: [Int] = []
    private var byKey: [TopicKey: AnyTopic] = [:]
    @exclusivity(unchecked) private var byIdentity: [TopicIdentity: AnyTopic] = [:]
    @exclusivity(unchecked) private var afterAction = TopicList()
    @exclusivity(unchecked) private var afterReducer = TopicList()
    @exclusivity(unchecked) private var lastID = 0
    /// The subscriptions that were added in the middle of an action.
    @exclusivity(unchecked) private var late: Late?

    private struct Late {
        let seq: Int
        /// The last subscription before the action.
        let lastPunctualID: Int
        var starts: [() -> Void] = []
    }

    init(core: StoreCore) {
        self.core = core
    }

    /// The place of one subscription.
    struct Place {
        /// The topic's slot. Another topic may reuse it, but has no listener with this id.
        let slot: Int
        let id: Int
        let index: Int
    }

    /// Returns the topic of a key path or of the whole state, creating it if needed.
    ///
    /// - Parameters:
    ///   - path: The key path, whose address may be enough to find the topic; `nil` for the whole state.
    ///   - timing: When to notify its subscribers.
    ///   - comparesValues: Whether to notify them of changes only.
    ///   - makeKey: Creates the topic's key, if the address is unknown.
    ///   - makeTopic: Creates the topic.
    func topic(
        at path: AnyKeyPath?,
        _ timing: SubscriptionTiming,
        comparesValues: Bool,
        makeKey: () -> TopicKey,
        makeTopic: (TopicKey) -> AnyTopic
    ) -> AnyTopic {
        let identity = TopicIdentity(path: path.map { ObjectIdentifier($0) }, timing, comparesValues: comparesValues)
        if let known = byIdentity[identity] { return known }
        let topic = topic(makeKey(), makeTopic)
        // Some key paths are created anew by each subscription, so their number is limited.
        if topic.identities.count < Self.maxPathsPerTopic {
            topic.identities.append(identity)
            if let path { topic.paths.append(path) }
            byIdentity[identity] = topic
        }
        return topic
    }

    private static var maxPathsPerTopic: Int { 8 }

    /// Returns the topic of a value, creating it if needed.
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
        updateDispatchState()
        return topic
    }

    func add(to topic: AnyTopic, _ receive: @escaping AnyTopic.Receive) -> Place {
        lastID += 1
        return Place(slot: topic.slot, id: lastID, index: topic.add(id: lastID, receive))
    }

    /// Removes a subscription, and its topic if that has no others. Call it from any thread.
    ///
    /// - Parameter waits: Whether to wait for another thread's dispatch. Otherwise, that thread removes the
    ///   subscription, before it calls another subscriber.
    func remove(_ place: Place, waits: Bool) {
        if waits {
            core.lock.lock()
        } else if !core.lock.tryLock() {
            return core.lock.runLater { self.remove(place, waits: false) }
        }
        let topic = place.slot < slots.count ? slots[place.slot] : nil
        let listener = topic?.remove(id: place.id, index: place.index)
        if let topic, !topic.hasListeners { remove(topic) }
        core.lock.unlock()
        // Released only now: the closure and the value may release other tokens.
        withExtendedLifetime((topic, listener)) {}
    }

    /// Removes a subscription before the next round of notifications. Runs no code of the app, and waits for nothing.
    func removeLater(_ place: Place) {
        core.lock.deferWork { [weak self] in self?.remove(place, waits: false) }
    }

    private func remove(_ topic: AnyTopic) {
        byKey[topic.key] = nil
        for identity in topic.identities { byIdentity[identity] = nil }
        slots[topic.slot] = nil
        freeSlots.append(topic.slot)
        switch topic.key.timing {
        case .action: afterAction.remove(topic)
        case .eachReducer: afterReducer.remove(topic)
        }
        updateDispatchState()
    }

    /// Removes all subscriptions. Their tokens may live on.
    func removeAll() {
        let topics = core.lock.withLock {
            let topics = slots
            slots = []
            freeSlots = []
            byKey = [:]
            byIdentity = [:]
            afterAction = TopicList()
            afterReducer = TopicList()
            updateDispatchState()
            return topics
        }
        withExtendedLifetime(topics) {}
    }

    private func updateDispatchState() {
        core.dispatchState.pointee.hasTopics = !afterAction.isEmpty
        core.dispatchState.pointee.hasStepTopics = !afterReducer.isEmpty
    }

    // MARK: Subscriptions in the middle of an action

    /// Lets the subscriptions with the timing `.action` that are added from now on begin after the present action.
    func beginLateSubscriptions() {
        // Without subscribers, no round of notifications ends those of an earlier action.
        if late?.seq != lastSeq { late = Late(seq: lastSeq, lastPunctualID: lastID) }
    }

    /// Calls `start` after the present action, when the topics have its final values.
    func startLater(_ start: @escaping () -> Void) { late?.starts.append(start) }

    var hasLateSubscribers: Bool { late != nil }

    func startLateSubscribers() {
        let ended = late
        late = nil
        guard let ended, ended.seq == lastSeq else { return }
        for start in ended.starts { start() }
    }

    private var lastSeq: Int { core.dispatchState.pointee.lastSeq }

    // MARK: Rounds

    /// Reads the values from a new state and returns the topics that changed.
    func round(_ timing: SubscriptionTiming, state: UnsafeRawPointer) -> Round {
        // Values that nobody follows any more may not even exist in this state.
        if core.lock.hasDeferred { core.lock.runDeferred() }
        // A copy, because `refresh` runs the app's code, which may add and remove topics.
        let topics = timing == .action ? afterAction : afterReducer
        var last = lastID
        if timing == .action, let late, late.seq == lastSeq { last = late.lastPunctualID }
        return Round(topics: topics.filter { $0.refresh(from: state) }, lastID: last, lock: core.lock)
    }

    /// The topics to notify of one change.
    struct Round {
        let topics: [AnyTopic]
        /// The last subscription before the round. Later ones are notified from the next action on.
        let lastID: Int
        /// Knows which subscriptions other threads have ended meanwhile.
        let lock: RecursiveLock

        /// Calls the subscribers in the order of subscription, except those that are cancelled during the round.
        func notify(_ cause: ChangeCause) {
            if topics.isEmpty { return }
            for topic in topics { topic.beginRound() }
            defer { for topic in topics { topic.endRound() } }
            if topics.count == 1 { return topics[0].notify(cause, upTo: lastID, lock) }
            for turn in turns { topics[turn.topic].notify(at: turn.index, cause, lock) }
        }

        /// All active subscriptions of all topics that take part in the round, sorted by id.
        private var turns: [(id: Int, topic: Int, index: Int)] {
            var turns: [(id: Int, topic: Int, index: Int)] = []
            for (number, topic) in topics.enumerated() {
                topic.forEachActiveListener { id, index in
                    if id <= lastID { turns.append((id, number, index)) }
                }
            }
            return turns.sorted { $0.id < $1.id }
        }
    }
}
