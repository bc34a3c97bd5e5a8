import Foundation
import HindsightRecorder
import HindsightStore
import Synchronization
import Testing

@testable import HindsightCLI

/// What `info` says of states that the recorder has computed.
@Suite struct ComputedStatesTextTests {
    /// Records 20 actions, of which the seventh is impure, and closes the recorder unless that is left out.
    private func info(impure: Bool, audit: Duration, closes: Bool = true) throws -> [String] {
        let scratch = Scratch()
        let file = scratch.file("s.hindsight")
        let options = RecorderOptions(states: .computed(audit: audit)) { _ in }
        let recorder = try Recorder<Int, Int>(to: file, app: AppInfo(name: "sum"), options: options)
        let calls = Atomic(0)
        let reducer = Reducer<Int, Int>("sum") { sum, number in
            sum += impure && number == 7 ? calls.add(1, ordering: .relaxed).newValue : number
        }
        let store = Store(initial: 0, reducer: reducer, middleware: [recorder.middleware])
        for number in 1...20 { store.dispatch(number) }
        if closes { try recorder.close() } else { try recorder.flush() }
        let tool = ToolHarness().running(["info", file.path])
        if !closes { try recorder.close() }
        let lines = String(decoding: tool.output, as: UTF8.self).split(separator: "\n").map(String.init)
        return lines.filter { $0.hasPrefix("computed") || $0.hasPrefix("doubtful") }
    }

    private static let start = "computed  the states, by the recorder with the app's reducers; "

    @Test func `info says how far states were compared`() throws {
        #expect(
            try info(impure: false, audit: .seconds(100)) == [
                Self.start + "compared with the app's up to action 20"
            ]
        )
        #expect(
            try info(impure: false, audit: .seconds(100), closes: false) == [
                Self.start + "none was compared with the app's"
            ]
        )
        #expect(
            try info(impure: true, audit: .seconds(100)) == [
                "doubtful  the states in actions 1 to 20: the recorder computed them, and the app had another one; "
                    + "the state after action 20 is exact",
                Self.start + "after action 20, the app had another state, which is recorded there",
            ]
        )
    }
}
