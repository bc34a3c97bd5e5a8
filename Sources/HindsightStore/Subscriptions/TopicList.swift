/// The topics of one timing, in the order in which they were created.
///
/// Removing one leaves a hole, so that removing many does not move the others each time.
struct TopicList {
    private var topics: [AnyTopic?] = []
    private var holes = 0

    var isEmpty: Bool { topics.count == holes }

    mutating func append(_ topic: AnyTopic) {
        topic.position = topics.count
        topics.append(topic)
    }

    /// Removes a topic. The caller retains it, so that it is not released during the modification.
    mutating func remove(_ topic: AnyTopic) {
        topics[topic.position] = nil
        holes += 1
        if holes > 16, holes * 2 > topics.count { compact() }
    }

    /// The topics for which `isIncluded` returns `true`.
    func filter(_ isIncluded: (AnyTopic) -> Bool) -> [AnyTopic] {
        var included: [AnyTopic] = []
        for case let topic? in topics where isIncluded(topic) { included.append(topic) }
        return included
    }

    private mutating func compact() {
        topics.removeAll { $0 == nil }
        holes = 0
        for (position, topic) in topics.enumerated() { topic?.position = position }
    }
}
