import Foundation
import HindsightRecorder
import HindsightRecording
import HindsightStore
import HindsightTree
import Testing

@testable import HindsightReplay

@Suite("Replayer")
struct ReplayerTests {
    private let scratch = Scratch()

    private func recorded() throws -> Recording {
        try scratch.record(BankRules().app)
    }

    @Test("Replaying from any position to any other leads to the recorded state")
    func everywhere() throws {
        let recording = try recorded()
        let app = BankRules().app
        let positions = (0...7).flatMap { seq in
            (seq == 0 ? [nil] : [nil, 0, 1, 3, 6]).map { Recording.Position(seq: seq, reducer: $0) }
        }
        for start in positions {
            let replayer = try Replayer(of: recording, by: app, from: start)
            for target in (positions + positions.reversed()) where target >= start {
                try replayer.move(to: target)
                #expect(try replayer.state() == recording.state(at: target), "from \(start) to \(target)")
            }
        }
    }

    @Test("Each reducer's changes are the recorded ones, even after a start between two reducers")
    func steps() throws {
        let recording = try recorded()
        let replayer = try Replayer(of: recording, by: BankRules().app, from: Recording.Position(seq: 1, reducer: 4))
        let rest = try #require(try replayer.next()?.steps)
        #expect(rest.map(\.name) == ["receipt", "audit"])
        #expect(rest.map(\.reducer) == [5, 6])
        while let action = try replayer.next() {
            for (step, record) in zip(try #require(action.steps), try recording.steps(of: action.recorded.seq)) {
                #expect(step.reducer == record.reducer)
                #expect(step.patch == record.patch ?? Patch())
            }
        }
        #expect(replayer.position == Recording.Position(seq: 7))
    }

    @Test(
        "Moving to an unreachable position throws",
        arguments: [
            (Recording.Position(seq: 1), ReplayError.Code.beforeStart),
            (Recording.Position(seq: 2, reducer: 5), .beforeStart),
        ]
    )
    func unreachable(target: Recording.Position, code: ReplayError.Code) throws {
        let replayer = try Replayer(of: recorded(), by: BankRules().app, from: Recording.Position(seq: 2))
        let error = try #require(#expect(throws: ReplayError.self) { try replayer.move(to: target) })
        #expect(error.code == code)
        for target in [
            Recording.Position(seq: 8), Recording.Position(seq: 4, reducer: 7), Recording.Position(seq: -1),
            Recording.Position(seq: .max),
        ] {
            #expect(throws: (any Error).self) { try replayer.move(to: target) }
        }
        #expect(try replayer.next()?.recorded.seq == 3)
    }

    @Test("Replay runs no middleware and no effect, and dispatches the actions of middleware once")
    func onlyReducers() throws {
        let calls = Counter()
        let app = ReplayableApp("bank", initial: Bank(), reducer: BankRules().reducer) {
            [
                Middleware { getState, dispatch in
                    { next in
                        { action in
                            calls.increment()
                            next(action)
                            if case .join = action { dispatch(.deposit(amount: 10)) }
                        }
                    }
                }
            ]
        }
        let recording = try scratch.record(app)
        #expect(recording.actionCount == 9)
        #expect(calls.count == 9)
        #expect(try app.verify(recording).matches)
        let replayer = try Replayer(of: recording, by: app)
        try replayer.move(to: recording.end)
        #expect(try replayer.state()["balance"] == 345)
        #expect(calls.count == 9)
    }

    @Test("An action that could not be recorded is a gap, and the recorded state follows it")
    func gap() throws {
        struct Confidential: Error {}
        let rules = BankRules().with(\.balance) { bank, action in
            if case .secret = action { bank.balance *= 2 } else { BankRules().balance(&bank, action) }
        }
        let plain = ActionCodec<BankAction>.codable
        let codec = ActionCodec<BankAction>(
            encode: { action in
                if case .secret = action { throw Confidential() }
                return try plain.encode(action)
            },
            decode: plain.decode
        )
        let app = ReplayableApp("bank", initial: Bank(), reducer: rules.reducer, actions: codec)
        let session = [["secret": [:]]] + bankSession + [["secret": [:]], ["secret": [:]], ["withdraw": ["amount": 1]]]
        let recording = try scratch.record(app, session)
        let result = try app.verify(recording)
        #expect(result.matches)
        #expect(result.gaps == [1, 9, 10])
        #expect(result.actions == 8)

        let replayer = try Replayer(of: recording, by: app)
        for target in [
            Recording.Position(seq: 9, reducer: 0), Recording.Position(seq: 9, reducer: 1), Recording.Position(seq: 10),
            recording.end,
        ] {
            try replayer.move(to: target)
            #expect(try replayer.state() == recording.state(at: target), "\(target)")
        }
        #expect(replayer.gaps == [1, 9, 10])
    }

    @Test("Replay runs an action in which the recorded process ended only on request")
    func unfinished() throws {
        let live = scratch.file("live.hindsight")
        let dead = scratch.file("dead.hindsight")
        // Copies the files while a reducer runs, as a crash would leave them.
        let rules = BankRules().with(\.statement) { bank, action in
            BankRules().statement(&bank, action)
            guard bank.balance == 75, !FileManager.default.fileExists(atPath: dead.path) else { return }
            for suffix in ["", "-wal", "-shm", "-ahead", "-journal"] {
                try? FileManager.default.copyItem(atPath: live.path + suffix, toPath: dead.path + suffix)
            }
        }
        let session = try rules.app.record(to: live)
        for action in bankSession {
            try session.flush()
            try session.dispatch(action, origin: Origin(file: "session", line: 1))
        }
        try session.close()

        let recording = try Recording(at: dead)
        #expect(recording.ending == .crashed(seq: 6, reducer: 3))
        let result = try rules.app.verify(recording)
        #expect(result.matches)
        #expect(result.actions == 5)
        #expect(result.unfinished == 6)

        let replayer = try Replayer(of: recording, by: rules.app)
        let error = try #require(
            #expect(throws: ReplayError.self) { try replayer.move(to: Recording.Position(seq: 6)) }
        )
        #expect(error.code == .unfinished)
        #expect(error.lastPosition == Recording.Position(seq: 6, reducer: 2))
        // The action runs up to the reducer in which the process ended, and no further.
        try replayer.move(to: Recording.Position(seq: 6, reducer: 2))
        #expect(replayer.position == Recording.Position(seq: 6, reducer: 2))
        #expect(try replayer.state()["balance"] == 75)
        #expect(try replayer.next() == nil)
        #expect(throws: ReplayError.self) { try replayer.move(to: Recording.Position(seq: 6, reducer: 3)) }
        let daring = try Replayer(of: recording, by: rules.app, runningUnfinished: true)
        try daring.move(to: Recording.Position(seq: 6))
        #expect(try daring.state()["balance"] == 75)
    }
}
