import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

@Suite("The queue to the writer") struct WriterQueueTests {
    private typealias Queue = WriterQueue<Int>

    private func batch(_ task: Queue.Task) -> [Int]? {
        if case .write(let items) = task { items } else { nil }
    }

    private func isLinger(_ task: Queue.Task) -> Bool {
        if case .linger = task { true } else { false }
    }

    private func isEnd(_ task: Queue.Task) -> Bool {
        if case .end = task { true } else { false }
    }

    @Test("A little work waits briefly for more, and its first item wakes the writer")
    func lingering() {
        var queue = Queue(limit: .init(items: 100, bytes: 1000))
        if case .sleep = queue.next() {} else { Issue.record("the writer should sleep") }
        let wakes1 = queue.add(1, bytes: 1)
        #expect(wakes1)
        #expect(isLinger(queue.next()))
        let second = queue.add(2, bytes: 1)
        #expect(!second)
        queue.linger()
        #expect(batch(queue.next()) == [1, 2])
        #expect(queue.done == 0)
        queue.finish()
        #expect(queue.done == 2)
    }

    @Test("Much work, or work that a thread waits for, is written at once")
    func pressing() {
        var queue = Queue(limit: .init(items: 100, bytes: 1000))
        for item in 1...24 { _ = queue.add(item, bytes: 1) }
        #expect(isLinger(queue.next()))
        let wakes2 = queue.add(25, bytes: 1)
        #expect(wakes2)
        #expect(batch(queue.next())?.count == 25)
        queue.finish()
        _ = queue.add(26, bytes: 250)
        #expect(batch(queue.next()) == [26])
        queue.finish()
        _ = queue.add(27, bytes: 0)
        let goal = queue.requestFlush()
        #expect(goal == 27)
        #expect(batch(queue.next()) == [27])
        queue.finish()
        #expect(queue.done == 27)
        _ = queue.add(28, bytes: 0)
        #expect(isLinger(queue.next()))
    }

    @Test("After work the writer dozes for its idle ticks, ignores small work, and then sleeps")
    func dozing() {
        var queue = Queue(limit: .init(items: 100, bytes: 1000))
        func isDoze() -> Bool { if case .doze = queue.next() { true } else { false } }
        _ = queue.add(1, bytes: 300)
        #expect(batch(queue.next()) == [1])
        queue.finish()
        #expect(isDoze())
        let little = queue.add(2, bytes: 1)
        #expect(!little)
        queue.wake()
        // It has waited one tick already.
        #expect(batch(queue.next()) == [2])
        queue.finish()
        #expect(isDoze())
        let much = queue.add(3, bytes: 300)
        #expect(much)
        queue.wake()
        #expect(batch(queue.next()) == [3])
        queue.finish()
        var idleTicksLeft = 0
        while isDoze() {
            queue.wake()
            idleTicksLeft += 1
        }
        #expect(1...100 ~= idleTicksLeft)
        let first = queue.add(4, bytes: 1)
        #expect(first)
    }

    @Test("Items in progress count, and one item is always accepted")
    func limits() {
        var queue = Queue(limit: .init(items: 4, bytes: 10))
        #expect(queue.hasRoom)
        _ = queue.add(1, bytes: 1_000_000)
        #expect(!queue.hasRoom)
        #expect(batch(queue.next()) == [1])
        #expect(!queue.hasRoom)
        queue.finish()
        for item in 2...5 {
            #expect(queue.hasRoom)
            _ = queue.add(item, bytes: 0)
        }
        #expect(!queue.hasRoom)
    }

    /// Items and bytes, waiting and in progress, and the resulting pressure.
    struct Load: Sendable {
        var items: [Int]
        var bytes = [0, 0]
        var fullness: WriterQueue<Int>.Fullness

        static let all = [
            Load(items: [0, 0], fullness: .low), Load(items: [2, 0], fullness: .low),
            Load(items: [1, 1], fullness: .low), Load(items: [3, 0], fullness: .middle),
            Load(items: [2, 1], fullness: .middle), Load(items: [1, 0], bytes: [4, 0], fullness: .low),
            Load(items: [1, 0], bytes: [5, 0], fullness: .middle), Load(items: [1, 1], bytes: [3, 1], fullness: .low),
            Load(items: [1, 1], bytes: [3, 2], fullness: .middle), Load(items: [7, 0], fullness: .middle),
            Load(items: [8, 0], fullness: .full), Load(items: [4, 4], fullness: .full),
            Load(items: [1, 0], bytes: [15, 0], fullness: .middle),
            Load(items: [1, 0], bytes: [16, 0], fullness: .full),
            Load(items: [1, 1], bytes: [8, 7], fullness: .middle),
            Load(items: [1, 1], bytes: [8, 8], fullness: .full),
        ]
    }

    @Test("The pressure follows items and bytes, including those in progress", arguments: Load.all)
    func fullness(load: Load) {
        var queue = Queue(limit: .init(items: 8, bytes: 16))
        func add(_ count: Int, bytes: Int) {
            for item in 0..<count { _ = queue.add(item, bytes: item == 0 ? bytes : 0) }
        }
        if load.items[1] > 0 {
            add(load.items[1], bytes: load.bytes[1])
            _ = queue.requestFlush()
            #expect(batch(queue.next())?.count == load.items[1])
        }
        add(load.items[0], bytes: load.bytes[0])
        #expect(queue.fullness == load.fullness)
        #expect(queue.hasRoom == (load.fullness != .full))
        #expect(queue.hasTime == (load.items[0] == 0))
        #expect(queue.addedActions == load.items[0] + load.items[1] && queue.doneActions == 0)
        queue.finish()
        #expect(queue.doneActions == load.items[1])
    }

    @Test("At the end the rest is written first")
    func ending() {
        var queue = Queue(limit: .init(items: 100, bytes: 1000))
        _ = queue.add(1, bytes: 1)
        queue.end()
        #expect(batch(queue.next()) == [1])
        queue.finish()
        #expect(isEnd(queue.next()))
    }
}
