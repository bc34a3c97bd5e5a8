import Foundation
import HindsightStore
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording
@testable import HindsightSupport

@Suite("Following a recording") struct FollowerTests {
    private let scratch = Scratch()

    private func follower(of file: URL) -> Follower { Follower(path: file.path) { try Recording(at: file) } }

    private func write(_ count: Int, to store: Store<Shop, ShopAction>, _ recorder: Recorder<Shop, ShopAction>) throws {
        for _ in 0..<count { store.dispatch(.nothing) }
        try recorder.flush()
    }

    @Test func `A look returns the actions since the last one, or nil if there are none`() throws {
        let (recorder, store) = try shop(at: scratch.file())
        let follower = follower(of: scratch.file())
        try write(3, to: store, recorder)
        let first = try #require(try follower.look())
        #expect(first.actions == 1...3)
        #expect(first.dropped == nil)
        #expect(!first.isOver && !first.isNewRun)
        #expect(try follower.look() == nil)
        try write(2, to: store, recorder)
        #expect(try follower.look()?.actions == 4...5)
        #expect(try follower.look() == nil)
        try recorder.close()
        let last = try #require(try follower.look())
        #expect(last.actions == nil && last.isOver)
        #expect(try follower.look() == nil)
    }

    @Test func `A look starts over if another file replaces a closed one`() throws {
        let other = scratch.file("other.hindsight")
        for (file, count) in [(scratch.file(), 3), (other, 2)] {
            let (recorder, store) = try shop(at: file)
            try write(count, to: store, recorder)
            try recorder.close()
        }
        let follower = follower(of: scratch.file())
        #expect(try follower.look()?.actions == 1...3)
        #expect(try follower.look() == nil)
        try FileManager.default.removeItem(at: scratch.file())
        try FileManager.default.moveItem(at: other, to: scratch.file())
        let next = try #require(try follower.look())
        #expect(next.isNewRun && next.actions == 1...2)
    }

    @Test func `A look returns at most 500 actions, and the next continues at once`() throws {
        let (recorder, store) = try shop(at: scratch.file())
        let follower = follower(of: scratch.file())
        try write(1000, to: store, recorder)
        try recorder.close()
        let first = try #require(try follower.look())
        #expect(first.actions == 1...500 && !first.isOver)
        let second = try #require(try follower.look())
        #expect(second.actions == 501...1000 && second.isOver)
        #expect(try follower.look() == nil)
    }

    @Test func `A follower begins at a given action`() throws {
        let (recorder, store) = try shop(at: scratch.file())
        try write(5, to: store, recorder)
        for (begin, actions) in [(1, 1...5), (3, 3...5), (5, 5...5), (6, nil)] as [(Int, ClosedRange<Int>?)] {
            let follower = follower(of: scratch.file())
            follower.begin(at: begin)
            let look = try #require(try follower.look())
            #expect(look.actions == actions, "from \(begin) on")
            #expect(look.dropped == nil)
        }
        try recorder.close()
    }

    @Test func `A follower starts over if another run replaces the file`() throws {
        let follower = follower(of: scratch.file())
        for run in 1...2 {
            let (recorder, store) = try shop(at: scratch.file(), options: RecorderOptions(overwrite: true))
            try write(4, to: store, recorder)
            let look = try #require(try follower.look())
            #expect(look.actions == 1...4)
            #expect(look.isNewRun == (run == 2))
            try recorder.close()
        }
    }

    @Test func `A look reports actions that a limit drops before it returned them`() throws {
        var options = RecorderOptions(limit: .actions(10))
        options.keyframeFloor = 64
        let (recorder, store) = try shop(at: scratch.file(), options: options)
        let follower = follower(of: scratch.file())
        try write(5, to: store, recorder)
        #expect(try follower.look()?.actions?.upperBound == 5)
        try write(300, to: store, recorder)
        try recorder.close()
        let look = try #require(try follower.look())
        let start = look.recording.start.seq
        try #require(start > 6)
        #expect(look.dropped == 6...start)
        #expect(look.actions == start + 1...305)
    }

    @Test func `A follower retries if opening fails while another run replaces the file`() throws {
        struct Refusal: Error {}
        let (recorder, store) = try shop(at: scratch.file())
        var failure: (any Error)? = Refusal()
        let follower = Follower(path: scratch.file().path) {
            if let failure { throw failure }
            return try Recording(at: scratch.file())
        }
        // The first look does not retry.
        try write(1, to: store, recorder)
        #expect(throws: Refusal.self) { try follower.look() }
        for round in 1...3 {
            failure = nil
            #expect(try follower.look()?.actions == round...round)
            try write(1, to: store, recorder)
            failure = Refusal()
            for _ in 1...39 { #expect(try follower.look() == nil) }
        }
        #expect(throws: Refusal.self) { try follower.look() }
        failure = RecordingError(.notFound, file: scratch.file().path)
        #expect(throws: RecordingError.self) { try follower.look() }
        follower.waitsForFile = true
        for _ in 1...60 { #expect(try follower.look() == nil) }
        failure = Refusal()
        #expect(throws: Refusal.self) { try follower.look() }
        try recorder.close()
    }

    @Test func `The journal shows what runs, and since when`() throws {
        let follower = follower(of: scratch.file())
        /// A look at a file that is no recording, which sees only its journal.
        func look() { #expect(throws: RecordingError.self) { try follower.look() } }
        #expect(follower.running == nil)
        let journal = try Journal(for: scratch.file().path, capacity: 4096)
        look()
        #expect(follower.running == nil)
        journal.mark(ReducerMark(phase: .reducing, seq: 7, reducer: 2))
        look()
        usleep(20_000)
        look()
        let running = try #require(follower.running)
        #expect(running.seq == 7 && running.reducer == 2)
        #expect(running.time >= 20_000_000)
        let before = running.time
        journal.mark(ReducerMark(phase: .reducing, seq: 7, reducer: 3))
        let marked = SystemClock.monotonic
        look()
        #expect(follower.running?.reducer == 3)
        #expect((follower.running?.time ?? .max) <= SystemClock.monotonic - marked)
        #expect(before > 0)
        journal.mark(ReducerMark(phase: .idle, seq: 7, reducer: 0))
        look()
        #expect(follower.running == nil)
        journal.remove()
    }
}
