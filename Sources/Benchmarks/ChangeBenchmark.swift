import Foundation
import HindsightTree

struct Item: Codable, Sendable {
    var id: Int
    var title: String
    var done: Bool
    var tags: [String]

    static func some(_ count: Int) -> [Item] {
        (0..<count).map {
            Item(id: $0, title: "Item number \($0) of a long list", done: false, tags: ["home", "trip"])
        }
    }
}

struct ItemsState: Codable, Sendable {
    var counter = 0
    var title = "items"
    var items: [Item] = []
    var selected: Int?
    var filter = "all"
    var notes: [String: String] = [:]
}

/// Compares the time to find a change in states of different sizes with a full pass of Foundation's encoder.
func benchmarkChanges() throws {
    let table = Table(
        "One change in a state of so many items",
        "scalar",
        "one item",
        "entry",
        "JSONEncoder",
        "pass ÷ item"
    )
    for count in [10, 1_000, 10_000, 100_000] {
        var old = ItemsState(items: Item.some(count))
        for index in 0..<count { old.notes["key \(index)"] = "note \(index)" }
        var scalar = old
        scalar.counter += 1
        var item = old
        item.items[count / 2].done = true
        var entry = old
        entry.notes["key 5"] = "changed"
        let finder = ChangeFinder<ItemsState>()
        let repetitions = max(3, 20_000 / count)
        let scalarTime = try nanoseconds(repetitions: repetitions * 10) { use(try finder.patch(from: old, to: scalar)) }
        let itemTime = try nanoseconds(repetitions: repetitions) { use(try finder.patch(from: old, to: item)) }
        let entryTime = try nanoseconds(repetitions: repetitions) { use(try finder.patch(from: old, to: entry)) }
        let encoder = JSONEncoder()
        let full = try nanoseconds(samples: 3, repetitions: max(1, repetitions / 10)) { use(try encoder.encode(old)) }
        table.row(
            "\(count) items",
            time(scalarTime),
            time(itemTime),
            time(entryTime),
            time(full),
            ratio(full / itemTime)
        )
    }
}
