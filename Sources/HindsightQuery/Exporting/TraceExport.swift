import HindsightRecording
import HindsightSupport
import HindsightTree

/// Writes actions and reducers as slices of a trace, in the JSON of the Trace Event Format, which Perfetto's UI and
/// `chrome://tracing` open. <https://perfetto.dev/docs/getting-started/other-formats>
///
/// Times are in microseconds since the recorder was created, with three digits for nanoseconds. An action's slice is the
/// time of its reducers. Only their durations are recorded, so they stand one after the other from the start of their
/// action. An action without an end did not finish.
struct TraceExport {
    let recording: Recording

    private static let process = 1
    /// The track of marks, which stand across all tracks.
    private static let firstTrack = 1
    /// Larger payloads are left out, and their size is given.
    private static let largestPayload = 4096

    func run(_ range: ClosedRange<Int>?, _ write: (String) throws -> Void) throws {
        let facts: Node = [
            "app": .string(recording.app.name), "version": .string(recording.app.version),
            "platform": .string(recording.platform), "created_ns": .string(String(recording.createdNanoseconds)),
        ]
        try write(#"{"displayTimeUnit":"ns","otherData":\#(escape(facts.json)),"traceEvents":["# + "\n")
        try write(escape(metadata("process_name", recording.app.name, Self.firstTrack).json))
        func event(_ node: Node) throws { try write(",\n" + escape(node.json)) }
        var notes = try recording.notes()[...]
        if let range {
            notes = notes.drop { $0.position.seq < range.lowerBound - 1 }
            while let note = notes.first, note.position.seq < range.lowerBound {
                try event(instant(note, at: 0))
                notes.removeFirst()
            }
            // By the numbers of the threads; 0 for those that are not known.
            var tracks: [Int: Track] = [:]
            var entries = try recording.entries(in: range)
            while let (action, steps) = try entries.next() {
                let thread = action.thread?.number ?? 0
                let track = tracks[thread] ?? Track(id: Self.firstTrack + tracks.count)
                if tracks[thread] == nil { try event(metadata("thread_name", trackName(of: action), track.id)) }
                let slice = Slice(of: action, steps, since: recording.createdNanoseconds, notBefore: track.end)
                tracks[thread] = Track(id: track.id, end: slice.end)
                try writeSlices(slice, track.id, action, steps, event)
                while let note = notes.first, note.position.seq <= action.seq {
                    try event(instant(note, at: slice.time(after: note.position.reducer, steps)))
                    notes.removeFirst()
                }
            }
        }
        try write("\n]}\n")
    }

    /// The name of the track of an action: the thread that dispatched it, if that is known.
    private func trackName(of action: RecordedAction) -> String {
        guard let thread = action.thread else { return "dispatch" }
        if thread.isMain { return "main thread" }
        return "thread \(thread.number)" + (thread.name.map { " \($0)" } ?? "")
    }

    private func writeSlices(
        _ slice: Slice,
        _ track: Int,
        _ action: RecordedAction,
        _ steps: [RecordedStep],
        _ event: (Node) throws -> Void
    ) throws {
        if action.isTravel {
            try event(instant("time travel", at: slice.start, ["position": .string("\(action.seq)")]))
            return
        }
        let isFinished = action.durationInNanoseconds != nil
        let arguments = arguments(of: action, slice)
        let duration = isFinished ? slice.end - slice.start : nil
        try event(self.event(action.fullType, "action", on: track, at: slice.start, duration: duration, arguments))
        var start = slice.start
        for step in steps where step.reducer > 0 {
            let paths = step.patch?.operations.map { Node.string($0.path.description) } ?? []
            var arguments: [Node.Member] = [.init("position", .string("\(action.seq).\(step.reducer)"))]
            if !paths.isEmpty { arguments.append(.init("changes", .array(Array(paths.prefix(20))))) }
            if paths.count > 20 { arguments.append(.init("moreChanges", .int(paths.count - 20))) }
            let name = recording.name(ofReducer: step.reducer) ?? "reducer \(step.reducer)"
            let duration = max(0, step.durationInNanoseconds)
            try event(self.event(name, "reducer", on: track, at: start, duration: duration, .object(arguments)))
            start = start.addingClamped(duration)
        }
        if case .crashed(action.seq, let reducer) = recording.ending {
            let place = reducer.flatMap { recording.name(ofReducer: $0) }.map { " in \($0)" } ?? ""
            let position = reducer.map { "\(action.seq).\($0)" } ?? "\(action.seq)"
            try event(instant("crash\(place)", at: slice.start, ["position": .string(position)]))
        }
    }

    private func arguments(of action: RecordedAction, _ slice: Slice) -> Node {
        var members: [Node.Member] = [.init("position", .string("\(action.seq)"))]
        if let payload = action.payload {
            let bytes = payload.json.utf8.count
            members.append(
                bytes <= Self.largestPayload ? .init("payload", payload) : .init("payloadBytes", .int(bytes))
            )
        }
        if let parent = action.parent { members.append(.init("parent", .int(parent))) }
        if let origin = action.origin { members.append(.init("origin", .string(origin))) }
        if let task = action.thread?.task { members.append(.init("task", .string(task))) }
        if let problem = action.problem { members.append(.init("problem", .string(problem))) }
        if recording.skippedRun(with: action.seq) != nil { members.append(.init("states", "left out")) }
        if slice.isMoved { members.append(.init("at_ns", .string(String(action.nanosecondsSinceEpoch)))) }
        return .object(members)
    }

    // MARK: Events

    private func metadata(_ kind: String, _ name: String, _ track: Int) -> Node {
        [
            "name": .string(kind), "ph": "M", "pid": .int(Self.process), "tid": .int(track),
            "args": ["name": .string(name)],
        ]
    }

    /// - Parameter duration: `nil` for a slice without an end.
    private func event(
        _ name: String,
        _ category: String,
        on track: Int,
        at start: Int64,
        duration: Int64?,
        _ arguments: Node
    ) -> Node {
        var members: [Node.Member] = [
            .init("name", .string(name)), .init("cat", .string(category)), .init("ph", duration == nil ? "B" : "X"),
            .init("ts", Self.microseconds(start)),
        ]
        if let duration { members.append(.init("dur", Self.microseconds(duration))) }
        members += [.init("pid", .int(Self.process)), .init("tid", .int(track)), .init("args", arguments)]
        return .object(members)
    }

    private func instant(_ name: String, at time: Int64, _ arguments: Node) -> Node {
        [
            "name": .string(name), "cat": "mark", "ph": "i", "s": "g", "ts": Self.microseconds(time),
            "pid": .int(Self.process), "tid": .int(Self.firstTrack), "args": arguments,
        ]
    }

    private func instant(_ note: RecordedNote, at time: Int64) -> Node {
        var arguments: [Node.Member] = [.init("position", .string(note.position.description))]
        if note.name != nil, note.name != note.text { arguments.append(.init("text", .string(note.text))) }
        return instant("note: \(note.name ?? note.text)", at: time, .object(arguments))
    }

    private static func microseconds(_ nanoseconds: Int64) -> Node {
        let (whole, fraction) = nanoseconds.quotientAndRemainder(dividingBy: 1000)
        let sign = nanoseconds < 0 && whole == 0 ? "-" : ""
        return .number("\(sign)\(whole).\(TimeText.padded(Int(fraction.magnitude), 3))")
    }
}

/// A row of slices, which must not overlap.
private struct Track {
    var id: Int
    /// The end of its last slice, in nanoseconds since the recorder was created.
    var end: Int64 = 0
}

/// The time of an action's reducers, in nanoseconds since the recorder was created.
private struct Slice {
    var start: Int64
    var end: Int64
    /// Whether the action begins before the one before it ends, because the clock was set back.
    var isMoved: Bool

    /// - Parameter earliest: The end of the slice before, because slices of one track must not overlap.
    init(of action: RecordedAction, _ steps: [RecordedStep], since created: Int64, notBefore earliest: Int64) {
        let (difference, overflows) = action.nanosecondsSinceEpoch.subtractingReportingOverflow(created)
        let given = overflows ? 0 : difference
        start = max(given, earliest)
        isMoved = start != given
        let reducers = steps.reduce(Int64(0)) { $0.addingClamped(max(0, $1.durationInNanoseconds)) }
        end = start.addingClamped(max(action.durationInNanoseconds ?? 0, reducers))
    }

    /// The time after a reducer; that of the end if it is `nil`.
    func time(after reducer: Int?, _ steps: [RecordedStep]) -> Int64 {
        guard let reducer else { return end }
        return steps.prefix(reducer).reduce(start) { $0.addingClamped(max(0, $1.durationInNanoseconds)) }
    }
}
