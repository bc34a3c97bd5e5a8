import Foundation
import HindsightFormat
import HindsightRecorder
import HindsightRecording
import HindsightStore
import HindsightSupport
import HindsightTree

/// The state of a small app, whose actions cost about the least that recording an action can cost.
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
    /// The action of a number: two in three add, one in three renames.
    static func some(_ number: Int) -> SmallAction {
        number % 3 == 2 ? .rename(to: "label \(number % 50)") : .add(number)
    }
}

/// The median and the 99th percentile of the time of a dispatch in nanoseconds.
private struct Times {
    var median: Double
    var late: Double
}

/// The times of dispatches in bursts with pauses, as user input causes them.
private func dispatchTimes(
    bursts: Int = 150,
    of burst: Int = 100,
    _ dispatch: (SmallAction) -> Void
) -> Times {
    var times: [Int64] = []
    var number = 0
    for round in 0...bursts {
        for _ in 0..<burst {
            let action = SmallAction.some(number)
            number += 1
            let start = SystemClock.monotonic
            dispatch(action)
            let end = SystemClock.monotonic
            // The first burst warms up.
            if round > 0 { times.append(end - start) }
        }
        usleep(8_000)
    }
    times.sort()
    return Times(median: Double(times[times.count / 2]), late: Double(times[times.count * 99 / 100]))
}

/// Measures the time that recording adds to a dispatch on the dispatching thread.
func benchmarkDispatch() throws {
    let table = Table("A small enum action, 3 reducers", "without", "captured: added", "computed: added", "bar")
    try inScratchFolder { folder in
        let bare = Store(initial: SmallState(), reducer: smallReducer)
        let captured = try recordedStore(SmallState(), smallReducer, in: folder)
        let options = RecorderOptions(states: .computed())
        let computed = try recordedStore(SmallState(), smallReducer, in: folder, named: "computed", options: options)
        let plain = dispatchTimes { bare.dispatch($0) }
        let (first, second) = (
            dispatchTimes { captured.store.dispatch($0) }, dispatchTimes { computed.store.dispatch($0) }
        )
        try captured.recorder.close()
        try computed.recorder.close()
        for (name, point, bar) in [("median", \Times.median, "1.5 µs"), ("99th percentile", \Times.late, "10 µs")] {
            let without = plain[keyPath: point]
            table.row(
                name,
                time(without),
                time(first[keyPath: point] - without),
                time(second[keyPath: point] - without),
                bar
            )
        }
    }
}

/// Measures recording a store of another kind beside recording a `Store` with the same single reducer.
func benchmarkExternalStore() throws {
    let table = Table("The same action, 1 reducer", "a Store", "another", "ratio", "bar")
    let whole = Reducer<SmallState, SmallAction>("reduce") { state, action in smallReducer.reduce(&state, action) }
    try inScratchFolder { folder in
        let (store, recorder) = try recordedStore(SmallState(), whole, in: folder)
        let file = folder.appendingPathComponent("external.hindsight")
        let external = try Recorder<SmallState, SmallAction>(to: file, app: AppInfo(name: "bench"))
        var state = SmallState()
        // In turn, and the best of each: which core the writer runs on makes more difference than the kind of store.
        var (first, second) = (dispatchTimes { store.dispatch($0) }, Times(median: .infinity, late: .infinity))
        func best(_ one: Times, _ other: Times) -> Times {
            Times(median: min(one.median, other.median), late: min(one.late, other.late))
        }
        for _ in 1...4 {
            let times = dispatchTimes { action in
                external.record(action, in: &state) { state in smallReducer.reduce(&state, action) }
            }
            second = best(second, times)
            first = best(first, dispatchTimes { store.dispatch($0) })
        }
        try recorder.close()
        try external.close()
        func row(_ name: String, _ one: Double, _ other: Double) {
            table.row(name, time(one), time(other), String(format: "%.2f", other / one), "1.2")
        }
        row("median", first.median, second.median)
        row("99th percentile", first.late, second.late)
    }
}

/// A state that is not `Codable`, whose parts are described.
private struct DescribedState {
    struct Part { var number = 0, name = "part" }

    var parts: [Part]
}

func benchmarkDescribedStates() throws {
    let table = Table("A state that is not Codable", "parts", "an action", "a part")
    for count in [10, 100, 1_000] {
        try inScratchFolder { folder in
            let file = folder.appendingPathComponent("described.hindsight")
            let recorder = try Recorder<Described<DescribedState>, Int>(to: file, app: AppInfo(name: "bench"))
            var state = DescribedState(parts: Array(repeating: DescribedState.Part(), count: count))
            func run(_ actions: Int) {
                for number in 0..<actions {
                    recorder.record(number, in: &state) { $0.parts[number % count].number += 1 }
                }
            }
            run(10)
            let actions = 20_000 / count
            let each = elapsed { run(actions) } / Double(actions)
            try recorder.close()
            // A part has two properties.
            let all = 3 * Double(count)
            table.row("\(Int(all)) parts", "\(Int(all))", time(each), time(each / all))
        }
    }
}

/// Creates a store with a recorder.
@inline(__always)
func recordedStore<StateValue: Codable & Sendable, ActionValue: Codable & Sendable>(
    _ initial: StateValue,
    _ reducer: Reducer<StateValue, ActionValue>,
    in folder: URL,
    named name: String = "bench",
    options: RecorderOptions = RecorderOptions()
) throws -> (store: Store<StateValue, ActionValue>, recorder: Recorder<StateValue, ActionValue>) {
    let file = folder.appendingPathComponent("\(name).hindsight")
    let recorder = try Recorder<StateValue, ActionValue>(to: file, app: AppInfo(name: "bench"), options: options)
    return (Store(initial: initial, reducer: reducer, middleware: [recorder.middleware]), recorder)
}

/// Runs `body` with a temporary folder.
func inScratchFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
}
