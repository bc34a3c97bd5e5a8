import Foundation
import HindsightRecorder
import HindsightRecording
import HindsightReplay
import Testing

/// Expects that today's reducers make the recorded changes.
///
/// A recording that shows how the app should behave is a regression test:
///
/// ```swift
/// @Test func `the checkout of the bug report replays as it was`() {
///     expectReplay(of: "Recordings/bug-report.hindsight", by: myApp)
/// }
/// ```
///
/// A difference is an issue of the test, with the action, the reducer and the path, both values, the change of the
/// state and the commands that show more. So is a recording that cannot be read or does not fit the app. If the test
/// fails, the recording, a recording of what today's reducers did and the whole difference are attachments:
/// `swift test --attachments-path DIR` keeps them.
///
/// On Linux a reducer that traps is an issue as well, with the action, the reducer and the message: a fork of the
/// test's process replays the recording first, with the action in which the
/// recorded process ended. On other systems a reducer that traps ends the test's process; so does,
/// on Linux, a reducer that traps only sometimes.
///
/// If a recording lacks states, or ends in an action that never finished, a warning says what was not compared. Before
/// Swift 6.3, which introduced warnings of tests, it is printed. A recording of which nothing could be compared is an
/// issue.
///
/// Only reducers run: no middleware, no effects. The cost is that of the reducers and of comparing their changes, on
/// Linux twice, and there a fork.
///
/// - Parameters:
///   - path: The recording, relative to the folder of the test's source file; or an absolute path.
///   - app: The app's reducers, initial state and actions.
///   - options: What is compared; by default, what a trait `replaying(_:mode:)` sets.
///   - mode: Whether the recording may be written; by default, what a trait or the environment sets. See
///     ``RecordingMode``.
///   - filePath: The source file; the caller's by default.
///   - sourceLocation: Where issues are shown; the caller's line by default.
///   - session: Dispatches the actions of a recording that does not exist, if the mode makes missing recordings.
/// - Returns: The result, for further expectations; `nil` if the recording could not be replayed. If a reducer traps,
///   the result up to that action.
@discardableResult
public func expectReplay(
    of path: String,
    by app: ReplayableApp,
    options: VerificationOptions? = nil,
    mode: RecordingMode? = nil,
    filePath: String = #filePath,
    sourceLocation: SourceLocation = #_sourceLocation,
    recording session: ((RecordingSession) throws -> Void)? = nil
) -> VerificationResult? {
    let url = FixturePath.url(of: path, besideSource: filePath)
    return expectReplay(
        of: url,
        by: app,
        options: options,
        mode: mode,
        sourceLocation: sourceLocation,
        recording: session
    )
}

/// Expects that today's reducers make the changes of one of the ``Recordings`` of a test.
///
/// ```swift
/// @Test(arguments: Recordings()) func replays(_ recording: RecordedFixture) {
///     expectReplay(of: recording, by: myApp)
/// }
/// ```
@discardableResult
public func expectReplay(
    of fixture: RecordedFixture,
    by app: ReplayableApp,
    options: VerificationOptions? = nil,
    mode: RecordingMode? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) -> VerificationResult? {
    if let problem = fixture.problem {
        Issue.record("\(problem)", sourceLocation: sourceLocation)
        return nil
    }
    return expectReplay(of: fixture.url, by: app, options: options, mode: mode, sourceLocation: sourceLocation)
}

/// Expects that today's reducers make the changes of a recording at a URL.
@discardableResult
public func expectReplay(
    of recording: URL,
    by app: ReplayableApp,
    options: VerificationOptions? = nil,
    mode: RecordingMode? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    recording session: ((RecordingSession) throws -> Void)? = nil
) -> VerificationResult? {
    let (mode, problem) = RecordingMode.resolve(mode ?? ReplayTrait.current.mode)
    if let problem { Issue.record("\(problem)", sourceLocation: sourceLocation) }
    let expectation = ReplayExpectation(
        recording: recording,
        app: app,
        options: options ?? ReplayTrait.current.options ?? VerificationOptions(),
        mode: mode,
        sourceLocation: sourceLocation
    )
    return expectation.check(recording: session)
}

/// Why today's reducers do not make the recorded changes; `nil` if they do.
///
/// It is for XCTest and other frameworks. Nothing is written, and there are no attachments:
///
/// ```swift
/// func testBugReport() {
///     XCTAssertNil(replayFailure(of: "Recordings/bug-report.hindsight", by: myApp))
/// }
/// ```
///
/// - Parameters:
///   - path: The recording, relative to the folder of the test's source file; or an absolute path.
///   - app: The app's reducers, initial state and actions.
///   - options: What is compared.
///   - filePath: The source file; the caller's by default.
public func replayFailure(
    of path: String,
    by app: ReplayableApp,
    options: VerificationOptions = VerificationOptions(),
    filePath: String = #filePath
) -> String? {
    ReplayOutcome(of: FixturePath.url(of: path, besideSource: filePath), by: app, options: options).failure
}

/// One expectation of a test: replays a recording, writes it if the mode says so, and reports.
struct ReplayExpectation {
    let recording: URL
    let app: ReplayableApp
    let options: VerificationOptions
    let mode: RecordingMode
    let sourceLocation: SourceLocation

    func check(recording session: ((RecordingSession) throws -> Void)?) -> VerificationResult? {
        do {
            if !FileManager.default.fileExists(atPath: recording.path) {
                guard mode != .never, let session else {
                    fail(missing(canBeMade: session != nil))
                    return nil
                }
                try make(session)
                warn("\(recording.path) did not exist, and was recorded. Look at it, and commit it.")
            }
            var outcome = ReplayOutcome(of: recording, by: app, options: options)
            let isPending = outcome.failure != nil || outcome.result?.unfinished != nil
            if outcome.result != nil, !outcome.isFatal, mode == .all || mode == .failed && isPending {
                if let trap = try trapOfRunningAll() {
                    fail("\(recording.path) was not given the states of today's reducers: \(trap)")
                    return outcome.result
                }
                try app.accept(recording, runningUnfinished: Self.canFork)
                let reason = outcome.failure.map { ":\n\($0)" } ?? "."
                warn("\(recording.path) was given the states of today's reducers. Look at the change\(reason)")
                outcome = ReplayOutcome(of: recording, by: app, options: options)
            }
            if let warning = outcome.warning { warn(warning) }
            if let failure = outcome.failure {
                fail(failure)
                attach(outcome)
            }
            return outcome.result
        } catch {
            fail("\(error)")
            return nil
        }
    }

    #if os(Linux)
        private static let canFork = true
    #else
        private static let canFork = false
    #endif

    private func fail(_ text: String) { Issue.record("\(text)", sourceLocation: sourceLocation) }

    private func warn(_ text: String) {
        #if compiler(>=6.3)
            Issue.record("\(text)", severity: .warning, sourceLocation: sourceLocation)
        #else
            print("warning: \(text)")
        #endif
    }

    private func missing(canBeMade: Bool) -> String {
        let advice =
            canBeMade
            ? "Run the test on your machine with HINDSIGHT_RECORD=missing, and commit the recording."
            : "Put the recording there, name another path, or say which actions make it."
        return "there is no recording \(recording.path). \(advice)"
    }

    /// Records a session into a new file. If it fails, there is no file.
    private func make(_ session: (RecordingSession) throws -> Void) throws {
        let folder = recording.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let recorded = try app.record(to: recording)
        do {
            try session(recorded)
            try recorded.close()
        } catch {
            try recorded.close()
            try FileManager.default.removeItem(at: recording)
            throw error
        }
    }

    /// Attaches the recording, a recording of what today's reducers did, and the whole difference.
    private func attach(_ outcome: ReplayOutcome) {
        let name = recording.deletingPathExtension().lastPathComponent
        var text = (outcome.failure ?? "") + "\n"
        if let difference = outcome.difference { text += "\nThe whole difference:\n\(difference)\n" }
        do {
            try TestAttachment.record(contentsOf: recording, named: recording.lastPathComponent, sourceLocation)
            if outcome.result != nil, !outcome.isFatal { text += try attachToday(named: "\(name).today.hindsight") }
        } catch {
            text += "\nNot attached: \(error)\n"
        }
        TestAttachment.record(Array(text.utf8), named: "\(name).diff.txt", sourceLocation)
    }

    /// Attaches a recording of what today's reducers do.
    ///
    /// - Returns: Why it is not attached; empty if it is.
    private func attachToday(named name: String) throws -> String {
        #if os(Linux)
            if let trap = try trapOfRunningAll() { return "\nToday's reducers did not reach the end: \(trap)\n" }
            let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { TestAttachment.remove(folder) }
            let replayed = folder.appending(path: name)
            try app.accept(recording, writingTo: replayed)
            try TestAttachment.record(contentsOf: replayed, named: name, sourceLocation)
            return ""
        #else
            // A reducer that traps after the divergence would end the test's process.
            return ""
        #endif
    }

    /// Where the reducers end the process if all actions run; `nil` if they do not, or if that is not known.
    private func trapOfRunningAll() throws -> String? {
        #if os(Linux)
            let replay = ForkedReplay(recording: recording, app: app, options: nil)
            guard case .terminated(let termination) = replay.run() else { return nil }
            return try termination.text(in: Recording(at: recording))
        #else
            return nil
        #endif
    }
}
