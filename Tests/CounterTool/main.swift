import Foundation
import HindsightCLI
import HindsightReplay
import HindsightStore

// The tool of a small app that tests can change: COUNTER=doubling has a reducer that does something else than it did,
// COUNTER=trapping one that ends the process, COUNTER=leaving one that calls exit, COUNTER=talking one that prints, COUNTER=stuck one that does not return; it says in which process it is. COUNTER=killed
// is a process that is killed there.

struct CounterState: Codable, Sendable {
    var count = 0
    var totals = Totals()

    struct Totals: Codable, Sendable {
        var sum = 0
        var largest = 0
    }
}

enum CounterAction: Codable, Sendable {
    case add(amount: Int)
    case reset
}

let variant = ProcessInfo.processInfo.environment["COUNTER"]

let counterReducer: Reducer<CounterState, CounterAction> = .combine(
    Reducer("count") { state, action in
        if case .add = action { state.count += 1 } else { state.count = 0 }
    },
    Reducer("totals.sum") { state, action in
        guard case .add(let amount) = action else { return state.totals.sum = 0 }
        if variant == "trapping", amount == 7 { fatalError("seven") }
        if variant == "leaving", amount == 7 { exit(0) }
        if variant == "killed", amount == 7 { kill(ProcessInfo.processInfo.processIdentifier, SIGKILL) }
        if variant == "talking" { print("\u{1B}[31mreduced \(amount)") }
        if variant == "stuck", amount == 7 {
            FileHandle.standardError.write(Data("\(ProcessInfo.processInfo.processIdentifier)\n".utf8))
            Thread.sleep(forTimeInterval: 60)
        }
        state.totals.sum += variant == "doubling" && amount == 7 ? 2 * amount : amount
    },
    Reducer("totals.largest") { state, action in
        guard case .add(let amount) = action else { return state.totals.largest = 0 }
        state.totals.largest = max(state.totals.largest, amount)
    }
)

HindsightTool.run(ReplayableApp("counter", initial: CounterState(), reducer: counterReducer))
