import Foundation
import HindsightRecorder
import HindsightRecording
import HindsightStore
import Ledger

// Records a session of the ledger. Writes the number of each action to standard output after `dispatch` has returned
// from it, and the negative number after `flush`. At the end, writes one line per fact to standard error.
//
//   LedgerApp FILE SEED COUNT [power] [flush=N] [journal=BYTES] [queue=ACTIONS] [pause=MICROSECONDS] [wait] [external]
//       [computed]
//   LedgerApp FILE 0 0 recover

struct Settings {
    var flags: Set<String> = []
    var numbers: [String: Int] = [:]

    init(_ arguments: some Sequence<String>) {
        for argument in arguments {
            let parts = argument.split(separator: "=")
            if parts.count == 2 { numbers[String(parts[0])] = Int(parts[1]) } else { flags.insert(argument) }
        }
    }
}

let output = URL(fileURLWithPath: CommandLine.arguments[1])
let seed = UInt64(CommandLine.arguments[2]) ?? 0
let count = Int(CommandLine.arguments[3]) ?? 0
let settings = Settings(CommandLine.arguments.dropFirst(4))

/// Writes at once, so that the output is complete if the process is killed.
func tell(_ number: Int) {
    var number = Int64(number)
    write(STDOUT_FILENO, &number, 8)
}

func say(_ line: String) { FileHandle.standardError.write(Data("\(line)\n".utf8)) }

func say(_ fact: String, _ error: RecordingError) {
    say("\(fact) \(error.code.rawValue): \(error.description.split(separator: "\n")[0])")
}

/// The number of the process's open files and threads, on Linux only.
func possessions() -> String {
    func count(_ path: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: path).count) ?? 0
    }
    return "\(count("/proc/self/fd")) files, \(count("/proc/self/task")) threads"
}

func trying(_ fact: String, _ body: () throws -> Void) {
    do {
        try body()
        say("\(fact) fine")
    } catch let error as RecordingError {
        say(fact, error)
    } catch {
        say("\(fact) unexpected: \(error)")
    }
}

/// Records, and releases everything.
func run() {
    var options = RecorderOptions(overwrite: settings.flags.contains("overwrite")) { say("told", $0) }
    if settings.flags.contains("power") { options.durability = .power }
    if settings.flags.contains("computed") { options.states = .computed(audit: .milliseconds(1)) }
    if let bytes = settings.numbers["journal"] { options.journalBytes = bytes }
    if let actions = settings.numbers["queue"] { options.queueLimit.actions = actions }
    options.keyframeFloor = 64
    options.steps = ledgerReducer.leaves.map(\.name)
    let recorder: Recorder<Ledger, LedgerAction>?
    do {
        recorder = try Recorder(to: output, app: AppInfo(name: "ledger"), options: options)
        say("start fine")
    } catch {
        recorder = nil
        say("start", error)
    }
    let isExternal = settings.flags.contains("external")
    let store = Store(
        initial: Ledger(),
        reducer: ledgerReducer,
        middleware: isExternal ? [] : recorder.map { [$0.middleware] } ?? []
    )
    // With `external`, a store of the app's own.
    var own = Ledger()
    func send(_ action: LedgerAction) {
        guard isExternal else { return store.dispatch(action) }
        guard let recorder else { return ledgerReducer.reduce(&own, action) }
        recorder.record(action, in: &own) { ledger in
            for leaf in ledgerReducer.leaves {
                ActionStep.run(leaf.name, in: &ledger) { leaf.reduce(&$0, action) }
            }
        }
    }
    if count > 0 {
        for seq in 1...count {
            send(LedgerAction.number(seq, seed: seed))
            tell(seq)
            if let every = settings.numbers["flush"], seq % every == 0 {
                trying("flush") {
                    try recorder?.flush()
                    tell(-seq)
                }
            }
            if let pause = settings.numbers["pause"] { usleep(UInt32(pause)) }
        }
    }
    let state = isExternal ? own : store.state
    say("state \(state.count) \(state.sum)")
    if settings.flags.contains("wait") { _ = readLine() }
    switch recorder?.status {
    case .recording: say("status recording")
    case .stopped(let error): say("status", error)
    case .closed: say("status closed")
    case nil: say("status none")
    }
    trying("close") { try recorder?.close() }
    trying("close") { try recorder?.close() }
}

// Foundation and Swift have opened their permanent files by now.
_ = possessions()
let before = possessions()
if settings.flags.contains("recover") {
    trying("recover") { _ = try Recording.recover(at: output) }
} else {
    run()
}
// An ended thread may still be listed for a moment.
for _ in 0..<600 where possessions() != before { usleep(5_000) }
say(possessions() == before ? "kept nothing" : "kept \(possessions()) of \(before)")
