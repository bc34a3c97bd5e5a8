import HindsightFormat
import HindsightSupport
import HindsightTree

extension Recording {
    /// Whether the file is a recording in text, which was read into a private database.
    package var isText: Bool { file.isText }

    /// Writes the recording as text, line by line: the form of fixtures in a version control system.
    ///
    /// The same recording always gives the same bytes. The article <doc:RecordingsAsText> documents the lines. A text is
    /// read like any other recording. It has everything that readers show, including the actions of the journal; of a
    /// live recording, those up to the moment at which it was opened.
    ///
    /// Holds one line and one state in memory. Costs a pass over the file.
    ///
    /// - Parameters:
    ///   - part: The part to write. Its text is that of ``cut(from:to:into:overwrite:progress:)``, except for time
    ///     travel, which keeps the numbers of this recording. The recording may be live, or have files beside it.
    ///   - write: Takes one line, with its line feed.
    /// - Throws: A `RecordingError` with the code `damaged`, `unreadable`, or `unwritable` if a line would be longer
    ///   than 64 MB; or what `write` throws.
    package func writeText(of part: TextPart = TextPart(), _ write: (_ line: String) throws -> Void) throws {
        try TextExport(of: self, part).run(write)
    }

    /// Returns the recording as text: see ``writeText(of:_:)``. All of it is in memory at once.
    ///
    /// - Throws: A `RecordingError` with the code `damaged`, `unreadable` or `unwritable`.
    package func text() throws -> String {
        var text = ""
        try writeText { text += $0 }
        return text
    }
}

/// What a text has of a recording.
package struct TextPart: Sendable {
    /// The position of the first state, and the last action; `nil` for the whole recording. The first state must be
    /// known.
    package var range: ClosedRange<Int>?
    /// The place to which states and changes are reduced: see ``PathReduction``. The root keeps everything.
    package var path: NodePath
    package var lines: Lines
    /// Whether each change must fit the state before it. With a path, it must in any case.
    package var isChecked = false
    /// What the reducers did before the process ended in an action, computed after the state before it, which must be
    /// known. If this is not empty, the text has it in the line of that action, and is no recording's text.
    package var computedSteps: [RecordedStep] = []

    package enum Lines: Sendable {
        case all
        /// The first line, which describes the recording.
        case header
        /// The lines of the actions in the range, and those that follow them.
        case rows
        /// The lines of the notes in the range.
        case notes
    }

    package init(range: ClosedRange<Int>? = nil, path: NodePath = NodePath(), lines: Lines = .all) {
        (self.range, self.path, self.lines) = (range, path, lines)
    }
}

/// One export of a recording as text.
private struct TextExport {
    let recording: Recording
    private let part: TextPart
    private let labels: ReducerLabels

    init(of recording: Recording, _ part: TextPart) {
        (self.recording, self.part) = (recording, part)
        labels = ReducerLabels(recording.reducers)
    }

    private var bounds: RecordingBounds { recording.bounds }

    func run(_ write: (String) throws -> Void) throws {
        func line(_ node: Node, at seq: Int) throws {
            let text = node.json
            guard text.utf8.count < TextForm.maxLineLength else { throw tooLong(seq) }
            // It may reach a terminal. The escapes are those of JSON.
            try write(escape(text) + "\n")
        }
        func rows(_ range: ClosedRange<Int>, _ notes: inout Notes, _ reduction: PathReduction? = nil) throws {
            var entries = try recording.entries(in: range)
            while let (recorded, steps) = try entries.next() {
                let seq = recorded.seq
                var action = try action(recorded, steps)
                if part.lines == .all, part.range != nil, !range.contains(seq + (action.parent ?? 0)) {
                    action.parent = nil
                }
                try reduction?.reduce(&action, at: seq)
                try line(action.node(labels), at: seq)
                if let state = try neededState(after: seq) {
                    reduction?.begin(at: state)
                    try line(["state": reduction?.reduced(state) ?? state], at: seq)
                }
                while let note = notes.next(upTo: seq) { try line(note.node, at: seq) }
            }
        }
        if part.lines == .rows || part.lines == .notes, let range = part.range {
            var notes = try Notes(of: recording, from: range.lowerBound, isWhole: false)
            if part.lines == .rows { return try rows(range, &notes) }
            while let note = notes.next(upTo: range.upperBound) { try line(note.node, at: range.upperBound) }
            return
        }
        let (start, last) = (
            part.range?.lowerBound ?? recording.start.seq, part.range?.upperBound ?? recording.actionCount
        )
        var header = try header(start)
        let reduction =
            part.path.isRoot && !part.isChecked
            ? nil : PathReduction(of: recording, to: part.path, from: header.state)
        if let reduction { header.state = header.state.map(reduction.reduced) }
        try line(header.node, at: start)
        if part.lines == .header { return }
        var notes = try Notes(of: recording, from: start, isWhole: part.range == nil)
        if part.range == nil, start > 0, var dropped = try lastDropped() {
            // The state before it is not known.
            try PathReduction(of: recording, to: part.path, from: nil).reduce(&dropped, at: start)
            try line(dropped.node(labels), at: start)
        }
        while let note = notes.next(upTo: start) {
            // A note within the action before the first state has no place.
            if part.range == nil || note.reducer == nil { try line(note.node, at: start) }
        }
        if start < last { try rows(start + 1...last, &notes, reduction) }
        try write(TextForm.end + "\n")
    }

    private func tooLong(_ seq: Int) -> RecordingError {
        let reason = "as text it would have a line of more than \(TextForm.maxLineLength >> 20) MB"
        return RecordingError(.unwritable, file: recording.url.path, seq: seq, reason: reason)
    }

    // MARK: The header

    private func header(_ start: Int) throws -> TextHeader {
        var facts = try recording.rawFacts()
        if !recording.isLive { facts.merge(bounds.endingFacts) { own, _ in own } }
        // What stands in the text is all that there will be.
        if bounds.closed == nil, bounds.stopped == nil, facts[Metadata.Key.recovered] == nil {
            facts[Metadata.Key.recovered] = .number(Int64(bounds.journalOnly.actions.count))
        }
        if let range = part.range { facts = try RecordingPart(of: recording, range).facts(facts) }
        return TextHeader(
            facts: facts,
            reducers: recording.reducers,
            start: part.range == nil ? start : 0,
            state: bounds.hasKeyframe ? try recording.state(at: Recording.Position(seq: start)) : nil
        )
    }

    // MARK: Actions

    private func action(_ action: RecordedAction, _ steps: [RecordedStep]) throws -> TextAction {
        var text = TextAction(action)
        let run = bounds.run(of: action.seq)
        text.isSkipped = run != nil
        if let run {
            if run.upperBound == action.seq, let patch = try bridge(run) { text.effect = .whole(patch) }
        } else if recording.absence(ofChangesIn: action.seq) == nil {
            text.setSteps(steps)
        } else if case .crashed(action.seq, _) = recording.ending, !part.computedSteps.isEmpty {
            text.setSteps(part.computedSteps)
        }
        text.doubtful = bounds.doubtful.first { $0.actions.contains(action.seq) }?.path.description
        return text
    }

    /// What a run of skipped actions changed; `nil` if that is not known.
    private func bridge(_ run: ClosedRange<Int>) throws -> Patch? {
        guard run.upperBound <= bounds.lastKnown, !bounds.gaps.contains(run) else { return nil }
        return try recording.changes(across: run) ?? Patch()
    }

    /// The last action that a limit dropped: its time says since when the recording has everything.
    private func lastDropped() throws -> TextAction? {
        guard let action = try recording.lastDropped() else { return nil }
        var text = TextAction(action)
        text.isDropped = true
        guard try recording.storedSteps(of: action.seq) != nil, text.duration != nil else { return text }
        text.setSteps(RecordedStep.steps(try recording.timedPatches(of: action.seq)))
        if case .whole = text.effect, !text.isTravel { text.isSkipped = true }
        return text
    }

    /// The whole state after an action, if the changes before it do not lead to it.
    private func neededState(after seq: Int) throws -> Node? {
        let isEnd =
            bounds.gaps.contains { $0.upperBound == seq } || bounds.doubtful.contains { $0.actions.upperBound == seq }
        guard isEnd, seq <= bounds.lastKnown else { return nil }
        return try recording.keyframe(after: seq)?.state
    }
}

extension TextAction {
    fileprivate init(_ action: RecordedAction) {
        self.init()
        type = action.type
        payload = action.payload
        problem = action.problem
        // A damaged recording may have any. `doctor` says which are none.
        parent = action.parent.flatMap {
            1...RecordingPosition.lastPossibleAction ~= $0 && $0 != action.seq ? $0 - action.seq : nil
        }
        origin = action.origin
        thread = action.thread
        at = action.nanosecondsSinceEpoch
        duration = action.durationInNanoseconds
    }

    fileprivate mutating func setSteps(_ steps: [RecordedStep]) {
        if steps.count == 1, steps[0].reducer == 0 {
            effect = .whole(steps[0].patch ?? Patch())
        } else {
            effect = .steps(
                times: steps.map(\.durationInNanoseconds),
                changes: steps.enumerated().compactMap { index, step in step.patch.map { (index + 1, $0) } }
            )
        }
    }
}

/// The notes of a recording, in the order of their positions.
private struct Notes {
    private var stored: ArraySlice<NoteRow>
    /// The notes that are only in the journal.
    private var journaled: ArraySlice<NoteRow>

    init(of recording: Recording, from seq: Int, isWhole: Bool) throws(RecordingError) {
        stored = try recording.storedNotes(after: seq)[...]
        let notes = recording.bounds.journalNotes.filter { isWhole || $0.seq >= seq }
        journaled = notes.map { NoteRow($0) }[...]
    }

    /// Returns the next note up to an action; `nil` if there is none.
    mutating func next(upTo seq: Int) -> NoteRow? {
        if let note = stored.first, note.seq <= seq { return stored.removeFirst() }
        if let note = journaled.first, note.seq <= seq { return journaled.removeFirst() }
        return nil
    }
}
