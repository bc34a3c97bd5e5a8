import Foundation
import HindsightRecorder
import HindsightRecording
import HindsightSQLite
import HindsightStore
import HindsightTree
import TestSupport
import Testing

@testable import HindsightReplay

/// Running changed logs, against a store that gets the changed list of actions.
@Suite struct WhatIfTests {
    private let scratch = Scratch()

    /// An app some of whose actions change nothing.
    private static func quiet(_ rules: BankRules = BankRules()) -> ReplayableApp {
        ReplayableApp(
            "bank",
            initial: Bank(),
            reducer: .combine(
                Reducer("balance", rules.balance),
                Reducer("interest", rules.interest),
                Reducer("customers", rules.customers)
            )
        )
    }

    private static func action(_ random: inout Seeded) -> Node {
        let amount = Node.int(1 + random.below(30))
        return random.pick([
            ["deposit": ["amount": amount]], ["withdraw": ["amount": amount]],
            ["join": ["name": .string("customer \(random.below(3))")]],
        ])
    }

    /// The actions of a changed log.
    private func actions(_ log: ChangedLog, _ recorded: [Node]) -> [Node] {
        (log.start..<log.lastNumber).map { number in
            let entry = log.entry(number + 1).entry
            return entry.payload ?? recorded[(entry.seq ?? 0) - 1]
        }
    }

    private func file(_ name: String) -> URL { scratch.directory.appending(path: name) }

    @Test(arguments: Seeded.runs(60)) func `It has the states of a store that gets the changed actions`(seed: Seeded)
        throws
    {
        var random = seed
        let app = Bool.random(using: &random) ? Self.quiet() : BankRules().app
        let recorded = (0..<1 + random.below(40)).map { _ in Self.action(&random) }
        let recording = try scratch.record(app, recorded)
        let edits = ChangedLogTests.edits(after: 0, upTo: recorded.count, &random, action: Self.action)
        let log = try app.changedLog(of: recording, edits)
        let story: Comment = "\(seed), \(edits.map(\.description))"

        let output = file(random.once(in: 3) ? "out.jsonl" : "out.hindsight")
        let result = try app.whatIf(recording, running: log, writingTo: output)
        let written = try Recording(at: output)
        let list = actions(log, recorded)
        let brute = try scratch.record(app, list)
        #expect(written.actionCount == list.count, story)
        for number in 0...list.count {
            let position = Recording.Position(seq: number)
            #expect(try written.state(at: position) == brute.state(at: position), "\(seed), \(edits), at \(number)")
            if number > 0 { #expect(try written.action(number).payload == list[number - 1], story) }
        }
        #expect(try app.verify(written).matches, story)
        #expect(
            written.parent?.edits == edits.map(\.description) && written.parent?.file == recording.url.lastPathComponent
        )
        #expect(written.closed != nil && written.parent?.kept == log.kept, story)

        // The same answer without an output.
        let answer = try WhatIf(of: recording, by: app, running: log).finish()
        #expect(answer.difference == result.difference && answer.first?.path == result.first?.path, story)
        #expect(answer.first?.seq == result.first?.seq && answer.reaction?.seq == result.reaction?.seq, story)

        var state = try recording.state(at: recording.end)
        try result.difference.apply(to: &state)
        #expect(state.isEquivalent(to: try brute.state(at: brute.end)), story)
        let first = try (0...recorded.count).first { seq in
            let number = log.number(after: seq)
            guard seq >= log.kept else { return false }
            return try !recording.state(at: .init(seq: seq)).isEquivalent(to: brute.state(at: .init(seq: number)))
        }
        #expect(result.first?.seq == first, story)
        guard let difference = result.first else { return }
        #expect(difference.number == log.number(after: difference.seq) && !difference.isOfReducers, story)
        #expect(difference.reducerName != nil, story)
        let (old, new) = (
            try recording.state(at: .init(seq: difference.seq)), try brute.state(at: .init(seq: difference.number))
        )
        if let value = difference.recorded { #expect(old[difference.path] == value, story) }
        if let value = difference.changed { #expect(new[difference.path] == value, story) }
        #expect(difference.recorded != difference.changed, story)
    }

    @Test(arguments: Seeded.runs(10)) func `A replayer of a changed log steps both ways`(seed: Seeded) throws {
        var random = seed
        let app = BankRules().app
        let recorded = (0..<12).map { _ in Self.action(&random) }
        let recording = try scratch.record(app, recorded)
        let edits = ChangedLogTests.edits(after: 0, upTo: recorded.count, &random, action: Self.action)
        let log = try app.changedLog(of: recording, edits)
        let brute = try scratch.record(app, actions(log, recorded))
        let replayer = try Replayer(of: recording, by: app, running: log)
        for _ in 0..<20 {
            let low = replayer.start.seq
            guard log.lastNumber > low else { break }
            let number = low + 1 + random.below(log.lastNumber - low)
            let target = Recording.Position(seq: number, reducer: random.pick([nil, 1, 3]))
            try replayer.move(to: target)
            #expect(try replayer.state() == brute.state(at: target), "\(seed), \(edits), \(target)")
        }
        let end = Recording.Position(seq: log.lastNumber + 1)
        #expect(throws: RecordingError.self) { try replayer.move(to: end) }
    }

    @Test func `An action that does something else because of a change is found`() throws {
        let app = BankRules().app
        let recording = try scratch.record(app)
        // Without the deposit of 100, the withdrawal of 30 is refused.
        let result = try app.whatIf(recording, running: app.changedLog(of: recording, [.skip(1)]))
        #expect(result.first?.seq == 1 && result.first?.reducerName == "balance")
        #expect(
            result.first?.path == NodePath("/balance") && result.first?.recorded == 100 && result.first?.changed == 0
        )
        let reaction = try #require(result.reaction)
        #expect(reaction.number == reaction.seq - 1 && !result.isSame)
    }

    @Test func `A change of a field that today's types do not have is no reaction`() throws {
        enum Tap: Codable, Sendable { case add(Int) }
        struct Logged: Codable, Sendable {
            var count = 0
            var log = 0
        }
        struct Plain: Codable, Sendable { var count = 0 }
        let logging = Reducer<Logged, Tap>("count") { state, tap in
            switch tap {
            case .add(let amount):
                state.count += amount
                state.log += 1
            }
        }
        let counting = Reducer<Plain, Tap>("count") { state, tap in
            switch tap {
            case .add(let amount): state.count += amount
            }
        }
        let taps: [Node] = [["add": ["_0": 1]], ["add": ["_0": 2]], ["add": ["_0": 3]]]
        let recording = try scratch.record(ReplayableApp("taps", initial: Logged(), reducer: logging), taps)
        let app = ReplayableApp("taps", initial: Plain(), reducer: counting)
        let result = try app.whatIf(recording, running: app.changedLog(of: recording, [.skip(1)]))
        #expect(result.first?.seq == 1 && result.first?.path == NodePath("/count"))
        #expect(result.unshared == ["/log"] && result.reaction == nil)
    }

    @Test func `A skipped action without an effect makes no difference`() throws {
        let app = Self.quiet()
        let recording = try scratch.record(
            app,
            [["join": ["name": "a"]], ["join": ["name": "a"]], ["deposit": ["amount": 1]]]
        )
        let result = try app.whatIf(recording, running: app.changedLog(of: recording, [.skip(2)]))
        #expect(result.isSame && result.first == nil && result.reaction == nil)
        #expect(result.end.seq == 3 && result.endNumber == 2)
    }

    /// Where several actions run at one moment, only the state after the last of them counts.
    private static let moments: [(edits: [ChangedLog.Edit], first: Int?, number: Int?)] = [
        ([.edit(1, to: deposit(2)), .insert(deposit(3), after: 1)], nil, nil),
        ([.edit(1, to: deposit(2)), .insert(deposit(4), after: 1)], 1, 2),
        ([.insert(deposit(2), after: 0), .insert(deposit(-2), after: 0)], nil, nil),
        ([.insert(deposit(2), after: 0), .insert(deposit(2), after: 0)], 0, 2),
        ([.insert(deposit(2), after: 3), .insert(deposit(-2), after: 3)], nil, nil),
        ([.insert(deposit(2), after: 3), .move(1, after: 3)], 1, 0),
        ([.skip(2), .insert(deposit(1), after: 2), .insert(deposit(6), after: 2)], nil, nil),
        ([.move(2, after: 3), .move(1, after: 3), .insert(deposit(5), after: 1), .skip(3)], 2, 1),
    ]

    private static func deposit(_ amount: Int) -> Node { ["deposit": ["amount": .int(amount)]] }

    @Test(arguments: moments) func `A moment is compared once all its actions have run`(
        edits: [ChangedLog.Edit],
        first: Int?,
        number: Int?
    ) throws {
        let app = Self.quiet()
        let recording = try scratch.record(app, [5, 7, 9].map(Self.deposit))
        let result = try app.whatIf(recording, running: app.changedLog(of: recording, edits))
        #expect(result.first?.seq == first && result.first?.number == number, "\(edits.map(\.description))")
        #expect(result.first?.isOfReducers != true)
    }

    @Test func `A difference that only other reducers make is told apart`() throws {
        let recording = try scratch.record(
            Self.quiet(),
            [["join": ["name": "a"]], ["join": ["name": "a"]], ["deposit": ["amount": 1]]]
        )
        let app = Self.quiet(
            BankRules().with(\.balance) { bank, action in
                if case .deposit(let amount) = action { bank.balance += 2 * amount }
            }
        )
        let first = try app.whatIf(recording, running: app.changedLog(of: recording, [.skip(2)])).first
        #expect(first?.seq == 3 && first?.number == 2 && first?.isOfReducers == true)
    }

    @Test func `An action that does not decode names its type and field`() throws {
        let app = BankRules().app
        let recording = try scratch.record(app)
        let error = #expect(throws: ReplayError.self) {
            try app.changedLog(of: recording, [.edit(2, to: ["deposit": ["amount": "much"]])])
        }
        #expect(
            error?.code == .badAction && error?.type == "deposit" && error?.path?.description.contains("amount") == true
        )
        let log = try ChangedLog(of: recording, [.insert(["steal": [:]], after: 2)])
        #expect { try Replayer(of: recording, by: app, running: log) } throws: {
            ($0 as? ReplayError)?.code == .badAction
        }
    }

    // MARK: What a recording may be

    private func change(_ recording: Recording, _ sql: String) throws -> Recording {
        do {
            let connection = try Connection(recording.url.path, .readWrite)
            try connection.execute(sql)
        }
        return try Recording(at: recording.url)
    }

    @Test func `A later action that does not decode has its recorded number in the error`() throws {
        let app = BankRules().app
        let recording = try change(
            try scratch.record(app),
            #"UPDATE action SET type = 'deposit', payload = '{"deposit":{"amount":"much"}}' WHERE seq = 5"#
        )
        let edits: [[ChangedLog.Edit]] = [
            [.skip(2)], [.insert(["deposit": ["amount": 8]], after: 3)], [.skip(1), .skip(3)],
        ]
        for edits in edits {
            let whatIf = try WhatIf(of: recording, by: app, running: app.changedLog(of: recording, edits))
            let error = #expect(throws: RecordingError.self) { try whatIf.finish() }
            #expect(error?.code == .undecodableAction && error?.seq == 5, "\(edits)")
        }
    }

    @Test func `Parents, times and notes follow the new numbers`() throws {
        let app = BankRules().app
        let recording = try change(
            try scratch.record(app),
            """
            UPDATE action SET parent = 1 WHERE seq = 2; UPDATE action SET parent = 2 WHERE seq = 3;
            UPDATE action SET parent = 3 WHERE seq = 6;
            INSERT INTO note(seq, reducer, name, text, at) VALUES (1, 2, 'kept', 'x', 5), (2, 1, 'gone', 'x', 5),
                (6, 3, 'moved', 'x', 5)
            """
        )
        let log = try app.changedLog(of: recording, [.skip(2), .insert(["deposit": ["amount": 8]], after: 4)])
        let result = try app.whatIf(recording, running: log, writingTo: file("out.hindsight"))
        #expect(result.orphans == [3])
        let written = try Recording(at: file("out.hindsight"))
        // 1, 3, 4, new, 5, 6, 7
        #expect(try written.actions(in: 1...7).map(\.parent) == [nil, 1, nil, nil, nil, 2, nil])
        #expect(try written.action(4).nanosecondsSinceEpoch == recording.action(4).nanosecondsSinceEpoch)
        #expect(try written.action(4).type == "deposit" && written.action(4).origin == nil)
        #expect(try written.action(5).origin == "session:5")
        let places = try ["kept", "gone", "moved"].map { try written.position($0).description }
        #expect(places == ["1.2", "1", "6.3"])
    }

    @Test func `With children, what an action led to is skipped too`() throws {
        let recording = try change(
            try scratch.record(BankRules().app),
            """
            UPDATE action SET parent = 2 WHERE seq = 3; UPDATE action SET parent = 3 WHERE seq = 6;
            UPDATE action SET parent = 1 WHERE seq = 7
            """
        )
        let edit = try ChangedLog.Edit.skipChildren(of: [.skip(2)], in: recording)
        #expect(edit == .skipAll([3, 6], rule: "with-children"))
        #expect(
            try ChangedLog.Edit.dropType("withdraw", in: recording) == .skipAll([3, 4], rule: "drop-type withdraw")
        )
    }

    @Test func `At a gap the run goes on from the recorded state`() throws {
        let app = BankRules().app
        let recording = try change(
            try scratch.record(app),
            "UPDATE action SET payload = NULL, problem = 'lost' WHERE seq = 6"
        )
        let log = try app.changedLog(of: recording, [.skip(2)])
        let result = try app.whatIf(recording, running: log, writingTo: file("out.hindsight"))
        #expect(result.gaps == [6] && result.first?.seq == 2 && result.isSame)
        let written = try Recording(at: file("out.hindsight"))
        #expect(try written.state(at: .init(seq: 5)) == recording.state(at: .init(seq: 6)))
        #expect(try app.verify(written).matches)
        #expect(try app.verify(written).gaps == [5])
    }

    @Test func `At a time travel the run goes on from the recorded state`() throws {
        let app = Self.quiet()
        let deposits: [Node] = [5, 7, 9, 0, 11].map { ["deposit": ["amount": .int($0)]] }
        // Action 4 changes nothing as it was recorded. It becomes a travel back to the state after action 1.
        var recording = try scratch.record(app, deposits)
        let (now, then) = (try recording.state(at: .init(seq: 3)), try recording.state(at: .init(seq: 1)))
        let after = try scratch.record(app, [deposits[0], deposits[4]])
        let steps = TimedPatches.write([TimedPatch(duration: nil, patch: Patch(from: now, to: then))]).text
        let last = TimedPatches.write(
            (1...3).map { TimedPatch(duration: 1, patch: (try? after.steps(of: 2)[$0 - 1].patch) ?? Patch()) }
        ).text
        recording = try change(
            recording,
            """
            UPDATE action SET payload = NULL, type = '@travel', steps = '\(steps)',
                problem = 'The app travelled to action 1.' WHERE seq = 4;
            UPDATE action SET steps = '\(last)' WHERE seq = 5; DELETE FROM keyframe WHERE seq > 0
            """
        )
        try #require(app.verify(recording).matches)
        let log = try app.changedLog(of: recording, [.skip(2)])
        let result = try app.whatIf(recording, running: log, writingTo: file("out.hindsight"))
        #expect(result.first?.seq == 2 && result.isSame && result.travels == [4])
        let written = try Recording(at: file("out.hindsight"))
        #expect(
            try written.action(3).isTravel && written.state(at: .init(seq: 3)) == recording.state(at: .init(seq: 4))
        )
        #expect(try app.verify(written).matches)
        #expect(try written.action(3).destination == 1)
        // In another log, action 1 is another one.
        let moved = try app.changedLog(of: recording, [.skip(1)])
        try app.whatIf(recording, running: moved, writingTo: file("moved.hindsight"))
        let travel = try Recording(at: file("moved.hindsight")).action(3)
        #expect(travel.isTravel && travel.destination == nil)
        #expect(travel.problem == "The app travelled to action 1. (Numbered as before the changes.)")
        // Without the travel, the deposits before it count.
        let other = try app.changedLog(of: recording, [.skip(4)])
        #expect(try WhatIf(of: recording, by: app, running: other).finish().difference.operations.isEmpty == false)
    }

    @Test(arguments: [2, 6]) func `States that were not recorded are computed`(seq: Int) throws {
        let app = BankRules().app
        let recording = try change(
            try scratch.record(app),
            """
            UPDATE action SET steps = NULL WHERE seq > 4; DELETE FROM keyframe WHERE seq > 0;
            DELETE FROM recording WHERE key = 'closed'
            """
        )
        let log = try app.changedLog(of: recording, [.skip(seq)])
        let result = try app.whatIf(recording, running: log, writingTo: file("out.hindsight"))
        #expect(result.isEndComputed && !result.isSame && result.end.seq == 7)
        #expect(result.first?.seq == (seq == 2 ? 2 : nil))
        let brute = try scratch.record(app, actions(log, bankSession))
        let written = try Recording(at: file("out.hindsight"))
        #expect(try written.end.seq == 6 && written.closedNanoseconds == written.action(6).nanosecondsSinceEpoch)
        for number in 0...6 {
            #expect(try written.state(at: .init(seq: number)) == brute.state(at: .init(seq: number)), "\(number)")
        }
        #expect(try app.verify(written).matches)
    }

    @Test func `A run begins before states that the recorder left out`() throws {
        let options = RecorderOptions(whenBehind: .dropSnapshots, queueLimit: QueueLimit(actions: 1))
        let app = BankRules().app
        let session = try app.record(to: file("skipped.hindsight"), options: options)
        var all: [Node] = []
        for index in 0..<300 {
            all.append(bankSession[index % bankSession.count])
            try session.dispatch(all[index], origin: Origin(file: "", line: index + 1))
            if index % 120 == 119 { try session.flush() }
        }
        try session.close()
        let recording = try Recording(at: file("skipped.hindsight"))
        let run = try #require(recording.skipped.first { $0.count > 1 })
        let log = try app.changedLog(of: recording, [.skip(run.lowerBound + 1)])
        let whatIf = try WhatIf(of: recording, by: app, running: log)
        #expect(whatIf.replayer.start.seq == run.lowerBound - 1)
        let first = try #require(try whatIf.finish().first)
        #expect(first.seq == run.upperBound && first.actions == run && first.reducer == nil)
        _ = try app.whatIf(recording, running: log, writingTo: file("out.hindsight"))
        let written = try Recording(at: file("out.hindsight"))
        let brute = try scratch.record(app, actions(log, all))
        for number in run.lowerBound - 1...written.actionCount {
            #expect(try written.state(at: .init(seq: number)) == brute.state(at: .init(seq: number)), "\(number)")
        }
        #expect(try app.verify(written).matches)
    }

    @Test func `The action in which the process ended runs only if it is asked for`() throws {
        let app = BankRules().app
        let recording = try change(
            try scratch.record(app),
            """
            UPDATE action SET steps = NULL, duration = NULL WHERE seq = 7; DELETE FROM keyframe WHERE seq > 0;
            DELETE FROM recording WHERE key = 'closed'
            """
        )
        try #require(recording.ending == .crashed(seq: 7, reducer: nil))
        let log = try app.changedLog(of: recording, [.skip(2)])
        let result = try app.whatIf(recording, running: log, writingTo: file("out.hindsight"))
        #expect(result.unfinished == 7 && result.end.seq == 6 && result.endNumber == 5)
        let written = try Recording(at: file("out.hindsight"))
        #expect(written.ending == .crashed(seq: 6, reducer: nil) && written.lastFinished == 5)
        // It is another recording.
        #expect(recording.id != nil && written.id != nil && written.id != recording.id)
        #expect(try app.verify(written).matches)

        let running = try WhatIf(of: recording, by: app, running: log, runningUnfinished: true)
        let writer = try WhatIfWriter(of: running, to: file("all.hindsight"))
        defer { writer.discard() }
        while let action = try running.next() { try writer.write(action) }
        #expect(try running.result().unfinished == nil)
        try running.runUnfinished { try writer.write($0) }
        try writer.finish()
        let all = try Recording(at: file("all.hindsight"))
        let brute = try scratch.record(app, actions(log, bankSession))
        #expect(all.closed != nil && all.actionCount == 6 && all.end.seq == 6)
        #expect(try all.state(at: all.end) == brute.state(at: brute.end))

        let moved = try app.changedLog(of: recording, [.move(7, after: 2)])
        #expect(try app.whatIf(recording, running: moved, writingTo: file("moved.hindsight")).unfinished == nil)
        #expect(try Recording(at: file("moved.hindsight")).closed != nil)

        let without = try app.changedLog(of: recording, [.skip(7)])
        #expect(try app.whatIf(recording, running: without, writingTo: file("short.hindsight")).unfinished == nil)
        #expect(try Recording(at: file("short.hindsight")).closed != nil)
    }

    @Test func `An output may end in an action that crashes today`() throws {
        let app = BankRules().app
        let recording = try scratch.record(app)
        try #require(recording.closed != nil)
        let log = try app.changedLog(of: recording, [.skip(2)])
        let whatIf = try WhatIf(of: recording, by: app, running: log)
        let writer = try WhatIfWriter(of: whatIf, to: file("out.hindsight"))
        defer { writer.discard() }
        while let next = whatIf.replayer.nextSeq, next <= 3, let action = try whatIf.next() {
            try writer.write(action)
        }
        try writer.finish(crashingIn: Recording.Position(seq: 4, reducer: 2))
        let written = try Recording(at: file("out.hindsight"))
        #expect(written.ending == .crashed(seq: 4, reducer: 2) && written.closed == nil)
        #expect(written.actionCount == 4 && written.lastFinished == 3)
    }

    @Test func `Redacted values are not compared, and those of new actions reach no file`() throws {
        let app = BankRules().app
        let redaction = Redaction(states: ["/statement", "/ranking", "/customers"], actions: ["/join/name"])
        let session = try app.record(to: file("hidden.hindsight"), options: RecorderOptions(redaction: redaction))
        for (index, action) in bankSession.enumerated() {
            try session.dispatch(action, origin: Origin(file: "", line: index + 1))
        }
        try session.close()
        let recording = try Recording(at: file("hidden.hindsight"))
        let log = try app.changedLog(of: recording, [.skip(6), .insert(["join": ["name": "Rumpelstilz"]], after: 3)])
        let result = try app.whatIf(recording, running: log, writingTo: file("out.hindsight"))
        #expect(result.redacted == ["/statement", "/ranking", "/customers"])
        #expect(
            !result.isSame && result.difference.operations.allSatisfy { !$0.path.description.hasPrefix("/statement") }
        )
        let written = try Data(contentsOf: file("out.hindsight"))
        #expect(written.range(of: Data("Rumpelstilz".utf8)) == nil)
        #expect(log.edits.allSatisfy { !$0.description.contains("Rumpelstilz") })
        #expect(try app.verify(Recording(at: file("out.hindsight"))).matches)
    }

    @Test func `Other reducers, and files beside a recording, are refused for an output`() throws {
        let recording = try scratch.record(BankRules().app)
        let log = try ChangedLog(of: recording, [.skip(2)])
        let fewer = ReplayableApp("bank", initial: Bank(), reducer: Reducer("balance", BankRules().balance))
        #expect(try !fewer.whatIf(recording, running: log).isSame)
        #expect { try fewer.whatIf(recording, running: log, writingTo: file("out.hindsight")) } throws: {
            "\($0)".contains("review") && "\($0)".contains("`app.accept(file)`")
        }
        // With equal states, review finds nothing, and accepting rewrites the names of the reducers.
        let renamed = ReplayableApp(
            "bank",
            initial: Bank(),
            reducer: Reducer<Bank, BankAction>("all") { bank, action in
                let rules = BankRules()
                for rule in [
                    rules.balance, rules.interest, rules.statement, rules.customers, rules.receipt, rules.audit,
                ] { rule(&bank, action) }
            }
        )
        let other = try scratch.record(BankRules().app)
        #expect(try renamed.verify(other).matches)
        #expect(throws: RecordingError.self) {
            try renamed.whatIf(other, running: log, writingTo: file("out.hindsight"))
        }
        try renamed.accept(other.url)
        _ = try renamed.whatIf(Recording(at: other.url), running: log, writingTo: file("renamed.hindsight"))
        let app = BankRules().app
        #expect { try app.whatIf(recording, running: log, writingTo: recording.url, overwrite: true) } throws: {
            ($0 as? RecordingError)?.code == .unwritable
        }
        _ = try app.whatIf(recording, running: log, writingTo: file("out.hindsight"))
        #expect { try app.whatIf(recording, running: log, writingTo: file("out.hindsight")) } throws: {
            ($0 as? RecordingError)?.code == .exists
        }
        _ = try app.whatIf(recording, running: log, writingTo: file("out.hindsight"), overwrite: true)
        let whatIf = try WhatIf(of: recording, by: app, running: log)
        try Data().write(to: URL(filePath: recording.url.path + "-journal"))
        #expect { try WhatIfWriter(of: whatIf, to: file("b.hindsight")) } throws: {
            "\($0)".contains("Recover it first.")
        }
        #expect(
            try scratch.names.allSatisfy {
                !$0.hasSuffix(".part")
            }
        )
    }

    @Test(.enabled(if: Python.has("sqlite3")), arguments: [false, true])
    func `Without a change it gives the recording itself in its views`(isCrashed: Bool) throws {
        let app = BankRules().app
        var recording = try scratch.record(app)
        if isCrashed {
            recording = try change(
                recording,
                """
                UPDATE action SET steps = NULL, duration = NULL WHERE seq = 7; DELETE FROM keyframe WHERE seq > 0;
                DELETE FROM recording WHERE key = 'closed'
                """
            )
        }
        _ = try app.whatIf(recording, running: ChangedLog(of: recording, []), writingTo: file("out.hindsight"))
        let script = """
            import sqlite3, sys
            for path in open(sys.argv[1]).read().split("\\n"):
                db = sqlite3.connect(path)
                for view in ["history", "changes"]:
                    for row in db.execute(f"SELECT * FROM {view}"): print(*row, sep="|")
                print("--")
            """
        let parts = try Python.run(script, input: recording.url.path + "\n" + file("out.hindsight").path)
            .components(separatedBy: "--\n")
        #expect(parts.count == 3 && parts[0] == parts[1] && parts[0].contains("deposit"))
    }
}
