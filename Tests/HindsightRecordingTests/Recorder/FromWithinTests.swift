import Dispatch
import Foundation
import HindsightStore
import HindsightTree
import TestSupport
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

/// App code that runs during recording and calls the recorder.
@Suite("A recorder that its own callbacks call") struct FromWithinTests {
    private let scratch = Scratch()

    /// Runs a test's closures.
    private final class Hook: Sendable {
        let onEncoding = Guarded<(@Sendable () -> Void)?>(nil)
        let onEnd = Guarded<(@Sendable () -> Void)?>(nil)

        deinit { onEnd.withLock { $0 }?() }
    }

    private struct Count: Codable, Sendable {
        var count = 0
        var hook: Hook?

        enum CodingKeys: CodingKey { case count }

        func encode(to encoder: any Encoder) throws {
            hook?.onEncoding.withLock { $0 }?()
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(count, forKey: .count)
        }
    }

    /// A number that encodes its halves, and runs `Step.script` while it does.
    private struct Step: Codable, Sendable {
        static let script = Guarded<(@Sendable (Int) -> Void)?>(nil)
        var number: Int

        enum CodingKeys: CodingKey { case number, half, text }

        init(_ number: Int) { self.number = number }

        init(from decoder: any Decoder) throws {
            number = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .number)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(number, forKey: .number)
            Self.script.withLock { $0 }?(number)
            if number > 1 { try container.encode(Step(number / 2), forKey: .half) }
            try container.encode(NodeEncoder().encode([number]).json, forKey: .text)
        }
    }

    private func recorder<ActionValue: Codable & Sendable>(
        of action: ActionValue.Type = Int.self,
        in scratch: Scratch
    ) throws -> Recorder<Count, ActionValue> {
        try Recorder<Count, ActionValue>(to: scratch.file(), app: AppInfo(name: "count"))
    }

    private func store(_ middleware: Middleware<Count, Int>) -> Store<Count, Int> {
        let reducer = Reducer<Count, Int>("count") { state, number in
            state.count += number
            if number == 0 { state.hook = nil }
        }
        return Store(initial: Count(), reducer: reducer, middleware: [middleware])
    }

    /// Runs the body on a new thread, and returns whether it ended.
    private func ends(_ body: @escaping @Sendable () throws -> Void) -> Bool {
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            do { try body() } catch { Issue.record(error) }
            isDone.signal()
        }
        return isDone.wait(timeout: .now() + 60) == .success
    }

    @Test(arguments: [false, true])
    func `Flush and close on the recorder's own thread do not wait`(closes: Bool) throws {
        let recorder = try recorder(in: scratch)
        let runs = Guarded(0)
        let comeBack: @Sendable () -> Void = { [weak recorder] in
            runs.withLock { $0 += 1 }
            do {
                if closes { try recorder?.close() } else { try recorder?.flush() }
            } catch {
                Issue.record(error)
            }
        }
        let (store, ended) = (store(recorder.middleware), Guarded(0))
        let isOver = ends {
            do {
                let hook = Hook()
                hook.onEncoding.withLock { $0 = comeBack }
                hook.onEnd.withLock { $0 = comeBack }
                store.travel(toState: Count(count: 1, hook: hook))
            }
            store.dispatch(0)
            ended.withLock { $0 = 2 }
            try recorder.close()
        }
        #expect(isOver)
        #expect(runs.withLock { $0 } >= 2)
        let recording = try Recording(at: scratch.file())
        #expect(recording.ending == .closed)
        if !closes { #expect(recording.end.seq == ended.withLock { $0 }) }
    }

    @Test func `After the recorder is closed nothing is recorded, also if the writer goes on`() throws {
        let recorder = try recorder(in: scratch)
        let store = store(recorder.middleware)
        let (isClosed, mayGoOn, runs) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), Guarded(0))
        let hook = Hook()
        hook.onEncoding.withLock {
            $0 = { [weak recorder] in
                let isFirst = runs.withLock { runs in
                    runs += 1
                    return runs == 1
                }
                guard isFirst else { return }
                do { try recorder?.close() } catch { Issue.record(error) }
                isClosed.signal()
                mayGoOn.wait()
            }
        }
        store.travel(toState: Count(count: 1, hook: hook))
        #expect(isClosed.wait(timeout: .now() + 60) == .success)
        store.dispatch(1)
        mayGoOn.signal()
        try recorder.close()
        #expect(try Recording(at: scratch.file()).actionCount == 1)
    }

    @Test func `A state that reads its store on release does not deadlock, even if dispatch waits for room`() throws {
        let options = RecorderOptions(queueLimit: QueueLimit(actions: 1, bytes: 1))
        let recorder = try Recorder<Count, Int>(to: scratch.file(), app: AppInfo(name: "count"), options: options)
        let (read, answers) = (Guarded<(@Sendable () -> Void)?>(nil), Guarded(0))
        let reducer = Reducer<Count, Int>("count") { state, number in
            state.count += number
            let hook = Hook()
            hook.onEnd.withLock { $0 = { read.withLock { $0 }?() } }
            state.hook = hook
        }
        let store = Store(initial: Count(), reducer: reducer, middleware: [recorder.middleware])
        read.withLock {
            $0 = { [weak store] in
                if store?.state.count ?? 0 > 0 { answers.withLock { $0 += 1 } }
            }
        }
        let isOver = ends {
            for _ in 1...20 { store.dispatch(1) }
            try recorder.close()
        }
        #expect(isOver)
        #expect(answers.withLock { $0 } > 0)
        #expect(try Recording(at: scratch.file()).actionCount == 20)
    }

    @Test func `A recorder that is released with the last state is closed`() throws {
        do {
            let hook = Hook()
            let store = store(try recorder(in: scratch).middleware)
            hook.onEnd.withLock { $0 = { withExtendedLifetime(store) {} } }
            store.travel(toState: Count(count: 1, hook: hook))
            store.dispatch(0)
            store.dispatch(1)
        }
        let deadline = Date(timeIntervalSinceNow: 60)
        while try Recording(at: scratch.file()).ending != .closed, Date() < deadline { usleep(5_000) }
        let recording = try Recording(at: scratch.file())
        #expect(recording.ending == .closed)
        #expect(recording.end == Recording.Position(seq: 3))
    }

    @Test(.serialized, arguments: ["dispatch", "elsewhere", "travel", "flush", "close"])
    func `Code that runs while an action is encoded does not corrupt the recording`(outcome: String) throws {
        let (scratch, other) = (Scratch(), Scratch())
        let recorders = [try recorder(of: Step.self, in: scratch), try recorder(of: Step.self, in: other)]
        let stores = recorders.map { recorder in
            Store(
                initial: Count(),
                reducer: Reducer<Count, Step>("count") { $0.count += $1.number },
                middleware: [recorder.middleware]
            )
        }
        let isOver = ends {
            Step.script.withLock {
                $0 = { number in
                    if number != 4 { return }
                    switch outcome {
                    case "dispatch": stores[0].dispatch(Step(1))
                    case "elsewhere": stores[1].dispatch(Step(3))
                    case "travel": stores[0].travel(toState: Count(count: 100))
                    case "flush": try? recorders[0].flush()
                    default: try? recorders[0].close()
                    }
                }
            }
            for number in [2, 8, 3] { stores[0].dispatch(Step(number)) }
            for recorder in recorders { try recorder.close() }
        }
        Step.script.withLock { $0 = nil }
        #expect(isOver)
        let recording = try Recording(at: scratch.file())
        let last = try recording.state(at: recording.end)
        #expect(try last == NodeEncoder().encode(outcome == "close" ? Count(count: 2) : stores[0].state))
        for seq in 1...recording.actionCount {
            let action = try recording.action(seq)
            guard let payload = action.payload, case .int(let number)? = payload["number"] else {
                #expect(outcome == "travel")
                continue
            }
            #expect(try payload == NodeEncoder().encode(Step(number)))
        }
        #expect(try Recording(at: other.file()).actionCount == (outcome == "elsewhere" ? 1 : 0))
    }

    @Test func `Middleware in two stores that are created concurrently stops the recorder`() throws {
        for _ in 0..<30 {
            let (scratch, complaints) = (Scratch(), Complaints())
            let recorder = try Recorder<Count, Int>(
                to: scratch.file(),
                app: AppInfo(name: "count"),
                options: complaints.options
            )
            let middleware = recorder.middleware
            DispatchQueue.concurrentPerform(iterations: 3) { _ in
                let store = store(middleware)
                for number in 1...100 { store.dispatch(number) }
            }
            #expect(complaints.codes.allSatisfy { $0 == .secondStore })
            #expect(!complaints.codes.isEmpty)
            expectError(.secondStore) { try recorder.close() }
        }
    }
}
