import Foundation
import HindsightFormat
import HindsightRecorder
import HindsightRecording
import HindsightReplay
import HindsightStore
import HindsightTree
import Samples

private let counting = ReplayableApp("counts", initial: SmallState(), reducer: smallReducer)

private func listing(after migrations: [Migration] = []) -> ReplayableApp {
    ReplayableApp("list", initial: ItemsState(items: Item.some(20_000)), reducer: items, migrations: migrations)
}

private let unmigrated = listing()

/// The same app after two migrations, whose result is the form that it had.
private let migrated = listing(after: [
    Migration(to: 2) { $0.renameField("/items", to: "all") },
    Migration(to: 3) { $0.renameField("/all", to: "items") },
])

/// The same, but each element is migrated.
private let eachMigrated = listing(after: [
    Migration(to: 2) { $0.renameField("/items/*/title", to: "text") },
    Migration(to: 3) { $0.renameField("/items/*/text", to: "title") },
])

/// Measures replays of recordings: how many actions a second a verification compares.
func benchmarkReplay() throws {
    let table = Table("Verification, chained, on one core", "time", "an action", "actions/s", "bar")
    try inScratchFolder { folder in
        func row(_ name: String, _ file: URL, _ app: ReplayableApp, bar: String) throws {
            let recording = try Recording(at: file)
            let times = try (0..<3).map { _ in
                try elapsed {
                    let result = try app.verify(recording)
                    precondition(result.matches)
                }
            }
            let all = times.sorted()[1]
            let each = all / Double(recording.actionCount)
            table.row(name, time(all), time(each), String(format: "%.0f", 1e9 / each), bar)
        }
        try benchmarkFixtures(table, folder)
        let counts = folder.appendingPathComponent("counts.hindsight")
        try record(counting, 300_000, to: counts) { index in
            index % 100 == 99 ? .object([.init("reset", .object([]))]) : ["add": ["_0": .int(index % 10)]]
        }
        try row("300,000 small actions, 3 reducers", counts, counting, bar: "150,000 /s")
        let list = folder.appendingPathComponent("list.hindsight")
        try record(unmigrated, 10_000, to: list) { ["toggle": ["id": .int($0 * 7 % 20_000)]] }
        try row("10,000 actions on 20,000 structs", list, unmigrated, bar: "10 s")
        let short = folder.appendingPathComponent("short.hindsight")
        try record(unmigrated, 200, to: short) { ["toggle": ["id": .int($0 * 7 % 20_000)]] }
        try row("200 on them across a migration of the array", short, migrated, bar: "")
        try row("200 on them across a migration of each", short, eachMigrated, bar: "")
    }
}

private func benchmarkFixtures(_ table: Table, _ folder: URL) throws {
    let fixture = folder.appendingPathComponent("fixture.hindsight")
    try record(counting, 200, to: fixture) { ["add": ["_0": .int($0 % 10)]] }
    let fixtures = try (0..<500).map { index in
        let copy = folder.appendingPathComponent("fixture-\(index).hindsight")
        try FileManager.default.copyItem(at: fixture, to: copy)
        return copy
    }
    let plain = try elapsed {
        for file in fixtures {
            let result = try counting.verify(Recording(at: file))
            precondition(result.matches)
        }
    }
    table.row("500 fixtures of 200 actions", time(plain), time(plain / 1e5), "", "2 s")
}

private func record(_ app: ReplayableApp, _ count: Int, to file: URL, _ action: (Int) -> Node) throws {
    let session = try app.record(to: file)
    for index in 0..<count { try session.dispatch(action(index), origin: Origin(file: #fileID, line: #line)) }
    try session.close()
}
