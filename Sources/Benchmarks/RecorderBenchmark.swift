import Foundation
import HindsightFormat
import HindsightRecorder
import HindsightRecording
import HindsightStore

enum ItemsAction: Codable, Sendable {
    case load(count: Int)
    case toggle(id: Int)
}

let items = Reducer<ItemsState, ItemsAction>.combine(
    Reducer("items") { state, action in
        switch action {
        case .load(let count): state.items = Item.some(count)
        case .toggle(let id): state.items[id].done.toggle()
        }
    },
    Reducer("counter") { state, action in
        if case .load = action { state.counter += 1 }
    },
    Reducer("selection") { state, action in
        if case .toggle(let id) = action { state.selected = id }
    }
)

/// Compares the time that recording adds to a dispatch with the full pass of a recorder written by hand.
func benchmarkRecorder() throws {
    let table = Table("Dispatch with a recorder", "without", "copied", "recorded", "full pass", "pass ÷ added")
    for count in [10, 1_000, 10_000, 100_000] {
        let initial = ItemsState(items: Item.some(count))
        let plain = Store(initial: initial, reducer: items)
        let keeping = Store(initial: initial, reducer: items, history: .last(actions: 1))
        let repetitions = max(20, 5_000 / max(1, count / 100))
        var next = 0
        func toggle(_ store: Store<ItemsState, ItemsAction>) {
            next = (next + 7) % count
            store.dispatch(.toggle(id: next))
        }
        let without = nanoseconds(repetitions: repetitions) { toggle(plain) }
        // The least cost of keeping the last state: the copy that the next change makes.
        let copied = nanoseconds(repetitions: repetitions) { toggle(keeping) }
        let with = try inScratchFolder { folder in
            let (recorded, recorder) = try recordedStore(initial, items, in: folder)
            let with = nanoseconds(repetitions: repetitions) { toggle(recorded) }
            try recorder.close()
            return with
        }
        let encoder = JSONEncoder()
        let full = try nanoseconds(samples: 3, repetitions: max(1, 2_000 / count)) { use(try encoder.encode(initial)) }
        table.row(
            "toggle one of \(count) items",
            time(without),
            time(copied),
            time(with),
            time(full),
            ratio(full / (with - without))
        )
    }
    benchmarkThreads()
}

/// The time to find the thread and the task of an action. It must stay below 20 ns where no task has a name.
private func benchmarkThreads() {
    let table = Table("Thread and task of an action", "one action")
    @Sendable func row(_ name: String) {
        var tracker = ThreadTracker()
        var unchanged = 0
        let cost = nanoseconds(repetitions: 200_000) {
            if case .unchanged = tracker.change() { unchanged += 1 }
        }
        use(unchanged)
        table.row(name, time(cost))
    }
    row("no task")
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
    for name in [nil, "refresh"] {
        let done = DispatchSemaphore(value: 0)
        Task.detached(name: name) {
            row(name == nil ? "a task without a name" : "a task with a name")
            done.signal()
        }
        done.wait()
    }
}
