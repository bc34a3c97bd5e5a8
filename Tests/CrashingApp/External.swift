import Foundation
import HindsightRecorder

/// Records with a store of the app's own until the process is killed, and prints each number whose `record` has returned;
/// or traps in the step `second` of action 3.
func recordExternally(in output: URL, trapping: Bool) throws -> Never {
    let options = RecorderOptions(steps: ["first", "second"])
    let recorder = try Recorder<Counters, Int>(to: output, app: AppInfo(name: "crashing"), options: options)
    var counters = Counters()
    var seq: Int64 = 0
    while true {
        seq += 1
        recorder.record(Int(seq), in: &counters) { counters in
            ActionStep.run("first", in: &counters) { $0.first += Int(seq) }
            ActionStep.run("second", in: &counters) { counters in
                if trapping, seq == 3 { fatalError("as asked for") }
                counters.second += Int(seq)
            }
            counters.third += Int(seq)
        }
        write(STDOUT_FILENO, &seq, 8)
    }
}
