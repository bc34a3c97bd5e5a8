import Foundation
import HindsightFormat
import HindsightRecorder
import HindsightRecording
import HindsightReplay
import Testing

/// Expects that today's reducers make the recorded changes.
///
/// A recording that shows how the app should behave is a regression test:
///
/// ```swift
/// @Test(arguments: try recordings(in: Bundle.module.resourceURL!))
/// func `Recorded sessions replay as they were`(recording: URL) {
///     expectReplay(of: recording, by: myApp)
/// }
/// ```
///
/// A difference is an issue of the test, and so is a recording that cannot be read or does not fit the app. On Linux a
/// reducer that traps is an issue as well, with the action, the reducer and the message: a fork of the test's process
/// replays the recording first. On other systems a reducer that traps ends the test's process; so does, on Linux, a
/// reducer that traps only sometimes.
///
/// If a recording lacks states, or ends in an action that never finished, a warning says what was not compared. Before
/// Swift 6.3, which introduced warnings of tests, it is printed. A recording of which nothing could be compared is an
/// issue.
///
/// Only reducers run: no middleware, no effects. The cost is that of the reducers and of comparing their changes, on
/// Linux twice.
///
/// - Parameters:
///   - recording: The recording's file. It is not changed.
///   - app: The app's reducers, initial state and actions.
///   - sourceLocation: Where issues are shown; the caller's line by default.
/// - Returns: The result, for further expectations; `nil` if the recording could not be replayed. If a reducer traps,
///   the result up to that action.
@discardableResult
public func expectReplay(
    of recording: URL,
    by app: ReplayableApp,
    sourceLocation: SourceLocation = #_sourceLocation
) -> VerificationResult? {
    let name = recording.lastPathComponent
    do {
        let file = try Recording(at: recording)
        var (last, isForked) = (Int.max, false)
        #if os(Linux)
            switch ForkedReplay(recording: recording, app: app).run() {
            case .finished:
                isForked = true
            case .unknown:
                break
            case .terminated(let termination):
                Issue.record("\(name): \(try text(of: termination, in: file))", sourceLocation: sourceLocation)
                guard let point = termination.point else { return nil }
                (last, isForked) = (point.seq - 1, true)
            }
        #endif
        let verification = try Verification(of: file, by: app)
        var seq = file.start.seq
        while seq < last, let action = try verification.next() { seq = action.recorded.seq }
        let result = verification.result
        if !result.matches {
            let reason = result.divergence?.description ?? "The recording and this replay differ."
            Issue.record("\(name): \(reason)", sourceLocation: sourceLocation)
        } else if last == .max {
            if result.unknown != nil, !isForked { try runUncompared(file, app) }
            report(result, of: file, name, sourceLocation)
        }
        return result
    } catch {
        Issue.record("\(error)", sourceLocation: sourceLocation)
        return nil
    }
}

/// Runs the actions at the end that finished, but whose states were not recorded. There is nothing to compare them
/// with.
func runUncompared(
    _ recording: Recording,
    _ app: ReplayableApp,
    watch: ((ReplayPoint) -> Void)? = nil
) throws {
    let replayer = try Replayer(of: recording, by: app, from: recording.end)
    replayer.watch = watch
    while try replayer.next() != nil {}
}

/// Reports what was not compared.
private func report(
    _ result: VerificationResult,
    of recording: Recording,
    _ name: String,
    _ sourceLocation: SourceLocation
) {
    func list(_ range: ClosedRange<Int>) -> String {
        range.count == 1 ? "action \(range.lowerBound)" : "actions \(range.lowerBound) to \(range.upperBound)"
    }
    var remarks: [String] = []
    if let unknown = result.unknown {
        remarks.append("\(list(unknown)): run, but their states were not recorded")
    }
    for run in result.skipped {
        let what = run == result.uncompared ? "not compared" : "compared only after the last"
        remarks.append("\(list(run)): run, but \(what), because the recorder left out their states")
    }
    if !result.gaps.isEmpty {
        remarks.append("not recorded, so not run: \(result.gaps.map(String.init).joined(separator: ", "))")
    }
    if let unfinished = result.unfinished {
        remarks.append("action \(unfinished), in which the recorded process ended: not run")
    }
    if let lost = recording.lost {
        remarks.append("\(list(lost)): begun, but in no file")
    } else if recording.lacksJournal {
        remarks.append("actions after \(recording.actionCount), because the recording's journal is missing")
    }
    guard !remarks.isEmpty else { return }
    let text =
        "\(name): compared \(result.actions) of \(recording.actionCount) actions. Not compared: "
        + remarks.joined(separator: "; ") + "."
    let comparesNothing = result.comparedNothing || result.actions == 0 && result.skipped.isEmpty
    if comparesNothing {
        Issue.record(
            "\(text) Record the session again and close its recorder, so that there are states to compare.",
            sourceLocation: sourceLocation
        )
        return
    }
    #if compiler(>=6.3)
        Issue.record("\(text)", severity: .warning, sourceLocation: sourceLocation)
    #else
        print("warning: \(text)")
    #endif
}

#if os(Linux)
    private func text(of termination: ForkedReplay.Termination, in recording: Recording) throws -> String {
        let said = termination.message.map { " It said: \($0)" } ?? ""
        guard let point = termination.point else {
            return
                "the replay ended its process (\(termination.ending)) before the first action, while the app's initial"
                + " state or the recorded one was encoded or decoded.\(said)"
        }
        let action = try recording.action(point.seq)
        let name = recording.name(ofReducer: point.reducer).map { " (\($0))" } ?? ""
        let reducer = "reducer \(point.reducer) of \(recording.reducers.count)\(name)"
        let place =
            switch point.phase {
            case .decoding: "while the app decoded the action"
            case .reducing: "in \(reducer)"
            case .encoding: "while the app encoded the changes of \(reducer)"
            }
        let known = min(point.seq - 1, recording.end.seq)
        return "the replay ended its process (\(termination.ending)) in action \(point.seq) (\(action.type)), \(place)."
            + " Nothing after action \(known) was compared.\(said)"
    }
#endif

/// The recordings in a folder, sorted by name, for a parameterized test.
///
/// - Returns: The files with the extension `hindsight`, and the recordings in text (`jsonl`); an empty list if there are
///   none.
/// - Throws: Foundation's error if the folder cannot be read.
public func recordings(in folder: URL) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        .filter { url in
            url.pathExtension == "hindsight"
                || url.pathExtension == "jsonl" && TextForm.isRecording(at: url.path)
        }
        .sorted { $0.lastPathComponent < $1.lastPathComponent }
}
