import Foundation
import HindsightFormat
import HindsightQuery
import HindsightRecorder
import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

extension Tool {
    /// More than any recording has: 28,000 years of ten thousand actions a second.
    private static let maxActions = 1 << 53

    /// Opens the recording at a path, or the newest in a directory.
    ///
    /// - Parameter notesLoss: Whether to print a note if actions are missing at the end.
    func open(_ path: String, notesLoss: Bool = true) throws -> Recording {
        try Failure.checkNotEmpty(path, "FILE is empty, so it names no recording.")
        let path = try newest(in: path)
        let recording = try Recording(at: URL(filePath: path))
        // Arithmetic with numbers from a file must not overflow.
        guard 0...recording.actionCount ~= recording.start.seq, recording.actionCount <= Self.maxActions else {
            throw RecordingError(.damaged, file: recording.url.path, reason: "its actions are not numbered from 1")
        }
        if notesLoss { noteLoss(in: recording) }
        return recording
    }

    /// Prints a note if actions are missing at the end.
    func noteLoss(in recording: Recording) {
        guard let loss = EndingText.loss(in: recording) else { return }
        let name = recording.url.lastPathComponent
        console.note(
            "\(shown(recording)): \(loss). If \(escape(name))-ahead or \(escape(name))-wal are elsewhere, put them beside it."
        )
    }

    /// The app whose reducers replay a recording.
    func app(of recording: Recording) throws -> ReplayableApp {
        let wanted = recording.app.name
        if let app = apps.first(where: { $0.name == wanted }) { return app }
        try recording.requireReplayable()
        throw Failure(
            .doesNotFit,
            "\(shown(recording)) was recorded by \"\(brief(wanted))\", whose reducers are not in this build of \(name)"
                + " (it has \(appList)).",
            "Build the app's own tool: import HindsightCLI, import the app, HindsightTool.run(theApp).",
            "info, log, show, jump and diff need no reducers and work on it as it is."
        )
    }

    /// Whether this build's app runs as a whole what a recording has as steps.
    func runsWhole(_ recording: Recording) -> Bool {
        let app = apps.first { $0.name == recording.app.name }
        return app.map { !ReducerChanges(of: $0, since: recording).steps.isEmpty } ?? false
    }

    /// The names of the reducers that replay a recording, to which the numbers of a replay refer.
    func reducers(replaying recording: Recording) -> [String] {
        apps.first { $0.name == recording.app.name }?.reducers ?? recording.reducers
    }

    /// The app that is named on the command line; without a name, the tool's only app.
    func app(named wanted: String?) throws -> ReplayableApp {
        guard let wanted else {
            if apps.count == 1 { return apps[0] }
            throw Failure(
                .usage,
                apps.isEmpty
                    ? "This build of \(name) has no app to record."
                    : "--app NAME is missing, because this build of \(name) has several apps: \(appList).",
                apps.isEmpty
                    ? "Build the app's own tool: import HindsightCLI, import the app, HindsightTool.run(theApp)."
                    : "See '\(name) record --help'."
            )
        }
        if let app = apps.first(where: { $0.name == wanted }) { return app }
        let nearest = Suggestion.nearest(to: wanted, in: apps.map(\.name)).map { "Did you mean \($0)? " } ?? ""
        throw Failure(
            .usage,
            "This build of \(name) has no app \(quote(wanted)).",
            "\(nearest)It has \(appList). An app of your own needs its own tool: see the README's three lines."
        )
    }

    private var appList: String {
        apps.isEmpty ? "none" : apps.map { escape($0.name) }.joined(separator: ", ")
    }

    /// Refuses a recording whose last actions are in files beside it. One that is being recorded has such files too; who
    /// writes refuses it with a message of its own.
    ///
    /// - Parameter alternative: What else to do, after a comma.
    func requireRecovered(_ recording: Recording, or alternative: String? = nil) throws(Failure) {
        guard !recording.sidecarFiles.isEmpty, recording.ending != .open(live: true) else { return }
        let rest = alternative.map { ", or \($0)" } ?? ""
        if recording.lost != nil, let loss = EndingText.loss(in: recording) {
            let salvage = ShellQuoting.command(name, "doctor", quoted(recording), "--salvage", "OUT")
            throw Failure(
                .badFile,
                "\(shown(recording)) cannot be recovered: \(loss).",
                "Save what is whole by \(salvage), and use OUT\(rest)."
            )
        }
        throw Failure(
            .badFile,
            "\(shown(recording)) needs recovery: its last actions are in files beside it.",
            "Run \(ShellQuoting.command(name, "recover", quoted(recording))) first\(rest)."
        )
    }

    /// Shows how many of the actions of a file are done, each time `step` more are.
    func showProgress(_ seq: Int, of count: Int, in file: String, each step: Int) {
        guard seq.isMultiple(of: step) else { return }
        console.progress("\(escape(file)): \(Quantities.grouped(seq)) of \(Quantities.grouped(count)) actions")
    }

    /// The path of a recording in messages.
    func shown(_ recording: Recording) -> String {
        escape(recording.url.relativePath)
    }

    /// The path of a recording in suggested commands.
    func quoted(_ recording: Recording) -> String {
        ShellQuoting.quote(recording.url.relativePath)
    }

    /// Notes that a recording has placeholders at a path, or below it, which do not tell whether a value changes.
    func noteRedacted(_ path: NodePath, in recording: Recording) throws {
        for path in try recording.redacted([path]) { console.note(RedactionText.line(path)) }
    }
}
