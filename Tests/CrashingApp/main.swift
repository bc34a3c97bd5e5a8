import Foundation
import HindsightRecorder
import HindsightRecording
import HindsightStore

// Records three actions. In the second reducer of the third, the process dies as its second argument says.
struct Counters: Codable, Sendable {
    var first = 0
    var second = 0
    var third = 0
}

let output = URL(fileURLWithPath: CommandLine.arguments[1])
let end = CommandLine.arguments[2]

/// Swift hides `fork`, since a copy of a process may do little.
@_silgen_name("fork") func forkProcess() -> Int32

func flush() {
    do {
        try recorder.flush()
    } catch {
        print(error)
    }
}

if let way = WayToDie(rawValue: end) {
    try die(way, marked: CommandLine.arguments.last == "marked", in: output)
}
if let trial = HandlerTrial(rawValue: end) { try run(trial, in: output) }
if end == "secrets" { try keepSecrets(in: output) }
if end == "nest" { try nest(in: output) }
if end.hasPrefix("external") { try recordExternally(in: output, trapping: end == "external trap") }
var options = RecorderOptions()
if end == "limited" {
    options.limit = .actions(200)
}
let recorder = try Recorder<Counters, Int>(to: output, app: AppInfo(name: "crashing"), options: options)
let middleware = recorder.middleware
let store = Store(
    initial: Counters(),
    reducer: Reducer.combine(
        Reducer("first") { $0.first += $1 },
        Reducer("second") { counters, action in
            counters.second += action
            guard action == 3 else { return }
            switch end {
            case "kill", "trap", "wait", "race": break
            default: return
            }
            // In a race, earlier actions are still pending.
            if end != "race" { flush() }
            switch end {
            case "kill", "race": kill(getpid(), SIGKILL)
            case "trap": fatalError("as asked for")
            case "wait":
                // The test ends this process while the reducer runs.
                print("waiting")
                fflush(nil)
                while true { sleep(1) }
            default: break
            }
        },
        Reducer("third") { $0.third += $1 }
    ),
    middleware: [middleware]
)
if end == "endless" || end == "limited" {
    // Prints each number whose dispatch has returned, until the process is killed.
    var action = 3
    while true {
        action += 1
        store.dispatch(action)
        var seq = Int64(action - 3)
        write(STDOUT_FILENO, &seq, 8)
    }
}
if end == "fork" {
    store.dispatch(1)
    // A copy that is made while the writer's thread initializes something of the runtime waits for that for ever.
    flush()
    usleep(200_000)
    if forkProcess() == 0 {
        // The copy's own recording does not matter. It must continue and change nothing.
        alarm(60)
        for action in 10...5000 { store.dispatch(action) }
        let other = Store(
            initial: Counters(),
            reducer: Reducer<Counters, Int>("other") { $0.first += $1 },
            middleware: [middleware]
        )
        other.dispatch(1)
        do {
            try recorder.close()
        } catch {
            _exit(store.state.first > 100 ? 7 : 8)
        }
        _exit(9)
    }
    var status: Int32 = 0
    wait(&status)
    store.dispatch(2)
    try recorder.close()
    exit(status >> 8)
}
for action in 1...3 {
    store.dispatch(action)
}
try recorder.flush()
if end == "orphan" { leaveOrphan() }
if end == "leave" {
    exit(0)
}
print("recording")
fflush(nil)
// Until the test closes its end.
_ = readLine()
try recorder.close()
