import Foundation
import HindsightRecorder
import HindsightRecording
import HindsightStore
import HindsightTree
import Ledger
import TestSupport
import Testing

@Suite("Many threads") struct ManyThreadsTests {
    private static let threads = 64
    private static let each = 1_000_000_000

    @Test(
        "64 threads dispatch concurrently: every action is recorded, in order per thread, and replays",
        arguments: [StateSource.captured, .computed(audit: .milliseconds(5))]
    )
    func many(states: StateSource) throws {
        let subject = try Subject()
        var options = RecorderOptions(states: states) { _ = Issue.record($0) }
        options.journalBytes = 1 << 16
        let recorder = try Recorder<Ledger, LedgerAction>(
            to: subject.recording,
            app: AppInfo(name: "ledger"),
            options: options
        )
        let store = Store(initial: Ledger(), reducer: ledgerReducer, middleware: [recorder.middleware])
        let end = Amount.minutes.map { Date(timeIntervalSinceNow: $0 * 60) }
        let enough = end == nil ? 40 : Self.each
        // Separate threads, since `concurrentPerform` runs only as many as there are processors.
        onThreads(Self.threads) { thread in
            var count = 0
            while count < enough, end.map({ Date() < $0 }) ?? true {
                count += 1
                store.dispatch(.post(amount: thread * Self.each + count, note: "n"))
                // A concurrent reader.
                if count % 16 == thread % 16 { _ = recorder.status }
            }
        }
        try recorder.flush()
        let state = store.state
        try recorder.close()

        let recording = try Recording(at: subject.recording)
        #expect(recording.ending == .closed)
        #expect(recording.actionCount == state.count && recording.end.seq == state.count)
        #expect(Amount.isLong || state.count == Self.threads * enough)
        var last = [Int](repeating: 0, count: Self.threads)
        var next = 1
        for action in try recording.actions(in: 1...recording.actionCount) {
            #expect(action.seq == next)
            next += 1
            guard case .int(let amount)? = action.payload?["post"]?["amount"] else {
                Issue.record("action \(action.seq) is \(action.payload?.json ?? "none")")
                continue
            }
            let (thread, number) = (amount / Self.each, amount % Self.each)
            #expect(number == last[thread] + 1, "action \(action.seq) of thread \(thread)")
            last[thread] = number
        }
        #expect(last.reduce(0, +) == state.count)
        #expect(last.allSatisfy { $0 > 0 }, "\(last)")
        let (least, most) = (last.min() ?? 0, last.max() ?? 0)
        print("\(state.count) actions of \(Self.threads) threads, from \(least) to \(most) of each")
        #expect(try recording.state(at: recording.end) == NodeEncoder().encode(state))
        let result = try ledgerApp.verify(recording)
        #expect(result.matches && result.actions == state.count)
    }
}
