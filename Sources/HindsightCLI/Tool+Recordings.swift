import Foundation
import HindsightFormat
import HindsightRecorder
import HindsightRecording
import HindsightReplay
import HindsightTree

extension Tool {
    /// No recording has more; ten thousand actions a second take this long to count in 28,000 years.
    private static let mostActions = 1 << 53

    /// Opens a recording by its path. Of a directory it is the newest.
    func open(_ path: String) throws -> Recording {
        guard !path.isEmpty else {
            throw Failure(.usage, "FILE is empty, so it names no recording.", "Is a variable of your shell not set?")
        }
        let path = try newest(in: path)
        let recording = try Recording(at: URL(filePath: path))
        // What is computed with numbers from a file must not overflow.
        guard 0...recording.actionCount ~= recording.start.seq, recording.actionCount <= Self.mostActions else {
            throw RecordingError(.damaged, file: recording.url.path, reason: "its actions are not numbered from 1")
        }
        noteLoss(in: recording)
        return recording
    }

    /// Says on the error stream that actions are missing at the end, if they are.
    private func noteLoss(in recording: Recording) {
        guard let loss = EndingText.loss(in: recording) else { return }
        let name = recording.url.lastPathComponent
        console.note(
            "\(shown(recording)): \(loss). If \(escape(name))-ahead or \(escape(name))-wal are elsewhere, put them beside it."
        )
    }

    /// Says where `end`, or a part of the way to it, is not where the app was: its process ended before its last states
    /// were written, and this tool does not compute them.
    func noteEarlyEnd(of reader: StateReader, at text: String) {
        let recording = reader.recording
        guard text == "end" || text.hasSuffix("%"), !reader.computes, recording.ending != .open(live: true),
            recording.end.seq < recording.lastFinished
        else { return }
        let reason = UnknownReason(absence: .lost, obstacle: reader.obstacle, failure: nil)
        console.note(
            "\(shown(recording)) has the states up to action \(recording.end) of \(recording.lastFinished): "
                + "\(escape(text)) is taken of those. \(reason.remedy(in: recording, self))"
        )
    }

    /// Says that a state was computed, and not recorded.
    func noteComputed(_ position: String, of recording: Recording) {
        console.note("\(escape(position)) of \(shown(recording)) is \(UnknownText.computed(of: recording)).")
    }

    /// The app whose reducers are to replay a recording.
    func app(of recording: Recording) throws -> ReplayableApp {
        let wanted = recording.app.name
        if let app = apps.first(where: { $0.name == wanted }) { return app }
        throw Failure(
            .doesNotFit,
            "\(shown(recording)) was recorded by \"\(brief(wanted))\", whose reducers are not in this build of \(name)"
                + " (it has \(appList)).",
            "Build the app's own tool: import HindsightCLI, import the app, HindsightTool.run(theApp).",
            "info, log, show, jump and diff need no reducers and work on it as it is."
        )
    }

    /// The app that is named on the command line.
    func app(named wanted: String) throws -> ReplayableApp {
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

    /// A recording's file as messages name it.
    func shown(_ recording: Recording) -> String {
        shown(recording.url.relativePath)
    }

    /// A recording's file as a command that is suggested names it.
    func quoted(_ recording: Recording) -> String {
        ShellQuoting.quote(recording.url.relativePath)
    }

    func shown(_ path: String) -> String {
        escape(path)
    }

    /// The part of a state that `--path` asks for.
    func part(of state: Node, at path: NodePath?, _ position: String) throws -> Node {
        guard let path else { return state }
        if let part = state[path] { return part }
        let places = PlacePattern(path).isOpen ? PlacePattern(path).places(in: state) : []
        guard !places.isEmpty else { throw missing(path, in: state, position) }
        return .object(places.map { Node.Member($0.path.description, $0.value) })
    }

    /// Says how far a path leads and what there is instead.
    func missing(_ path: NodePath, in state: Node, _ position: String) -> Failure {
        var reached = NodePath()
        for component in path.components where state[reached.appending(component)] != nil {
            guard path.components.starts(with: reached.components + [component]) else { break }
            reached = reached.appending(component)
        }
        let wrong = path.components.dropFirst(reached.components.count).first ?? ""
        let place = reached.isRoot ? "The state" : escape(reached.description)
        var lines = ["There is nothing at \(escape(path.description)) at position \(escape(position))."]
        if PlacePattern(path).isOpen {
            var near = NearPaths(to: path)
            near.look(in: state)
            return Failure(.usage, lines: lines + near.question)
        }
        switch state[reached] {
        case .object(let members)?:
            let keys = members.map(\.key)
            let shown = keys.prefix(12).map { ValueText.key($0) }.joined(separator: ", ")
            let more = keys.count > 12 ? " and \(Quantities.grouped(keys.count - 12)) more" : ""
            lines.append("\(place) has \(keys.isEmpty ? "no members" : shown + more).")
            if let nearest = Suggestion.nearest(to: wrong, in: keys) {
                lines.append("Did you mean \(escape(reached.appending(nearest).description))?")
            }
        case .array(let elements)?:
            let count = Quantities.counted(elements.count, "element")
            lines.append("\(place) has \(count)\(elements.isEmpty ? "" : ", 0 to \(elements.count - 1)").")
        default:
            lines.append("\(place) is a single value.")
        }
        return Failure(.usage, lines: lines)
    }
}

/// Arguments that several commands take.
enum Shared {
    static let file = Positional("FILE", help: "The recording; of a directory, the newest there.")

    static let path = Option<NodePath>(
        "path",
        value: "/PATH",
        expected: "a path such as /items/0/title, with ~1 for a slash and ~0 for a tilde in a name",
        help: "Only this part of the state: /items/0/title, '/items/*/title' or '/**/title'."
    ) { NodePath($0) }

    static let recordedOnly = Flag("recorded", help: "Compute nothing that was not recorded.")

    /// Whether the user wants nothing to be computed.
    static func refusal(_ arguments: Arguments) -> ComputingObstacle? {
        arguments[recordedOnly] ? .notWanted : nil
    }

    static let positionHelp = "42, 42.2 (after its 2nd reducer), start, end, crash, 50% or a note's name."
}
