import Foundation
import HindsightRecorder
import HindsightReplay
import HindsightStore
import HindsightSupport
import Testing

@testable import HindsightTesting

struct Tally: Codable, Sendable {
    var total = 0
    var unit = "pieces"
}

enum TallyAction: Codable, Sendable {
    case add(Int)
}

/// An app whose reducer multiplies by `factor`. The recorded factor is 1.
///
/// - Parameter sideEffect: Runs when 2 is added.
func tally(factor: Int = 1, sideEffect: @escaping @Sendable () -> Void = {}) -> ReplayableApp {
    let reducer = Reducer<Tally, TallyAction>("tally") { state, action in
        guard case .add(let amount) = action else { return }
        if amount == 2 { sideEffect() }
        state.total += amount * factor
    }
    return ReplayableApp("tally", initial: Tally(), reducer: reducer)
}

extension RecordingSession {
    /// Adds the numbers from 1 to `last`.
    func add(upTo last: Int) throws {
        for amount in 1...last {
            try dispatch(["add": ["_0": .int(amount)]], origin: Origin(file: #fileID, line: #line))
        }
    }
}

/// Records the numbers from 1 to `last`.
func recordTally(upTo last: Int, to file: URL) throws {
    let session = try tally().record(to: file)
    try session.add(upTo: last)
    try session.close()
}

/// The texts of the issues that `body` records.
func issues(isIntermittent: Bool = false, _ body: () -> Void) -> [String] {
    let texts = Locked([String]())
    withKnownIssue(isIntermittent: isIntermittent) {
        body()
    } matching: { issue in
        texts.withLock { $0.append(issue.comments.map(\.rawValue).joined()) }
        return true
    }
    return texts.withLock { $0 }
}

/// Expects one issue, and returns its text.
func issue(_ body: () -> Void) -> String {
    let texts = issues(body)
    #expect(texts.count == 1)
    return texts.joined()
}

/// The texts of the issues of checking a recording in a mode, whatever the environment.
func issues(
    of recording: URL,
    by app: ReplayableApp,
    _ mode: RecordingMode,
    _ options: VerificationOptions = VerificationOptions(),
    recording session: ((RecordingSession) throws -> Void)? = nil
) -> [String] {
    let expectation = ReplayExpectation(
        recording: recording,
        app: app,
        options: options,
        mode: mode,
        sourceLocation: #_sourceLocation
    )
    return issues(isIntermittent: true) { _ = expectation.check(recording: session) }
}
