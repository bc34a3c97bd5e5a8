import Foundation
import HindsightFormat
import HindsightRecorder
import HindsightRecording
import HindsightStore

/// A small app: what recording one action of it costs is what recording an action costs at least.
struct SmallState: Codable, Sendable {
    var count = 0
    var total = 0
    var label = "nothing yet"
    var isBusy = false
}

enum SmallAction: Codable, Sendable {
    case add(Int)
    case rename(to: String)
    case reset
}

let smallReducer = Reducer<SmallState, SmallAction>.combine(
    Reducer("count") { state, action in
        switch action {
        case .add: state.count &+= 1
        case .rename: break
        case .reset: state.count = 0
        }
    },
    Reducer("total") { state, action in
        if case .add(let amount) = action { state.total &+= amount }
    },
    Reducer("label") { state, action in
        if case .rename(let label) = action { state.label = label }
    }
)

extension SmallAction {
    /// The action with a number: two in three add, one in three renames.
    static func some(_ number: Int) -> SmallAction {
        number % 3 == 2 ? .rename(to: "label \(number % 50)") : .add(number)
    }
}

/// Nanoseconds since some moment, at the cost of one look at the clock.
private func now() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// What one dispatch takes, in bursts with pauses between them, as an app's user makes them: the median and the 99th
/// percentile, in nanoseconds.
private func dispatchTimes(
    _ store: Store<SmallState, SmallAction>,
    bursts: Int = 150,
    of burst: Int = 100
) -> (median: Double, late: Double) {
    var times: [Int] = []
    var number = 0
    for round in 0...bursts {
        for _ in 0..<burst {
            let action = SmallAction.some(number)
            number += 1
            let start = now()
            store.dispatch(action)
            let end = now()
            // The first burst warms up.
            if round > 0 { times.append(end - start) }
        }
        usleep(8_000)
    }
    times.sort()
    return (Double(times[times.count / 2]), Double(times[times.count * 99 / 100]))
}

/// What recording adds to a dispatch on the thread that dispatches.
func benchmarkDispatch() throws {
    let table = Table("A small enum action, 3 reducers", "without", "recorded", "added", "bar")
    try inScratchFolder { folder in
        let recorder = try Recorder<SmallState, SmallAction>(
            to: folder.appendingPathComponent("bench.hindsight"),
            app: AppInfo(name: "bench")
        )
        let plain = dispatchTimes(Store(initial: SmallState(), reducer: smallReducer))
        let recorded = dispatchTimes(
            Store(initial: SmallState(), reducer: smallReducer, middleware: [recorder.middleware])
        )
        try recorder.close()
        table.row(
            "median",
            time(plain.median),
            time(recorded.median),
            time(recorded.median - plain.median),
            "1.5 µs"
        )
        table.row("99th percentile", time(plain.late), time(recorded.late), time(recorded.late - plain.late), "10 µs")
    }
}

/// Runs `body` with a folder that is gone afterwards.
func inScratchFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
}
