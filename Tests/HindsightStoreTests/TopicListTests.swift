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

    @Test func `Ending subscriptions to many distinct values does not search all values each time`() {
        struct Cells: Sendable, Equatable { var values: [Int: Int] = [:] }
        /// The time for `count` cancellations.
        func time(_ count: Int) -> Duration {
            let store = Store(initial: Cells(), reducer: Reducer<Cells, Int>("none") { _, _ in })
            let tokens = (0..<count).map { key in store.subscribe(\.values[key]) { _ in } }
            return ContinuousClock().measure {
                for token in tokens { token.cancel() }
            }
        }
        // 16 times as many take 256 times as long if each one searches the others.
        let few = (0..<5).map { _ in time(1_000) }.min() ?? .zero
        let many = (0..<3).map { _ in time(16_000) }.min() ?? .zero
        #expect(many < few * 80)
    }
}
