import Foundation
import HindsightRecorder
import HindsightRecording
import HindsightStore
import HindsightTree
import Testing

@testable import HindsightReplay

/// Replaying actions whose states the recorder left out.
@Suite struct SkippedTests {
    private let scratch = Scratch()

    /// A recording with left-out states, by a recorder with a very small queue.
    private func recording(in scratch: Scratch, _ rules: BankRules = BankRules()) throws -> Recording {
        let options = RecorderOptions(whenBehind: .dropSnapshots, queueLimit: QueueLimit(actions: 1))
        let file = scratch.file("skipped.hindsight")
        let session = try rules.app.record(to: file, options: options)
        for round in 1...5 {
            for index in 0..<60 {
                try session.dispatch(bankSession[index % bankSession.count], origin: Origin(file: "", line: index + 1))
            }
            if round % 2 == 0 { try session.flush() }
        }
        try session.close()
        let recording = try Recording(at: file)
        try #require(!recording.skipped.isEmpty)
        return recording
    }

    @Test func `Verification compares today's reducers at the next known state`() throws {
        let recording = try recording(in: scratch)
        let result = try BankRules().app.verify(recording)
        #expect(result.matches)
        #expect(result.skipped == recording.skipped)
        #expect(result.actions + recording.skipped.reduce(0) { $0 + $1.count } == 300)
        #expect(result.unknown == nil)
    }

    @Test func `A changed reducer in actions without states is detected after them`() throws {
        let counting = BankRules().with(\.audit) { bank, _ in bank.audit.count += 1 }
        let recording = try recording(in: scratch, counting)
        let run = try #require(recording.skipped.first { $0.count > 1 })
        // A change in exactly one action without a known state.
        let changed = BankRules().with(\.audit) { bank, _ in
            bank.audit.count += bank.audit.count == run.lowerBound - 1 ? 2 : 1
        }
        let divergence = try #require(try changed.app.verify(recording).divergence)
        #expect(divergence.seq == run.upperBound)
        #expect(divergence.reducer == nil)
        #expect(divergence.description.contains("without recorded states"))
        #expect(!divergence.inputWasRecorded)
    }

    @Test func `A verification that ends within a run does not compare that run`() throws {
        let recording = try recording(in: scratch)
        let run = try #require(recording.skipped.first { $0.count > 1 })
        let verification = try Verification(of: recording, by: BankRules().app)
        while try #require(try verification.next()).recorded.seq < run.lowerBound {}
        let part = run.lowerBound...run.lowerBound
        #expect(verification.result.skipped.last == part && verification.result.uncompared == part)
        while try #require(try verification.next()).recorded.seq < run.upperBound {}
        #expect(verification.result.skipped.last == run && verification.result.uncompared == nil)
    }

    @Test func `Replaying computes every state that was left out`() throws {
        let recording = try recording(in: scratch)
        var bank = Bank()
        let leaves = BankRules().reducer.leaves
        let replayer = try Replayer(of: recording, by: BankRules().app)
        for seq in 1...recording.actionCount {
            let action = try NodeDecoder().decode(
                BankAction.self,
                from: try #require(try recording.action(seq).payload)
            )
            for leaf in leaves { leaf.reduce(&bank, action) }
            try replayer.move(to: Recording.Position(seq: seq))
            #expect(try replayer.state() == NodeEncoder().encode(bank))
        }
        let run = try #require(recording.skipped.first)
        #expect(throws: RecordingError.self) {
            try Replayer(of: recording, by: BankRules().app, from: Recording.Position(seq: run.lowerBound, reducer: 1))
        }
    }
}
