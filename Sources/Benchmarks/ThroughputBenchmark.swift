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
        func row(_ name: String, _ total: Double, _ bare: String = "", bar: String) {
            let rate = String(format: "%.0f", Double(count) / total * 1e9)
            table.row(name, time(total), time(total / Double(count)), rate, bare, bar)
        }
        let (store, recorder) = try recordedStore(SmallState(), smallReducer, in: folder)
        let recorded = try elapsed {
            for number in 0..<count { store.dispatch(.some(number)) }
            try recorder.close()
        }
        let bare = try BareInserts.time(
            rowsOf: recorder.url,
            into: folder.appendingPathComponent("bare.sqlite"),
            batch: 1_000
        )
        row("\(count) small actions, until all is in SQLite", recorded, bar: "250,000")
        let (twice, other) = try recordedStore(
            SmallState(),
            smallReducer,
            in: folder,
            options: RecorderOptions(overwrite: true, states: .computed())
        )
        let computed = try elapsed {
            for number in 0..<count { twice.dispatch(.some(number)) }
            try other.close()
        }
        row("the same, states computed", computed, bar: "350,000")
        let share = String(format: "%.2f of it", bare / recorded)
        row("bare inserts of the same rows", bare, share, bar: "0.25 of it")
    }
}
