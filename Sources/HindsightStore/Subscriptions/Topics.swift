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
    private var slots: [AnyTopic?] = []
    private var freeSlots: [Int] = []
    private var byKey: [TopicKey: AnyTopic] = [:]
    private var byIdentity: [TopicIdentity: AnyTopic] = [:]
    private var afterAction = TopicList()
    private var afterReducer = TopicList()
    /// The subscriptions that have an owner, in no order.
    private var owned: [any EndingWithOwner] = []
    /// The next one to look at.
    private var nextOwned = 0
    /// Begins subscriptions that were added in the middle of the action with this number.
    private var late: (seq: Int, starts: [() -> Void])?

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
        let id = path.map { ObjectIdentifier($0) }
        let identity = TopicIdentity(path: id, timing: timing, comparesValues: comparesValues)
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
        core.dispatchState.pointee.lastSubscription += 1
        let id = core.dispatchState.pointee.lastSubscription
        return Place(slot: topic.slot, id: id, index: topic.add(id: id, receive))
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
        let ended = core.lock.withLock {
            let ended = (slots, owned)
            slots = []
            owned = []
            freeSlots = []
            byKey = [:]
            byIdentity = [:]
            afterAction = TopicList()
            afterReducer = TopicList()
            updateDispatchState()
            return ended
        }
        withExtendedLifetime(ended) {}
    }

    private func updateDispatchState() {
        core.dispatchState.pointee.parts.set(.subscribers, to: !afterAction.isEmpty)
        core.dispatchState.pointee.parts.set(.stepSubscribers, to: !afterReducer.isEmpty)
    }

    // MARK: Owners

    /// Ends a subscription some time after its owner is gone.
    ///
    /// Looks at two others, so that dead ones do not accumulate in a store that reduces few actions.
    func endWithOwner(_ subscription: any EndingWithOwner) {
        core.lock.withLock {
            sweepOwned(upTo: 2)
            owned.append(subscription)
        }
    }

    /// Ends subscriptions whose owners are gone.
    ///
    /// - Parameter count: The number of live ones to look at.
    private func sweepOwned(upTo count: Int) {
        var over: [any EndingWithOwner] = []
        var live = 0
        while live < count, !owned.isEmpty, over.count < Self.maxSwept {
            if nextOwned >= owned.count { nextOwned = 0 }
            // Out of the array meanwhile: what `isOver` runs may change that.
            let next = takeOwned()
            if next.isOver {
                over.append(next)
            } else {
                live += 1
                owned.append(next)
                nextOwned = min(nextOwned, owned.count - 1)
                owned.swapAt(nextOwned, owned.count - 1)
                nextOwned += 1
            }
        }
        for subscription in over { subscription.end() }
    }

    private func takeOwned() -> any EndingWithOwner {
        owned.swapAt(nextOwned, owned.count - 1)
        return owned.removeLast()
    }

    /// The number of subscriptions that one look ends.
    private static var maxSwept: Int { 32 }

    // MARK: Subscriptions in the middle of an action

    /// Calls `start` after the present action, when the topics have its final values.
    func startLater(_ start: @escaping () -> Void) {
        // Without subscribers, no round of notifications ends those of an earlier action.
        if late?.seq != lastSeq { late = (lastSeq, []) }
        late?.starts.append(start)
    }

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
    ///
    /// - Parameters:
    ///   - timing: Which topics to read.
    ///   - lastID: The last subscription that takes part.
    ///   - state: The new state.
    func round(_ timing: SubscriptionTiming, upTo lastID: Int, state: UnsafeRawPointer) -> Round {
        // A value without a subscriber may not exist in this state.
        if core.lock.hasDeferred { core.lock.runDeferred() }
        if timing == .action && !owned.isEmpty { sweepOwned(upTo: 1) }
        // A copy, because `refresh` runs the app's code, which may add and remove topics.
        let topics = timing == .action ? afterAction : afterReducer
        return Round(topics: topics.filter { $0.refresh(from: state) }, lastID: lastID, lock: core.lock)
    }

    /// The topics to notify of one change.
    struct Round {
        let topics: [AnyTopic]
        /// The last subscription to notify. Later ones are notified from the next change on.
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
