import Foundation
import HindsightRecorder
import HindsightSQLite
import HindsightTree
import TestSupport
import Testing

@testable import HindsightCLI

/// An app that runs as a whole what its recordings have as steps.
@Suite struct WholeStepsTests {
    private struct Sums: Codable, Sendable { var first = 0, second = 0 }

    private struct Question { var answer: () -> Void = {} }

    private enum Action: Codable, Sendable { case add(Int), ask(Described<Question>), reset }

    @Sendable private static func reduce(_ sums: inout Sums, _ action: Action) {
        ActionStep.run("first", in: &sums) { sums in
            switch action {
            case .add(let number): sums.first += number
            case .ask: sums.second += 1
            case .reset: sums = Sums()
            }
        }
    }

    private let scratch = Scratch()
    private let app = ReplayableApp("sums", initial: Sums(), reduce: Self.reduce)

    /// Records seven actions, and forgets the states after some.
    private func record(forgettingAfter last: Int = .max) throws {
        let recorder = try Recorder<Sums, Action>(
            to: scratch.file(),
            app: app.info,
            options: RecorderOptions(steps: ["first"])
        )
        var sums = Sums()
        let actions: [Action] = [.add(1), .add(2), .add(3), .ask(Described(Question())), .add(4), .add(5), .reset]
        for action in actions { recorder.record(action, in: &sums) { Self.reduce(&$0, action) } }
        try recorder.close()
        guard last < actions.count else { return }
        try Connection(scratch.file().path, .readWrite).execute(
            "UPDATE action SET steps = NULL WHERE seq > \(last); DELETE FROM keyframe WHERE seq > 0"
        )
    }

    private func run(_ words: String...) -> ToolHarness {
        let harness = ToolHarness(apps: [app])
        _ = harness.run([words[0], scratch.file().path] + words.dropFirst())
        return harness
    }

    @Test func `states that were not recorded are said to be computed only where they are`() throws {
        try record(forgettingAfter: 2)
        let jump = run("jump", "5").errorText
        #expect(jump.contains("replaying computes them, up to action 4, which was not recorded as a value"), "\(jump)")
        #expect(jump.contains("This build runs the steps as a whole"), "\(jump)")
        #expect(!jump.contains("differ"), "\(jump)")
        #expect(run("jump", "3", "--replayed", "--path", "/first").text == "6\n")
        let blame = run("blame", "/first")
        #expect(blame.errorText.contains("states up to action 2 of 7"), "\(blame.errorText)")
        #expect(!blame.errorText.contains("To compute it"), "\(blame.errorText)")
    }

    @Test func `a what-if that ends as recorded because of a gap says so, and offers nothing that fails`() throws {
        try record()
        let answer = run("whatif", "--skip", "2").text
        #expect(
            answer.contains("it has the recorded end, since it went on from the recorded state after 4"),
            "\(answer)"
        )
        #expect(!answer.contains("-o what-if.hindsight"), "\(answer)")
        let refused = run("whatif", "--skip", "2", "-o", scratch.file("o.hindsight").path).errorText
        #expect(refused.contains("its actions have the steps first, and this build runs them whole"), "\(refused)")
    }
}
