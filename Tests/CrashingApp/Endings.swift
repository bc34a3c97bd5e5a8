import Foundation
import HindsightRecorder
import HindsightRecording
import HindsightStore

/// Dies, and leaves a copy of the process that lives until its input ends.
func leaveOrphan() -> Never {
    if forkProcess() == 0 {
        var byte: UInt8 = 0
        while read(STDIN_FILENO, &byte, 1) > 0 {}
        _exit(0)
    }
    kill(getpid(), SIGKILL)
    exit(1)
}

/// A state that is nested deeply. Its encoding needs more stack than the dispatching thread may have.
private struct Nest: Codable, Sendable {
    var value = 0
    var inner: [Nest] = []
}

/// Records a state of the greatest allowed depth, and reports the result by its exit code.
func nest(in output: URL) throws -> Never {
    let recorder = try Recorder<Nest, Int>(to: output, app: AppInfo(name: "nest"))
    let store = Store(
        initial: Nest(),
        reducer: Reducer<Nest, Int>("nest") { state, depth in
            var nest = Nest(value: depth)
            for _ in 1..<depth { nest = Nest(value: depth, inner: [nest]) }
            state = nest
        },
        middleware: [recorder.middleware]
    )
    for depth in [2, 200, 3, 240, 1] { store.dispatch(depth) }
    try recorder.close()
    exit(0)
}
