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

private struct Sums: Codable, Sendable {
    var first = 0
    var second = 0
}

@Sendable private func reduce(_ sums: inout Sums, _ action: Int) {
    ActionStep.run("first", in: &sums) { $0.first += action }
    ActionStep.run("second", in: &sums) { $0.second = $0.first * 2 }
}

@Suite("Replaying a store of another kind") struct ExternalStoreReplayTests {
    private let scratch = Scratch()

    /// Expects that a replayer makes the recorded state after each action.
    private func expectRecordedStates(from replayer: Replayer, of recording: Recording) throws {
        while let action = try replayer.next() {
            let recorded = try recording.state(at: Recording.Position(seq: action.recorded.seq))
            #expect(try replayer.state() == recorded, "after \(action.recorded.seq)")
        }
        #expect(replayer.position == recording.end)
    }

    private func record(steps: [String]) throws -> Recording {
        let recorder = try Recorder<Sums, Int>(
            to: scratch.file(),
            app: AppInfo(name: "sums"),
            options: RecorderOptions(overwrite: true, steps: steps)
        )
        var sums = Sums()
        for action in 1...20 {
            if action == 10 { sums.first = 1000 }
            recorder.record(action, in: &sums) { reduce(&$0, action) }
        }
        try recorder.close()
        return try Recording(at: scratch.file())
    }

    @Test("The same function gives the same states, with steps and without", arguments: [[], ["first", "second"]])
    func same(steps: [String]) throws {
        let recording = try record(steps: steps)
        let app = ReplayableApp("sums", initial: Sums(), reduce: reduce)
        #expect(app.reducers == ["reduce"])
        let changes = ReducerChanges(of: app, since: recording)
        #expect(changes.steps == steps)
        #expect(changes.removed.isEmpty)
        #expect(changes.hasSameSteps == steps.isEmpty)
        let result = try Verification(of: recording, by: app).run()
        #expect(result.divergences.isEmpty)
        #expect(result.travels == [10])
        try expectRecordedStates(from: Replayer(of: recording, by: app), of: recording)
    }

    @Test("A step may have the name of what comes before the first step")
    func sameName() throws {
        @Sendable func run(_ sums: inout Sums, _ action: Int) {
            ActionStep.run("reduce", in: &sums) { $0.first += action }
        }
        let recorder = try Recorder<Sums, Int>(
            to: scratch.file(),
            app: AppInfo(name: "sums"),
            options: RecorderOptions(steps: ["reduce"])
        )
        var sums = Sums()
        for action in 1...3 { recorder.record(action, in: &sums) { run(&$0, action) } }
        try recorder.close()
        let recording = try Recording(at: scratch.file())
        #expect(recording.reducers == ["reduce", "reduce#2"])
        let app = ReplayableApp("sums", initial: Sums(), reduce: run)
        #expect(try Verification(of: recording, by: app).run().divergences.isEmpty)
    }

    @Test("Another function diverges at the first action that it changes")
    func other() throws {
        let recording = try record(steps: ["first", "second"])
        let app = ReplayableApp("sums", initial: Sums()) { (sums: inout Sums, action: Int) in
            reduce(&sums, action)
            if action == 7 { sums.second -= 1 }
        }
        let divergences = try Verification(of: recording, by: app).run().divergences
        #expect(divergences.first?.action?.seq == 7)
        #expect(divergences.first.map { "\($0.path)" } == "/second")
    }

    @Test("Reducers with the names of the steps are compared one by one")
    func reducers() throws {
        let recording = try record(steps: ["first", "second"])
        let app = ReplayableApp(
            "sums",
            initial: Sums(),
            reducer: Reducer<Sums, Int>.combine(
                Reducer("reduce") { _, _ in },
                Reducer("first") { $0.first += $1 },
                Reducer("second") { sums, action in sums.second = sums.first * (action == 5 ? 3 : 2) }
            )
        )
        #expect(ReducerChanges(of: app, since: recording).hasSameSteps)
        let divergence = try Verification(of: recording, by: app).run().divergences.first
        #expect(divergence?.action?.seq == 5)
        #expect(divergence?.reducerName == "second")
    }

    /// Records actions, of which some are descriptions.
    private func record(_ actions: [any SumAction]) throws -> ReplayableApp {
        var registry = ActionRegistry<any SumAction>()
        registry.register(AddSum.self) { $0 }
        let recorder = try Recorder<Sums, any SumAction>(
            to: scratch.file(),
            app: AppInfo(name: "sums"),
            actions: registry.codec.describingFailures
        )
        var sums = Sums()
        for action in actions { recorder.record(action, in: &sums) { action.run(&$0) } }
        try recorder.close()
        return ReplayableApp(
            "sums",
            initial: Sums(),
            reducer: Reducer("reduce") { $1.run(&$0) },
            actions: registry.codec
        )
    }

    @Test("Descriptions of actions are gaps: a replay goes on with the state after them")
    func describedActions() throws {
        let app = try record([AddSum(1), AskSum(), AddSum(2), AskSum(), AddSum(3)])
        let recording = try Recording(at: scratch.file())
        let result = try Verification(of: recording, by: app).run()
        #expect(result.divergences.isEmpty && result.matches)
        #expect(result.gaps == [2, 4] && result.removed.isEmpty)
        let fit = try app.fit(of: recording)
        #expect(fit.verdict == .fits && fit.problems.isEmpty)
        #expect(fit.notCodable.map(\.type) == ["AskSum", "@Sendable () -> ()"])
        #expect(fit.notCodable.map(\.actions) == [2, 2])
        try expectRecordedStates(from: Replayer(of: recording, by: app), of: recording)
    }

    @Test("No state is computed by the reducers of the action before a description", arguments: [1, 3])
    func unwrittenStates(last: Int) throws {
        let app = try record([AddSum(1), AddSum(2), AddSum(3), AskSum(), AddSum(4)])
        try Connection(scratch.file().path, .readWrite).execute(
            "UPDATE action SET steps = NULL WHERE seq > \(last); DELETE FROM keyframe WHERE seq > 0"
        )
        let recording = try Recording(at: scratch.file())
        let replayer = try Replayer(of: recording, by: app)
        try replayer.move(to: Recording.Position(seq: 3))
        #expect(try replayer.state() == ["first": 6, "second": 0])
        for body in [
            { try replayer.move(to: Recording.Position(seq: 4)) },
            { try Replayer(of: recording, by: app).move(to: recording.position("5", knownOnly: false)) },
            { while try replayer.nextStep(upTo: Recording.Position(seq: 5)) != nil {} },
        ] {
            let error = #expect(throws: ReplayError.self) { try body() }
            #expect(error?.code == .unrecordedAction && error?.seq == 4, "\(String(describing: error))")
        }
    }

    @Test("A replay cannot go on with a state that has a description, and says why")
    func describedPart() throws {
        enum FormAction: Codable { case ask(Described<AskSum>), add(Int), close }
        struct Form: Codable, Sendable { var sum = 0, question: Described<AskSum>? }
        @Sendable func reduce(_ form: inout Form, _ action: FormAction) {
            switch action {
            case .ask(let question): form.question = question
            case .add(let number): form.sum += number
            case .close: form.question = nil
            }
        }
        let recorder = try Recorder<Form, FormAction>(to: scratch.file(), app: AppInfo(name: "form"))
        var form = Form()
        for action in [.add(1), .ask(Described(AskSum())), .add(2), .close] as [FormAction] {
            recorder.record(action, in: &form) { reduce(&$0, action) }
        }
        try recorder.close()
        let recording = try Recording(at: scratch.file())
        let app = ReplayableApp("form", initial: Form(), reduce: reduce)
        let error = #expect(throws: ReplayError.self) { try Verification(of: recording, by: app).run() }
        let told = "AskSum is not Codable, and a description cannot be decoded"
        #expect(error?.code == .undecodableState, "\(String(describing: error))")
        #expect(error?.description.contains(told) == true, "\(String(describing: error))")
        #expect(error?.description.contains("Migration") == false, "\(String(describing: error))")
        let fit = try app.fit(of: recording)
        #expect(fit.verdict == .doesNotFit && fit.notCodable.map(\.type).first == "AskSum")
        #expect(fit.problems.contains { $0.reason.contains(told) }, "\(fit.problems)")
    }

    @Test("Nothing is replayed on states that are descriptions, and the error names their types")
    func describedStates() throws {
        struct View { var sums = Sums(), close: () -> Void = {} }
        let name = "ExternalStoreReplayTests.View"
        let recorder = try Recorder<Described<View>, Int>(to: scratch.file(), app: AppInfo(name: "sums"))
        var view = View()
        for action in 1...3 { recorder.record(action, in: &view) { $0.sums.first += action } }
        try recorder.close()
        let recording = try Recording(at: scratch.file())
        let app = ReplayableApp("sums", initial: Sums(), reduce: reduce)
        for body in [
            { _ = try Verification(of: recording, by: app) }, { _ = try Replayer(of: recording, by: app) },
        ] {
            let error = #expect(throws: ReplayError.self) { try body() }
            #expect(error?.code == .describedStates)
            #expect(error?.description.contains(#"replayed: "\#(name)""#) == true, "\(String(describing: error))")
        }
        let fit = try app.fit(of: recording)
        #expect(fit.verdict == .doesNotFit)
        #expect(fit.notCodable.first == Recording.Summary.DescribedType(type: name, states: true))
        #expect(try Fit(ofDescriptionsIn: recording)?.notCodable == fit.notCodable)
    }
}

private protocol SumAction: Sendable {
    func run(_ sums: inout Sums)
}

private struct AddSum: SumAction, Codable {
    var count: Int
    init(_ count: Int) { self.count = count }
    func run(_ sums: inout Sums) { sums.first += count }
}

private struct AskSum: SumAction {
    var answer: @Sendable () -> Void = {}
    func run(_ sums: inout Sums) { sums.second -= 1 }
}
