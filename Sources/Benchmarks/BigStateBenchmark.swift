import Foundation
import HindsightFormat
import HindsightRecorder
import HindsightStore

/// Entities by their ID, as Redux stores keep them.
struct EntitiesState: Codable, Sendable {
    var entities: [Int: Item] = [:]
    var selected: Int?
}

enum EntitiesAction: Codable, Sendable {
    case toggle(id: Int)
}

let entities = Reducer<EntitiesState, EntitiesAction>.combine(
    Reducer("entities") { state, action in
        if case .toggle(let id) = action { state.entities[id]?.done.toggle() }
    },
    Reducer("selection") { state, action in
        if case .toggle(let id) = action { state.selected = id }
    }
)

/// Measures what recording adds to a dispatch that changes one struct of a big state, in both ways to get the states.
/// Beside it stands the copy that keeping the past state costs without any recorder.
func benchmarkBigStates() throws {
    let rate = Table(
        "One struct changed, 1,000 actions a second: median / p99",
        "without",
        "+ copy alone",
        "+ captured",
        "+ computed"
    )
    for count in [20_000, 100_000] {
        let initial = ItemsState(items: Item.some(count))
        try row(rate, "\(count) in an array", initial, items, count) { .toggle(id: $0) }
    }
    let many = EntitiesState(entities: Dictionary(uniqueKeysWithValues: Item.some(100_000).map { ($0.id, $0) }))
    try row(rate, "100000 in a dictionary", many, entities, 100_000) { .toggle(id: $0) }
    let flat = Table("2,000 actions at once, until all is in SQLite", "captured", "computed", "computed ÷ captured")
    try inScratchFolder { folder in
        let initial = ItemsState(items: Item.some(20_000))
        func run(_ states: StateSource) throws -> Double {
            let options = RecorderOptions(overwrite: true, states: states)
            let (store, recorder) = try recordedStore(initial, items, in: folder, options: options)
            let time = try elapsed {
                for number in 0..<2_000 { store.dispatch(.toggle(id: number * 7 % 20_000)) }
                try recorder.flush()
            }
            try recorder.close()
            return time / 2_000
        }
        var times: (captured: [Double], computed: [Double]) = ([], [])
        for _ in 0..<5 {
            times.captured.append(try run(.captured))
            times.computed.append(try run(.computed()))
        }
        let (captured, computed) = (times.captured.sorted()[2], times.computed.sorted()[2])
        flat.row("20000 in an array, an action", time(captured), time(computed), ratio(computed / captured))
    }
}

private func row<StateValue: Codable & Sendable, ActionValue: Codable & Sendable>(
    _ table: Table,
    _ name: String,
    _ initial: StateValue,
    _ reducer: Reducer<StateValue, ActionValue>,
    _ count: Int,
    _ action: (Int) -> ActionValue
) throws {
    try inScratchFolder { folder in
        let captured = try recordedStore(initial, reducer, in: folder, named: "captured")
        let options = RecorderOptions(states: .computed())
        let computed = try recordedStore(initial, reducer, in: folder, named: "computed", options: options)
        let stores = [
            Store(initial: initial, reducer: reducer),
            Store(initial: initial, reducer: reducer, history: .last(actions: 1)), captured.store,
            computed.store,
        ]
        var times = [[Double]](repeating: [], count: stores.count)
        let clock = ContinuousClock()
        var next = 0
        // In turns, so that whatever else the machine does meets all of them.
        for round in 0..<9 {
            for (index, store) in stores.enumerated() {
                var due = clock.now
                for _ in 0..<300 {
                    next = (next + 7) % count
                    let one = action(next)
                    let took = clock.measure { store.dispatch(one) }
                    // The first round warms up.
                    if round > 0 { times[index].append(took / .nanoseconds(1)) }
                    due = due.advanced(by: .milliseconds(1))
                    while clock.now < due { usleep(50) }
                }
            }
        }
        try captured.recorder.close()
        try computed.recorder.close()
        let points = times.map { times in
            let sorted = times.sorted()
            return (sorted[sorted.count / 2], sorted[sorted.count * 99 / 100])
        }
        func added(_ index: Int) -> String {
            "\(time(points[index].0 - points[0].0)) / \(time(points[index].1 - points[0].1))"
        }
        table.row(name, "\(time(points[0].0)) / \(time(points[0].1))", added(1), added(2), added(3))
    }
}
