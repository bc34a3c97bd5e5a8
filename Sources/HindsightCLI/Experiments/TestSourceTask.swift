import Foundation
import HindsightRecorder
import HindsightRecording
import HindsightReplay
import HindsightTree

/// Writes a list of actions as a Swift test, in a child process.
struct TestSourceTask: AnsweringTask {
    static let name = "test"

    /// The parts of a test.
    struct Source: Codable {
        /// The state before the first action, as JSON.
        var state = ""
        /// The names of the types, with their modules.
        var (stateType, actionType) = ("", "")
        var steps: [Step] = []
        /// Whether the test expects another end than the recorded one; `nil` if the recorded one is not known.
        var differs: Bool?
    }

    struct Step: Codable {
        /// An expression of the action; `nil` if there is none.
        let expression: String?
        let json: String
        /// What the reducers change today, as the JSON of a patch; `nil` if the action is not run.
        let changes: String?
    }

    let file: String
    /// The position on whose state the list runs.
    let base: Recording.Position
    /// Actions to run before, because the state on which the list runs is not known.
    var lead: [Int] = []
    let list: [LogShrinker.Entry]
    /// Whether the last action crashes. It is not run.
    let crashes: Bool

    var words: [String] { ["test", file] }

    func answer(in tool: Tool) throws -> Source {
        let recording = try tool.open(file, notesLoss: false)
        let app = try tool.app(of: recording)
        let laboratory = try Laboratory(of: recording, by: app, from: base)
        try laboratory.begin([])
        var source = Source()
        let end = try run(app.typed, laboratory, into: &source)
        let last = Recording.Position(seq: list.last?.seq ?? 0)
        if !crashes, list.allSatisfy({ $0.payload == nil }), recording.redaction.states.isEmpty,
            recording.absence(at: last) == nil
        {
            source.differs = try !recording.state(at: last).isEquivalent(to: end)
        }
        return source
    }

    /// Runs the list, and returns the state after it.
    private func run<App: TypedApp>(_ app: App, _ laboratory: Laboratory, into source: inout Source) throws -> Node {
        source.stateType = String(reflecting: App.StateValue.self)
        source.actionType = String(reflecting: App.ActionValue.self)
        var state = try NodeDecoder().decode(App.StateValue.self, from: laboratory.state())
        for seq in lead {
            let action = try app.actions.decode(payload(LogShrinker.Entry(seq: seq), laboratory))
            reduce(&state, action, seq, app)
        }
        var before = try NodeEncoder().encode(state)
        source.state = before.json
        for (index, entry) in list.enumerated() {
            let payload = try payload(entry, laboratory)
            let action = try app.actions.decode(payload)
            var changes: String?
            if !crashes || index < list.count - 1 {
                reduce(&state, action, entry.seq, app)
                let after = try NodeEncoder().encode(state)
                changes = Patch(from: before, to: after).json
                before = after
            }
            source.steps.append(
                Step(expression: SwiftExpression.text(of: action), json: payload.json, changes: changes)
            )
        }
        return before
    }

    /// The payload of an action today.
    private func payload(_ entry: LogShrinker.Entry, _ laboratory: Laboratory) throws -> Node {
        Isolation.watch?(ReplayPoint(seq: entry.seq, reducer: 0, phase: .decoding))
        if let text = entry.payload { return try Node(json: text) }
        // Says which action does not decode.
        try laboratory.read(CollectionOfOne(entry.seq))
        if let present = try laboratory.payload(of: entry.seq) { return present }
        throw Failure(.doesNotFit, "Action \(entry.seq) is not one action today, so no test can have it.")
    }

    private func reduce<App: TypedApp>(_ state: inout App.StateValue, _ action: App.ActionValue, _ seq: Int, _ app: App)
    {
        for (number, leaf) in app.reducer.leaves.enumerated() {
            Isolation.watch?(ReplayPoint(seq: seq, reducer: number + 1, phase: .reducing))
            leaf.reduce(&state, action)
        }
    }
}
