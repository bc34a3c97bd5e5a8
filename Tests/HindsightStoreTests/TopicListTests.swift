import TestSupport
import Testing

@testable import HindsightStore

@Suite struct TopicListTests {
    @Test(arguments: Seeded.runs(20))
    func `A list keeps the topics that were not removed, in order`(_ seed: Seeded) {
        var random = seed
        var list = TopicList()
        var model: [AnyTopic] = []
        for _ in 0..<400 {
            if model.isEmpty || random.below(5) < 3 {
                let topic = AnyTopic(key: TopicKey(AnyHashable(0), Int.self, .action, comparesValues: true))
                list.append(topic)
                model.append(topic)
            } else {
                for _ in 0..<random.below(min(4, model.count + 1)) {
                    list.remove(model.remove(at: random.below(model.count)))
                }
            }
            #expect(list.isEmpty == model.isEmpty, "\(seed)")
            #expect(list.filter { _ in true }.map { ObjectIdentifier($0) } == model.map { ObjectIdentifier($0) })
        }
    }
}
