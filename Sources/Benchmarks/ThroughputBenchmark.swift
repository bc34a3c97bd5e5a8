import Foundation
import HindsightFormat
import HindsightRecorder
import HindsightRecording
import HindsightStore

/// Measures the actions a second that reach the file, with the states after each action and each reducer, and compares
/// them with SQLite's own inserts of the same rows.
func benchmarkThroughput() throws {
    let table = Table("Recording as fast as one thread dispatches", "time", "an action", "a second", "bare", "bar")
    try inScratchFolder { folder in
        let count = 500_000
        let (store, recorder) = try recordedStore(SmallState(), smallReducer, in: folder)
        let elapsed =
            try ContinuousClock().measure {
                for number in 0..<count { store.dispatch(.some(number)) }
                try recorder.close()
            } / .nanoseconds(1)
        let bare = try BareInserts.time(
            rowsOf: recorder.url,
            into: folder.appendingPathComponent("bare.sqlite"),
            batch: 1_000
        )
        table.row(
            "\(count) small actions, until all is in SQLite",
            time(elapsed),
            time(elapsed / Double(count)),
            String(format: "%.0f", Double(count) / elapsed * 1e9),
            "",
            "250,000"
        )
        let (twice, other) = try recordedStore(
            SmallState(),
            smallReducer,
            in: folder,
            options: RecorderOptions(overwrite: true, states: .computed())
        )
        let computed = try Benchmarks.elapsed {
            for number in 0..<count { twice.dispatch(.some(number)) }
            try other.close()
        }
        table.row(
            "the same, states computed",
            time(computed),
            time(computed / Double(count)),
            String(format: "%.0f", Double(count) / computed * 1e9),
            "",
            "350,000"
        )
        table.row(
            "bare inserts of the same rows",
            time(bare),
            time(bare / Double(count)),
            String(format: "%.0f", Double(count) / bare * 1e9),
            String(format: "%.2f of it", bare / elapsed),
            "0.25 of it"
        )
    }
}
