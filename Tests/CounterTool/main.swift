import Foundation
import HindsightCLI
import HindsightRecorder
import HindsightReplay
import HindsightStore

// The tool of a small app whose reducers tests can change through COUNTER: `doubling` changes the result, `changed` that
// of two reducers, `trapping` ends the process, `leaving` calls exit, `talking` prints, and `stuck` does not return and
// prints its process ID. `up to 20` ends the process on a sum above 20, and `doubling up to 20` does both.
// `end(as:)` has more ways to end the process.

struct CounterState: Codable, Sendable {
    var count = 0
    var totals = Totals()

    struct Totals: Codable, Sendable {
        var sum = 0
        var largest = 0

        /// As the compiler synthesizes it, except that COUNTER=encoding traps.
        func encode(to encoder: any Encoder) throws {
            if variant == "encoding", sum == 10 { fatalError("encoded") }
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(sum, forKey: .sum)
            try container.encode(largest, forKey: .largest)
        }
    }
}

enum CounterAction: Codable, Sendable {
    case add(amount: Int)
    case reset
}

let variant = ProcessInfo.processInfo.environment["COUNTER"]

/// One of the first three amounts, or any amount if `nil`.
@inline(never) func pick(_ index: Int) -> Int { [3, 5, 7][index] }

@inline(never) func ping(_ depth: Int) -> Int { depth < 0 ? 0 : pong(depth + 1) + 1 }
@inline(never) func pong(_ depth: Int) -> Int { depth < 0 ? 0 : ping(depth + 1) + 1 }

/// The ways of a reducer to end its process without a verdict.
func end(as variant: String) {
    switch variant {
    case "leaving": exit(0)
    case "leaving at once": _exit(0)
    case "indexing": print(pick(variant.count))
    case "recursing": print(ping(0))
    case "killed": kill(getpid(), SIGKILL)
    case "terminated": kill(getpid(), SIGTERM)
    case "becoming another":
        let words = [strdup("/bin/true"), nil]
        execv("/bin/true", words)
    case "leaving on a thread":
        Thread.detachNewThread { exit(0) }
        Thread.sleep(forTimeInterval: 60)
    case "closing all":
        for descriptor in Int32(0)..<64 { close(descriptor) }
    case "closing all and leaving":
        for descriptor in Int32(0)..<64 { close(descriptor) }
        exit(0)
    case "crashing at exit":
        atexit { abort() }
    case "silent at the end":
        FileHandle.standardError.closeFile()
        FileHandle.standardOutput.closeFile()
    case "forking", "forking for long":
        // Swift does not offer the call, but a library of the app may make it.
        typealias Fork = @convention(c) () -> pid_t
        guard let symbol = dlsym(nil, "fork") else { return }
        if unsafeBitCast(symbol, to: Fork.self)() == 0, variant == "forking for long" { sleep(300) }
    case "leaking":
        // Takes addresses, and no memory.
        while true { _ = UnsafeMutableRawPointer.allocate(byteCount: 64 << 20, alignment: 16) }
    case "spinning":
        while true { if getppid() == -1 { return } }
    default: break
    }
}

let counterReducer: Reducer<CounterState, CounterAction> = .combine(
    Reducer("count") { state, action in
        let start = variant == "changed" || variant == "resetting to 1" ? 1 : 0
        if case .add = action { state.count += 1 } else { state.count = start }
    },
    Reducer("totals.sum") { state, action in
        guard case .add(let amount) = action else { return state.totals.sum = variant == "resetting to 1" ? 1 : 0 }
        if variant == "trapping", amount == 7 { fatalError("seven") }
        if let variant, variant.hasSuffix("up to 20"), state.totals.sum > 20 { fatalError("over 20") }
        if amount == 7, let variant { end(as: variant) }
        if variant == "talking" { print("\u{1B}[31mreduced \(amount)") }
        if variant == "stuck", amount == 7 {
            FileHandle.standardError.write(Data("\(ProcessInfo.processInfo.processIdentifier)\n".utf8))
            Thread.sleep(forTimeInterval: 60)
        }
        let isDoubling = variant == "changed" || variant?.hasPrefix("doubling") == true
        state.totals.sum += isDoubling && amount == 7 ? 2 * amount : amount
    },
    Reducer("totals.largest") { state, action in
        guard case .add(let amount) = action else { return state.totals.largest = 0 }
        state.totals.largest = max(state.totals.largest, amount)
    }
)

HindsightTool.run(ReplayableApp("counter", initial: CounterState(), reducer: counterReducer))
