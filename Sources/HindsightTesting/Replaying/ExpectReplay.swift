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
/// `swift test --attachments-path DIR` keeps them. If the environment variable `HINDSIGHT_PAGES` is set, pages of both
/// recordings, which a browser opens, are attached as well, with the actions around the first difference.
///
/// On Linux a reducer that traps is an issue as well, with the action, the reducer and the message: a fork of the
/// test's process replays the recording first, with the action in which the
/// recorded process ended. On other systems a reducer that traps ends the test's process; so does,
/// on Linux, a reducer that traps only sometimes.
///
/// A warning says what was not compared: states that the recording lacks, an action that never finished, fields that
/// only the recording or only today's types have, redacted values, another initial state. If a reducer gives another
/// value to a new field each time it runs, the warning says so too. Before Swift 6.3, which introduced warnings of
/// tests, it is printed. A recording of which nothing could be compared is an issue.
///
/// If the environment variable `HINDSIGHT_REFERENCES` names a file, the path of the recording is appended to it as a
/// line. `hindsight review --check --references FILE` then lists the recordings to which no test refers.
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
    if let problem = ReferenceList.note(recording) { Issue.record("\(problem)", sourceLocation: sourceLocation) }
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
    let url = FixturePath.url(of: path, besideSource: filePath)
    if let problem = ReferenceList.note(url) { return problem }
    return ReplayOutcome(of: url, by: app, options: options).failure
}
