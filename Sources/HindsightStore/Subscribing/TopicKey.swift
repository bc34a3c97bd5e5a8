/// What makes two subscriptions follow the same value.
struct TopicKey: Hashable {
    /// A key path, a selector, or the state's type.
    let value: AnyHashable
    /// The value's type.
    let type: ObjectIdentifier
    let timing: Timing
    let comparesValues: Bool

    init<Value>(_ value: AnyHashable, _ type: Value.Type, _ timing: Timing, comparesValues: Bool) {
        self.value = value
        self.type = ObjectIdentifier(type)
        self.timing = timing
        self.comparesValues = comparesValues
    }
}

/// A key path as the very object that it is.
///
/// Comparing and hashing a key path takes many times as long as subscribing does. An object that was seen before need
/// not be looked at: it leads where it led before. Sound because the topic keeps its objects alive, so that no other
/// can come to lie at the same address.
struct PathIdentity: Hashable {
    let path: ObjectIdentifier
    let timing: Timing
    let comparesValues: Bool

    func hash(into hasher: inout Hasher) { hasher.combine(path) }
}
