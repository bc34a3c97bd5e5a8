import Foundation
import HindsightRecording
import HindsightStore

// Records three actions; in the third one's second reducer it dies as its second argument says.
struct Counters: Codable, Sendable {
    var first = 0
    var second = 0
    var third = 0
}

let output = URL(fileURLWithPath: CommandLine.arguments[1])
let end = CommandLine.arguments[2]

let recorder = try Recorder<Counters, Int>(to: output, app: AppInfo(name: "crashing"))
let store = Store(
    initial: Counters(),
    reducer: Reducer.combine(
        Reducer("first") { $0.first += $1 },
        Reducer("second") { counters, action in
            counters.second += action
            guard action == 3 else { return }
            switch end {
            case "kill": kill(getpid(), SIGKILL)
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
    middleware: [recorder.middleware]
)
for action in 1...3 {
    store.dispatch(action)
}
if end == "leave" {
    exit(0)
}
print("recording")
fflush(nil)
// Until the test closes its end.
_ = readLine()
try recorder.close()
