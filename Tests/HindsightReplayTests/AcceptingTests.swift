import Foundation
import HindsightFormat
import HindsightRecorder
import HindsightRecording
import HindsightSQLite
import HindsightStore
import HindsightTree
import TestSupport
import Testing

@testable import HindsightReplay

/// Giving a recording the states of today's reducers.
@Suite struct AcceptingTests {
    private let scratch = Scratch()

    /// Rules in which deposits count twice.
    private static let doubling = BankRules().with(\.balance) { bank, action in
        switch action {
        case .deposit(let amount): bank.balance += 2 * amount
        case .withdraw(let amount) where amount <= bank.balance: bank.balance -= amount
        default: break
        }
    }

    private var file: URL { scratch.file("a.hindsight") }

    /// Records a session, and changes its file.
    private func record(_ sql: String = "") throws {
        _ = try scratch.record(BankRules().app)
        try Connection(file.path, .readWrite).execute(sql)
    }

    /// The states after each action of a brute-force run.
    private func states(_ app: ReplayableApp, _ recording: Recording) throws -> [Node] {
        let replayer = try Replayer(of: recording, by: app)
        var states = [try replayer.state()]
        while try replayer.next() != nil { states.append(try replayer.state()) }
        return states
    }

    @Test(arguments: Seeded.runs(4)) func `An accepted recording has today's states, and the recorded actions`(
        seed: Seeded
    ) throws {
        var random = seed
        let actions: [Node] = (0..<400).map { _ in
            let amount = Node.int(Int.random(in: 1...500, using: &random))
            return Bool.random(using: &random)
                ? ["deposit": ["amount": amount]]
                : Bool.random(using: &random)
                    ? ["withdraw": ["amount": amount]] : ["join": ["name": .string("customer \(amount)")]]
        }
        let before = try scratch.record(BankRules().app, actions).actions(in: 1...400)
        let app = Self.doubling.app
        try app.accept(file)
        #expect(try scratch.names == ["a.hindsight"], "seed \(seed)")

        let accepted = try Recording(at: file)
        #expect(try accepted.actions(in: 1...400) == before, "seed \(seed)")
        #expect(accepted.closed != nil && accepted.app.name == "bank")
        let expected = try states(app, accepted)
        for (seq, state) in expected.enumerated() {
            #expect(try accepted.state(at: .init(seq: seq)) == state, "seed \(seed), action \(seq)")
        }
        let result = try app.verify(accepted)
        #expect(result.matches && result.actions == 400, "seed \(seed)")
        #expect(try !BankRules().app.verify(accepted).matches, "seed \(seed)")
    }

    @Test func `Accepting what has not changed changes no state and no step`() throws {
        let recording = try scratch.record(BankRules().app)
        let steps = try (1...7).map { try recording.steps(of: $0) }
        let states = try (0...7).map { try recording.state(at: .init(seq: $0)) }
        try BankRules().app.accept(file)
        let accepted = try Recording(at: file)
        #expect(try (1...7).map { try accepted.steps(of: $0) } == steps)
        #expect(try (0...7).map { try accepted.state(at: .init(seq: $0)) } == states)
    }

    @Test func `Reducers that were added, removed or renamed are those of the new recording`() throws {
        try record("INSERT INTO note(seq, reducer, name, at) VALUES (2, 2, 'here', 5), (3, 6, 'there', 5)")
        let app = ReplayableApp(
            "bank",
            initial: Bank(),
            reducer: .combine(Reducer("funds", BankRules().balance), Reducer("audit", BankRules().audit))
        )
        try app.accept(file)
        let accepted = try Recording(at: file)
        #expect(accepted.reducers == ["funds", "audit"])
        // The sixth reducer is no more: its note is after the whole action.
        #expect(try accepted.notes().map(\.position) == [.init(seq: 2, reducer: 2), .init(seq: 3)])
        #expect(try app.verify(accepted).matches)
    }

    @Test func `Reducers in another order keep their times`() throws {
        func times(_ recording: Recording) throws -> [[String: Int64]] {
            try (1...7).map { seq in
                let steps = try recording.steps(of: seq)
                let times = steps.map { (recording.name(ofReducer: $0.reducer) ?? "", $0.durationInNanoseconds) }
                return Dictionary(uniqueKeysWithValues: times)
            }
        }
        let rules = BankRules()
        let idle: BankRules.Rule = { _, _ in }
        let before = try times(scratch.record(rules.app))
        let app = ReplayableApp(
            "bank",
            initial: Bank(),
            reducer: .combine(
                Reducer("audit", rules.audit),
                Reducer("new", idle),
                Reducer("balance", rules.balance)
            )
        )
        try app.accept(file)
        for (before, after) in try zip(before, times(Recording(at: file))) {
            #expect(after["audit"] == before["audit"] && after["balance"] == before["balance"])
            #expect(after["new"] == 0)
        }
    }

    @Test func `Parents, origins and notes are kept`() throws {
        try record(
            """
            UPDATE action SET parent = 1 WHERE seq = 3;
            INSERT INTO note(seq, reducer, name, text, at) VALUES (4, NULL, 'here', 'x', 5)
            """
        )
        try Self.doubling.app.accept(file)
        let action = try Recording(at: file).action(3)
        #expect(action.parent == 1 && action.origin == "session:3")
        let connection = try Connection(file.path, .readWrite)
        #expect(try connection.text("SELECT seq || name || text || at FROM note") == "4herex5")
    }

    @Test func `What a limit has dropped stays dropped, and since when everything is there is kept`() throws {
        let state = try scratch.record(BankRules().app).state(at: .init(seq: 3)).json.replacing("'", with: "''")
        try Connection(file.path, .readWrite).execute(
            """
            DELETE FROM keyframe; INSERT INTO keyframe(seq, state) VALUES (3, '\(state)');
            DELETE FROM action WHERE seq < 3;
            INSERT INTO recording(key, value) VALUES ('\(RecordingLimit.Key.actions)', 100)
            """
        )
        let limited = try Recording(at: file)
        try #require(limited.start.seq == 3 && limited.keptSince != nil)
        let app = Self.doubling.app
        try app.accept(file)
        let accepted = try Recording(at: file)
        let output = scratch.file("b.hindsight")
        _ = try app.whatIf(accepted, running: ChangedLog(of: accepted, [.skip(6)]), writingTo: output)
        for (written, count) in [(accepted, 7), (try Recording(at: output), 6)] {
            #expect(written.start == limited.start && written.actionCount == count)
            #expect(written.keptSince == limited.keptSince)
            #expect(try written.state(at: written.start) == limited.state(at: limited.start))
        }
    }

    @Test func `At a gap the recorded state stays, and the actions after it run on it`() throws {
        try record("UPDATE action SET payload = NULL, problem = 'lost' WHERE seq = 6")
        let recorded = try Recording(at: file).state(at: .init(seq: 6))
        let app = Self.doubling.app
        try app.accept(file)
        let accepted = try Recording(at: file)
        #expect(try accepted.state(at: .init(seq: 5))["balance"] == 170)
        #expect(try accepted.state(at: .init(seq: 6)) == recorded)
        #expect(try accepted.state(at: .end(of: accepted))["balance"] == 575)
        #expect(try app.verify(accepted).gaps == [6])
        // The last of all reducers made the whole change.
        let steps = try accepted.timedPatches(of: 6)
        #expect(steps.count == app.reducers.count && steps.last?.patch.isEmpty == false)
        #expect(steps.dropLast().allSatisfy { $0.patch.isEmpty && $0.duration == 0 })
    }

    @Test func `States that were not recorded become known`() throws {
        try record(
            """
            UPDATE action SET steps = NULL WHERE seq > 4; DELETE FROM keyframe WHERE seq > 0;
            DELETE FROM recording WHERE key = 'closed'
            """
        )
        #expect(try Recording(at: file).end.seq == 4)
        try BankRules().app.accept(file)
        #expect(try Recording(at: file).end.seq == 7)
    }

    @Test func `Another output leaves the recording as it is`() throws {
        try record()
        let bytes = try Data(contentsOf: file)
        let output = scratch.file("b.hindsight")
        try Self.doubling.app.accept(file, writingTo: output)
        #expect(try Data(contentsOf: file) == bytes)
        #expect(try Self.doubling.app.verify(Recording(at: output)).matches)
        #expect(try scratch.names == ["a.hindsight", "b.hindsight"])
    }

    @Test func `A recording that changes meanwhile is not replaced`() throws {
        try record()
        let file = file
        let app = BankRules().with(\.audit) { _, _ in
            // As if another program had written it.
            try? Data("other".utf8).write(to: file)
        }.app
        // The open database stays readable, because an atomic write replaces it.
        let swapping = BankRules().with(\.audit) { _, _ in
            try? Data("other".utf8).write(to: file, options: .atomic)
        }.app
        for app in [swapping, app] {
            if try Data(contentsOf: file) == Data("other".utf8) { _ = try? FileManager.default.removeItem(at: file) }
            if !FileManager.default.fileExists(atPath: file.path) { _ = try scratch.record(BankRules().app, as: "a") }
            #expect(throws: (any Error).self) { try app.accept(file) }
            #expect(try Data(contentsOf: file) == Data("other".utf8))
            #expect(try scratch.names == ["a.hindsight"])
        }
    }

    @Test func `A recording that is being recorded, or was not recovered, is refused and stays`() throws {
        let app = BankRules().app
        let session = try app.record(to: file)
        try session.dispatch(bankSession[0], origin: Origin(file: "session", line: 1))
        try session.flush()
        #expect { try app.accept(file) } throws: { ($0 as? RecordingError)?.code == .live }
        try session.close()
        try Data().write(to: URL(filePath: file.path + "-journal"))
        #expect { try app.accept(file) } throws: { "\($0)".contains("Recover it first.") }
        #expect(try scratch.names == ["a.hindsight", "a.hindsight-journal"])
    }

    @Test func `If an action no longer decodes, the recording stays and no copy is left`() throws {
        try record("UPDATE action SET payload = '{\"gone\":{}}' WHERE seq = 5")
        let bytes = try Data(contentsOf: file)
        #expect { try BankRules().app.accept(file) } throws: {
            ($0 as? RecordingError)?.code == .undecodableAction
        }
        #expect(try Data(contentsOf: file) == bytes)
        #expect(try scratch.names == ["a.hindsight"])
    }
}

extension Recording.Position {
    fileprivate static func end(of recording: Recording) -> Self { recording.end }
}
