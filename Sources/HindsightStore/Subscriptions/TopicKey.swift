/// The identity of a topic: subscriptions with equal keys share one.
struct TopicKey: Hashable {
    /// A key path, a selector, or the state's type.
    let value: AnyHashable
    /// The value's type.
    let type: ObjectIdentifier
    let timing: SubscriptionTiming
    let comparesValues: Bool

    init<Value>(_ value: AnyHashable, _ type: Value.Type, _ timing: SubscriptionTiming, comparesValues: Bool) {
        self.value = value
        self.type = ObjectIdentifier(type)
        self.timing = timing
        self.comparesValues = comparesValues
    }
}

/// A key path by its address, or the whole state.
///
/// Comparing and hashing a key takes many times as long as the rest of a subscription. A known object needs neither.
/// Sound because the topic keeps its key paths alive, so that their addresses are not reused.
struct TopicIdentity: Hashable {
    /// `nil` for the whole state.
    let path: ObjectIdentifier?
    let timing: SubscriptionTiming
    let comparesValues: Bool

    func hash(into hasher: inout Hasher) { hasher.combine(path) }
}
