import Foundation
import HindsightFormat
import HindsightRecorder
import HindsightRecording
import HindsightStore
import HindsightSupport

/// Measures actions that change one item of a long list, until all rows are in SQLite. Compares them with the cost of
/// keeping any snapshot, and with a recorder written by hand.
func benchmarkLists() throws {
    let table = Table("One item of a list changed, until all is in SQLite", "an action", "baseline", "ratio", "bar")
    try inScratchFolder { folder in
        let big = try recordLists(of: 100_000, actions: 100, in: folder)
        let copied = copyTime(of: 100_000)
        table.row(
            "100,000 items, beside the copy that writing makes",
            time(big.time),
            time(copied),
            ratio(big.time / copied),
            "3 ×"
        )
        let small = try recordLists(of: 10_000, actions: 4_000, in: folder)
        let byHand = try HandWritten.run(items: 10_000, actions: 20, in: folder)
        table.row(
            "10,000 items, beside JSONEncoder and one INSERT",
            time(small.time),
            time(byHand.time),
            ratio(byHand.time / small.time),
            "100 ×"
        )
        table.row(
            "bytes an action",
            String(format: "%.0f", small.bytes),
            String(format: "%.0f", byHand.bytes),
            ratio(byHand.bytes / small.bytes),
            "200 ×"
        )
    }
}

private func recordLists(of count: Int, actions: Int, in folder: URL) throws -> (time: Double, bytes: Double) {
    let (store, recorder) = try recordedStore(
        ItemsState(items: Item.some(count)),
        items,
        in: folder,
        options: RecorderOptions(overwrite: true)
    )
    try recorder.flush()
    let time = try elapsed {
        for number in 0..<actions { store.dispatch(.toggle(id: number * 7 % count)) }
        try recorder.flush()
    }
    try recorder.close()
    return (time / Double(actions), Double(fileSize(recorder.url)) / Double(actions))
}

/// The time of a change if the previous state is kept, which makes the change copy the list.
private func copyTime(of count: Int) -> Double {
    let store = Store(initial: ItemsState(items: Item.some(count)), reducer: items, history: .last(actions: 1))
    var next = 0
    return nanoseconds(repetitions: 30) {
        next = (next + 7) % count
        store.dispatch(.toggle(id: next))
    }
}

/// The size of a file and its `-wal` in bytes.
func fileSize(_ url: URL) -> Int {
    Int(FileSystem.size(of: url.path) + FileSystem.size(of: url.path + "-wal"))
}
