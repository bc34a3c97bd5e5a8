import Foundation
import HindsightFormat
import HindsightRecording
import HindsightSupport
import HindsightTree

/// `hindsight tail FILE`
enum TailCommand: Command {
    static let count = Option<Int>(
        "lines",
        short: "n",
        from: 0,
        help: "The number of last actions to begin with; 10 by default."
    )
    static let follow = Flag("follow", short: "f", help: "Print new actions until the recording ends.")
    static let runs = Flag("runs", short: "F", help: "Follow, and continue with the runs after it.")

    static let syntax = Syntax(
        "tail",
        abstract: "Lists the last actions, and follows a live recording",
        discussion: """
            Prints the same lines as log. With -f, it prints an action a moment after its last reducer has run. When the
            recording ends, it says how (closed, or its process died, and in which action and reducer) and exits with 0;
            if another run takes the file's place before that, it follows that run. With -F, it waits for the first run,
            and follows the next run whenever one has ended, in the same file or, if FILE is a directory, in the next
            file there. Ctrl-C ends it, also with 0. It changes nothing on disk, and the recorded app never waits for it.
            """,
        arguments: [
            SharedArguments.file, count, follow, runs, LogCommand.type, SharedArguments.path,
            SharedArguments.recordedOnly,
        ],
        examples: [
            "tail -f session.hindsight": "The actions of a running app.",
            "tail -F -n 0 --path /cart session.hindsight":
                "The actions that change the cart from now on, run after run.",
            "tail -F runs/": "The actions of each run of an app.",
            "tail -n 3 session.hindsight": "The last three actions.",
        ],
        jsonShape: """
            a line an action and a line for each unknown, as log prints them; with -f also \
            \(Shape.text(of: Joined<EndEvent, Joined<EndFacts, EndEvent.Stop>>.self)) when the recording ended, \
            {event: "replaced"} when another run took its place, {event: "next", file} when it continues with the \
            directory's next run, and {event: "dropped", actions [first, last]} if a limit dropped actions before they \
            could be shown
            """
    )

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        let place = try arguments.require(SharedArguments.file)
        let follows = arguments[follow] || arguments[runs]
        if follows { TerminationSignal.observe() }
        guard let file = try arguments[runs] ? tool.waitForRecording(at: place) : tool.newest(in: place) else {
            return TerminationSignal.codeOfFollowing
        }
        let session = Session(
            file: file,
            filter: LogFilter(type: try arguments[LogCommand.type], path: try arguments[SharedArguments.path]),
            asJSON: arguments[GlobalOptions.json],
            refusal: SharedArguments.refusal(arguments),
            tool: tool
        )
        let next = try session.printLast(try arguments[count] ?? 10, stopsAtJournal: follows)
        if follows { try session.follow(from: next, throughRuns: arguments[runs], in: place) }
        return TerminationSignal.codeOfFollowing
    }
}

/// One `tail`.
private struct Session: ToolReport {
    let file: String
    let filter: LogFilter
    let asJSON: Bool
    let refusal: ComputingObstacle?
    let tool: Tool

    /// Prints the last actions there are.
    ///
    /// - Parameter stopsAtJournal: Whether to leave out actions that are only in the journal of a live recorder.
    /// - Returns: The number of the next action.
    func printLast(_ count: Int, stopsAtJournal: Bool) throws -> Int {
        let recording = try tool.open(file)
        // While following, actions of the type may still come.
        do {
            try filter.checkType(in: recording)
        } catch let failure as Failure where stopsAtJournal {
            console.note("So far: \(failure.lines.joined(separator: " "))")
        }
        let last = stopsAtJournal ? recording.lastFinal : recording.actionCount
        guard count > 0 else { return last + 1 }
        // Without a filter, the numbers of the last actions are known.
        let first = filter.isOpen ? max(recording.start.seq + 1, last - min(count, last) + 1) : recording.start.seq + 1
        let lines =
            first <= last
            ? try lines(of: recording, first...last, keeping: count, refusal) : (rows: [], remarks: [])
        print(lines.rows + lines.remarks)
        if lines.rows.isEmpty {
            try explain(recording, from: first, to: last, mayGoOn: stopsAtJournal)
        } else if let path = filter.path {
            try tool.noteRedacted(path, in: recording)
        }
        return last + 1
    }

    /// Says why there is nothing to show.
    private func explain(_ recording: Recording, from first: Int, to last: Int, mayGoOn: Bool) throws {
        // While following, there may be no actions yet, or none of a type.
        if mayGoOn, filter.path == nil || first > last { return }
        do {
            let reader = StateReader(of: recording, tool, computingNothing: refusal)
            let answer = try EmptyAnswer(reader: reader, filter: filter, tool: tool).sentence(from: first, to: last)
            console.note(mayGoOn ? "So far: \(answer)" : answer)
        } catch let failure as Failure where mayGoOn {
            console.note("So far: \(failure.lines.joined(separator: " "))")
        }
    }

    /// The last lines of some actions, and the remarks about them.
    private func lines(
        of recording: Recording,
        _ range: ClosedRange<Int>,
        keeping count: Int = .max,
        _ refusal: ComputingObstacle?
    ) throws -> (rows: [String], remarks: [String]) {
        let reader = StateReader(of: recording, tool, computingNothing: refusal)
        var text = try LogLines(of: reader, filter, asJSON: asJSON, tool)
        var lines: [String] = []
        var entries = try recording.entries(in: range)
        while let (action, steps) = try entries.next() {
            guard let line = try text.text(of: action, steps) else { continue }
            lines.append(line)
            if lines.count / 2 >= count { lines.removeFirst(lines.count - count) }
        }
        return (lines.suffix(count), text.remarks)
    }

    // MARK: Following

    /// - Parameter place: The path of the file or of its directory.
    func follow(from next: Int, throughRuns: Bool, in place: String) throws {
        let isDirectory = throughRuns && RunDirectory.exists(at: place)
        let queue = isDirectory ? try RunQueue(in: URL(filePath: place), after: URL(filePath: file)) : nil
        var follower = follower(of: file)
        follower.begin(at: next)
        follower.waitsForFile = throughRuns
        var reducers: [String] = []
        var isOver = false
        while true {
            if isOver, let run = try queue?.next() {
                let path = Tool.path(of: run.lastPathComponent, in: place)
                print([nextRun(path)])
                follower = self.follower(of: path)
                isOver = false
            }
            var isNews = false
            if let look = try follower.look() {
                reducers = look.recording.reducers
                isNews = look.actions != nil
                let isEnd = look.isOver && !(isOver && !look.isNewRun)
                isOver = look.isOver
                // Read all before printing any: a slow reader of the output must not hold the recording open.
                do {
                    print(try words(of: look, isEnd: isEnd))
                } catch let error as RecordingError where error.code == .positionOutOfRange {
                    // A recording with a limit has just dropped these actions. Continue after them.
                    if let actions = look.actions { follower.begin(at: actions.lowerBound) }
                }
            }
            if !console.isOpen || (isOver && !throughRuns) { return }
            if !isNews { showRunningReducer(follower, reducers) }
            // Must check the output's reader even if there are always more actions. Listing a directory costs more than
            // reading a file's status.
            let pause: Int32 = isOver && isDirectory ? 200 : 40
            guard TerminationSignal.wait(milliseconds: isNews ? 0 : pause, output: tool.outputDescriptor) else {
                return
            }
        }
    }

    private func follower(of path: String) -> Follower { Follower(path: path) { try tool.open(path) } }

    private func words(of look: Follower.Look, isEnd: Bool) throws -> [String] {
        var words = look.isNewRun ? [replaced] : []
        let obstacle = look.recording.ending == .open(live: true) ? .following : refusal
        if let dropped = look.dropped { words.append(missed(dropped)) }
        if let actions = look.actions {
            let lines = try lines(of: look.recording, actions, obstacle)
            words += lines.rows + lines.remarks
        }
        if isEnd { words.append(ended(look.recording)) }
        return words
    }

    private func print(_ lines: [String]) {
        if !lines.isEmpty { console.clearProgress() }
        for line in lines { console.print(line, hanging: 7) }
        console.output.flush()
    }

    private var replaced: String {
        asJSON ? printable(answer: EventName(event: "replaced")) : console.style.faint("— another run took its place —")
    }

    private func nextRun(_ path: String) -> String {
        if asJSON { return printable(["event": "next", "file": .string(path)]) }
        return console.style.faint("— the next run is \(escape(path)) —")
    }

    private func missed(_ dropped: ClosedRange<Int>) -> String {
        if asJSON { return printable(["event": "dropped", "actions": .range(dropped)]) }
        let range = "\(dropped.lowerBound) to \(dropped.upperBound)"
        return console.style.faint("— the recording's limit dropped actions \(range) before they could be shown —")
    }

    private func ended(_ recording: Recording) -> String {
        if asJSON {
            let event = EndEvent(ended: recording.endingName)
            let stop = EndEvent.Stop(stopped: recording.stopReason)
            return printable(answer: Joined(event, Joined(recording.endFacts, stop)))
        }
        return console.style.faint("—") + " " + EndingText(recording: recording, style: console.style).sentence
    }

    /// Shows, on a terminal, a reducer that has been running for a while.
    private func showRunningReducer(_ follower: Follower, _ reducers: [String]) {
        guard let running = follower.running, running.time > 500_000_000 else { return console.clearProgress() }
        let time = Quantities.duration(nanoseconds: running.time)
        let name = reducers.name(ofReducer: running.reducer).map { " (\(brief($0)))" } ?? ""
        let reducer = "in reducer \(running.reducer) of \(reducers.count)\(name)"
        let place = running.reducer > 0 ? reducer : "outside its reducers"
        console.progress("action \(running.seq) has been \(place) for \(time)")
    }
}

/// The line of `tail` at the end of a recording; what is known about it stands between the two parts.
struct EndEvent: Answer {
    var event = "ended"
    let ended: EndingName

    struct Stop: Answer {
        @Nullable var stopped: String?

        static let notes = ["stopped": "why the recorder had to stop"]
    }
}
