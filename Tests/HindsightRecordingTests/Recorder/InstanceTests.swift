import Foundation
import HindsightRecording
import HindsightStore
import HindsightTree
import Testing

@Suite("States that hold class instances") struct InstanceTests {
    @Test("What a reducer changes behind a reference is that reducer's, at every position")
    func everyPosition() throws {
        let scratch = try Scratch()
        let recorder = try Recorder<Desk, Int>(to: scratch.file(), app: AppInfo(name: "desk"))
        let store = Store(
            initial: Desk(),
            reducer: .combine(
                Reducer("count") { $0.drawer.count += $1 },
                Reducer("label") { $0.drawer.label += "\($1)" },
                Reducer("total") { $0.total += $1 },
                Reducer("swap") { if $1 == 3 { $0.drawer = Drawer() } }
            ),
            middleware: [recorder.middleware]
        )
        for action in 1...4 { store.dispatch(action) }
        try recorder.close()
        let recording = try Recording(at: scratch.file())
        func state(_ count: Int, _ label: String, _ total: Int) -> String {
            #"{"drawer":{"count":\#(count),"label":"\#(label)"},"total":\#(total)}"#
        }
        for (position, expected) in [
            ("0", state(0, "", 0)), ("1.1", state(1, "", 0)), ("1.2", state(1, "1", 0)), ("1", state(1, "1", 1)),
            ("2.1", state(3, "1", 1)), ("2", state(3, "12", 3)), ("3.3", state(6, "123", 6)), ("3", state(0, "", 6)),
            ("4", state(4, "4", 10)),
        ] {
            #expect(try recording.state(at: recording.position(position)).json == expected, "at \(position)")
        }
        #expect(try recording.steps(of: 1).map { $0.patch != nil } == [true, true, true, false])
    }
}

private struct Desk: Codable, Sendable {
    var drawer = Drawer()
    var total = 0
}

/// Changed on the store's one thread only.
private final class Drawer: Codable, @unchecked Sendable {
    var count = 0
    var label = ""
}
