import Foundation
import HindsightTree
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

@Suite("Killed processes") struct KillTests {
    private let scratch = Scratch()

    @Test(
        "A process killed at any moment leaves every action whose dispatch returned",
        arguments: [1, 2, 3, 4, 5, 6]
    )
    func random(round: Int) throws {
        let child = try Child(recordingTo: scratch.file(), end: "endless")
        let printed = child.killAndRead(after: .random(in: 0...60_000))
        let returned = printed.count / 8
        #expect(returned > 0)

        let before = try scratch.contents()
        let recording = try Recording(at: scratch.file())
        // One more if an action was in progress or its number was not printed.
        #expect((returned...returned + 1).contains(recording.lastFinished), "round \(round)")
        #expect((recording.lastFinished...recording.lastFinished + 1).contains(recording.actionCount))
        #expect(recording.end.seq <= recording.lastFinished)
        #expect(recording.reducers == ["first", "second", "third"])
        switch recording.ending {
        case .open(live: false): #expect(recording.lastFinished == recording.actionCount)
        case .crashed(let seq, _): #expect(seq == recording.lastFinished + 1)
        default: Issue.record("\(recording.ending)")
        }
        var next = 1
        for action in try recording.actions(in: 1...recording.actionCount) {
            #expect(action.seq == next)
            #expect(action.payload == .int(next + 3))
            next += 1
        }
        #expect(next == recording.actionCount + 1)
        #expect(try recording.summary().actions == recording.actionCount)
        let last = recording.end.seq
        #expect(try recording.state(at: recording.end)["third"] == .int((0..<last).reduce(0) { $0 + $1 + 4 }))
        if last < recording.lastFinished {
            let error = #expect(throws: RecordingError.self) { try recording.position("\(last + 1)") }
            #expect(error?.description.contains("the states after action \(last) were not written any more") == true)
            #expect(try recording.steps(of: last + 1).isEmpty)
            #expect(try recording.action(last + 1).duration != nil)
        }
        #expect(try scratch.contents() == before)
    }

    @Test("A dead process loses its pending states, but not their actions")
    func race() throws {
        let child = try Child(recordingTo: scratch.file(), end: "race")
        child.waitForEnd()
        let recording = try Recording(at: scratch.file())
        #expect(recording.ending == .crashed(seq: 3, reducer: 2))
        #expect(try recording.actions(in: 1...3).map(\.payload) == [1, 2, 3])
        #expect(try recording.actions(in: 1...3).map { $0.duration != nil } == [true, true, false])
        #expect(try recording.action(2).origin?.hasPrefix("CrashingApp/main.swift:") == true)
        if recording.end.seq < 2 {
            let error = #expect(throws: RecordingError.self) { try recording.position("crash") }
            #expect(error?.description.contains("replaying computes them") == true)
        }
    }

    @Test("A forked process records nothing, and leaves its parent's recording alone")
    func fork() throws {
        let child = try Child(recordingTo: scratch.file(), end: "fork")
        child.waitForEnd()
        #expect(child.status == 7)
        let recording = try Recording(at: scratch.file())
        #expect(recording.ending == .closed)
        #expect(try recording.actions(in: 1...9).map(\.payload) == [1, 2])
    }

    @Test("The recording of a dead process is dead, even if a forked process lives on")
    func orphan() throws {
        let child = try Child(recordingTo: scratch.file(), end: "orphan")
        child.waitForEnd()
        #expect(child.status == -SIGKILL)
        // The forked process waits for the end of the input.
        #expect(try Recording(at: scratch.file()).ending == .open(live: false))
        #expect(try Recording.recover(at: scratch.file()).isNeeded)
        #expect(try scratch.names == ["session.hindsight"])
        #expect(try Recording(at: scratch.file()).actionCount == 3)
        try child.closeInput()
    }

    @Test("The writer's stack has a fixed size, however small the process's is")
    func smallStack() throws {
        let child = try Child(recordingTo: scratch.file(), end: "nest", after: "ulimit -s 128")
        child.waitForEnd()
        #expect(child.status == 0)
        let recording = try Recording(at: scratch.file())
        #expect(recording.ending == .closed)
        var state = try recording.state(at: Recording.Position(seq: 4))
        var depth = 1
        while let inner = state["inner"]?[0] { (state, depth) = (inner, depth + 1) }
        #expect(depth == 240)
    }

    @Test("Closing while other threads dispatch keeps all earlier actions")
    func closingWhileDispatching() async throws {
        for _ in 1...5 {
            let scratch = Scratch()
            let (recorder, store) = try shop(at: scratch.file())
            await withTaskGroup(of: Void.self) { group in
                for task in 0..<2 {
                    group.addTask { for action in shopActions(200, seed: UInt64(task)) { store.dispatch(action) } }
                }
                group.addTask {
                    do {
                        try await Task.sleep(nanoseconds: .random(in: 0...3_000_000))
                        try recorder.close()
                    } catch {
                        Issue.record(error)
                    }
                }
            }
            let recording = try Recording(at: scratch.file())
            #expect(recording.ending == .closed)
            let actions = try recording.actions(in: 1...400)
            #expect(actions.map(\.seq) == actions.indices.map { $0 + 1 })
            _ = try recording.state(at: recording.end)
            #expect(try scratch.names == ["session.hindsight"])
        }
    }

    @Test("A queue of one action and a journal of one page are slow but lose nothing")
    func smallest() throws {
        var options = RecorderOptions(queueLimit: QueueLimit(actions: 1, bytes: 1))
        options.journalBytes = 512
        let witness = Witness<Shop, ShopAction>()
        let (recorder, store) = try shop(
            at: scratch.file(),
            options: options,
            middleware: [.init(observer: witness)]
        )
        for action in shopActions(100, seed: 3) + [.write(String(repeating: "long ", count: 5000))] {
            store.dispatch(action)
        }
        let recording = try recorder.closeAndRead()
        #expect(recording.actionCount == 101)
        for (position, state) in witness.states {
            #expect(try recording.state(at: position) == NodeEncoder().encode(state), "at \(position)")
        }
    }
}
