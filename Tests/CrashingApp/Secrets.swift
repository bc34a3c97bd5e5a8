import Foundation
import HindsightRecorder
import HindsightRecording
import HindsightStore

/// States and actions whose contents must not appear in any file.
private struct Confidant: Codable, Sendable {
    var mail = "\u{10000}\u{10001}"
    @Redacted var pin = "\u{10002}"
    var count = 0
}

/// Records secrets until the process is killed, and prints each number whose `dispatch` has returned.
func keepSecrets(in output: URL) throws -> Never {
    var options = RecorderOptions()
    options.redaction = Redaction(states: ["/mail"], actions: [""])
    let recorder = try Recorder<Confidant, String>(to: output, app: AppInfo(name: "confidant"), options: options)
    let store = Store(
        initial: Confidant(),
        reducer: Reducer<Confidant, String>("keep") { state, action in
            state.mail = String((state.mail + action).suffix(100))
            state.pin = action
            state.count += 1
        },
        middleware: [recorder.middleware]
    )
    var seq: Int64 = 0
    while true {
        seq += 1
        let scalar = UnicodeScalar(0x10000 + UInt32(seq % 0x40)) ?? "?"
        store.dispatch(String(Character(scalar)))
        write(STDOUT_FILENO, &seq, 8)
    }
}
