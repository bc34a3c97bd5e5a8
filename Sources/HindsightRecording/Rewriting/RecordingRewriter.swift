import HindsightFormat
import HindsightStore
import HindsightTree

/// Writes a recording with converted actions and states.
package final class RecordingRewriter {
    /// What an action is in the output: one action, several, or none.
    package typealias Actions = (_ payload: Node, _ seq: Int) throws -> [Node]
    package typealias State = (_ state: Node, _ position: Recording.Position) throws -> Node

    private let recording: Recording
    private let convertedActions: Actions
    private let convertedState: State
    private let tables: NewTables
    private let cursor: StateCursor
    private var numbers: ActionNumbers
    /// The converted state after the last action whose state is known.
    private var state: Node
    private let wholeStates: Set<Int>

    private typealias Row = (action: DispatchedAction, duration: Int64?)

    package init(
        _ recording: Recording,
        to tables: NewTables,
        actions: @escaping Actions,
        state: @escaping State
    ) throws {
        (self.recording, self.tables, convertedActions, convertedState) = (recording, tables, actions, state)
        cursor = try StateCursor(on: recording, at: recording.start)
        self.state = try state(cursor.state, recording.start)
        wholeStates = Set(try recording.wholeStates())
        numbers = ActionNumbers(start: recording.start.seq)
    }

    /// Writes everything, and finishes the tables. Costs each state, for each reducer that changed it.
    ///
    /// - Parameters:
    ///   - schema: The schema of the output.
    ///   - progress: Called with the number of each action that was written.
    /// - Returns: The number of actions in the output.
    /// - Throws: A `RecordingError` of reading, and the errors of the conversions and of `progress`.
    package func write(schema: Int, _ progress: (Int) throws -> Void) throws -> Int {
        try tables.begin(reducers: recording.reducers, state.json, at: recording.start.seq)
        if recording.actionCount > recording.start.seq {
            var entries = try recording.entries(in: recording.start.seq + 1...recording.actionCount)
            var run: [RecordedAction] = []
            while let (action, steps) = try entries.next() {
                if let skipped = recording.skippedRun(with: action.seq) {
                    run.append(action)
                    if action.seq == min(skipped.upperBound, recording.actionCount) {
                        try writeRun(run, recorded: recording.changes(across: skipped))
                        run = []
                    }
                } else {
                    try write(action, steps)
                }
                try progress(action.seq)
            }
        }
        try finish(schema: schema)
        return numbers.last - recording.start.seq
    }

    // MARK: Actions

    /// Writes an action, and its changes if they are known.
    private func write(_ action: RecordedAction, _ steps: [RecordedStep]) throws {
        let parts = try self.parts(of: action)
        let isKnown = action.seq <= recording.end.seq
        if isKnown, parts.count > 1 {
            return try writeRun([action], recorded: Patch(steps.flatMap { $0.patch?.operations ?? [] }))
        }
        guard isKnown else {
            if action.durationInNanoseconds == nil, parts.count > 1 {
                throw RecordingError(
                    .unreadable,
                    file: recording.url.path,
                    reason: "action \(action.seq) never finished, and would be split: its state is not known"
                )
            }
            let rows = parts.enumerated().map { numbered($1, action, part: $0) }
            numbers.end(action, with: rows.count)
            for row in rows { try tables.insert(row.action, duration: row.duration) }
            return
        }
        let before = state
        let patches = try changes(of: action, steps)
        if parts.isEmpty, action.payload != nil, patches.allSatisfy(\.patch.isEmpty), state == before {
            return numbers.end(action, with: 0)
        }
        let row = parts.first.map { numbered($0, action) } ?? gap(action)
        numbers.end(action, with: 1)
        let text = TimedPatches.write(patches).text
        let keyframe = wholeStates.contains(action.seq) ? state.json : nil
        try tables.insert(row.action, duration: row.duration, steps: text, keyframe: keyframe)
    }

    /// The changes of each step between converted states. Moves to the state after the action.
    private func changes(of action: RecordedAction, _ steps: [RecordedStep]) throws -> [TimedPatch] {
        var patches: [TimedPatch] = []
        for (index, step) in steps.enumerated() {
            var patch = Patch()
            let isLast = index == steps.count - 1
            if step.patch != nil || isLast {
                let place = Recording.Position(seq: action.seq, reducer: isLast ? nil : step.reducer)
                patch = try self.change(to: place, recorded: step.patch)
            }
            let duration = step.reducer == 0 ? nil : step.durationInNanoseconds
            patches.append(TimedPatch(duration: duration, patch: patch))
        }
        return patches
    }

    /// The change from the present state to the one at a position, which becomes the present one.
    ///
    /// - Parameter recorded: The recorded change. It stays if it makes the same state, because it names the changed
    ///   places more exactly than a comparison of the states.
    private func change(to position: Recording.Position, recorded: Patch?) throws -> Patch {
        var led = cursor.state
        try cursor.move(to: position)
        let isEndOfDoubt = recording.doubtful.contains { Recording.Position(seq: $0.actions.upperBound) == position }
        // Neither the recorded changes of doubtful states nor the new ones lead to the keyframe after them.
        if isEndOfDoubt { recorded?.applyLeniently(to: &led) } else { led = cursor.state }
        let next = try convertedState(led, position)
        let isDoubtful = isEndOfDoubt || recording.doubtfulStates(at: position) != nil
        let change =
            if let recorded, leads(recorded, to: next, leniently: isDoubtful) { recorded } else {
                Patch(from: state, to: next)
            }
        state = isEndOfDoubt ? try convertedState(cursor.state, position) : next
        return change
    }

    /// Whether a patch changes the present state into another one.
    private func leads(_ patch: Patch, to next: Node, leniently: Bool) -> Bool {
        var result = state
        if leniently {
            patch.applyLeniently(to: &result)
        } else {
            do {
                try patch.apply(to: &result)
            } catch {
                return false
            }
        }
        return result == next
    }

    /// Writes actions between whose states none are known: a run that the recorder skipped, or the parts of an action.
    /// The last one has the changes of all.
    ///
    /// - Parameter recorded: The recorded change of all, if it is known.
    private func writeRun(_ actions: [RecordedAction], recorded: Patch?) throws {
        guard let last = actions.last else { return }
        let isKnown = last.seq <= recording.end.seq
        let before = state
        let patch = isKnown ? try change(to: Recording.Position(seq: last.seq), recorded: recorded) : Patch()
        var rows: [Row] = []
        for action in actions {
            let parts = try self.parts(of: action)
            for (index, part) in parts.enumerated() {
                var row = numbered(part, action, part: index)
                // The time of each part is not known: the last one has that of all.
                if index < parts.count - 1 { row.duration = row.duration.map { _ in 0 } }
                rows.append(row)
            }
            if parts.isEmpty, action.seq == last.seq, rows.isEmpty, state != before {
                rows = [gap(last)]
                numbers.end(action, with: 1)
                continue
            }
            numbers.end(action, with: parts.count)
        }
        // A keyframe follows a run whose changes are unknown.
        let isGap = recording.gaps.contains { $0.upperBound == last.seq }
        let bridge = isKnown && !isGap ? TimedPatches.write([TimedPatch(duration: nil, patch: patch)]).text : nil
        let hasKeyframe = isKnown && (isGap || wholeStates.contains(last.seq))
        try insert(rows, bridge: bridge, keyframe: hasKeyframe ? state.json : nil)
    }

    private func insert(_ rows: [Row], bridge: String?, keyframe: String?) throws {
        for (index, row) in rows.enumerated() {
            let isLast = index == rows.count - 1
            try tables.insert(
                row.action,
                duration: row.duration,
                steps: isLast ? bridge : nil,
                keyframe: isLast ? keyframe : nil,
                isSkipped: true
            )
        }
    }

    // MARK: Rows

    /// The converted payloads; one `nil` for an action without a payload.
    private func parts(of action: RecordedAction) throws -> [Node?] {
        guard let payload = action.replayable else { return [action.payload] }
        return try convertedActions(payload, action.seq)
    }

    /// A row for an action that is removed, but has changed the state.
    private func gap(_ action: RecordedAction) -> Row {
        var row = numbered(nil, action)
        row.action.problem = "a migration removed it, and it had changed the state"
        return row
    }

    private func numbered(_ payload: Node?, _ action: RecordedAction, part: Int = 0) -> Row {
        let seq = numbers.last + 1 + part
        var row = action.renumbered(seq, parent: numbers.parent(of: action, at: seq)).dispatched
        (row.type, row.payload) = (type(of: payload, action), payload?.json)
        if let destination = action.destination, destination > recording.start.seq {
            row.problem = TravelText.text(to: numbers.end(at: destination))
        }
        return (row, action.durationInNanoseconds)
    }

    /// The new name if the payload has it, as the recorded payload had the recorded name.
    private func type(of payload: Node?, _ action: RecordedAction) -> String {
        if payload == action.payload { return action.type }
        // As the recorder names actions.
        if case .member(let name, isObject: true)? = payload?.outline { return name }
        guard let payload, action.payload?.caseName == action.type else { return action.type }
        return payload.caseName ?? action.type
    }

    // MARK: Other tables

    /// Writes what the recording says about itself, its notes, and the parents that come after their children.
    private func finish(schema: Int) throws {
        for (child, parent) in numbers.pending {
            if let parent = numbers[parent] { try tables.adopt(child, by: parent) }
        }
        for states in recording.doubtful {
            let last = numbers.end(at: states.actions.upperBound)
            let first = numbers.end(at: states.actions.lowerBound - 1) + 1
            if first <= last { try tables.add(DoubtfulStates(actions: first...last, path: states.path)) }
        }
        // A note between two reducers of an action that was split is at the whole action.
        try tables.copyNotes(of: recording, after: recording.start.seq) { place in
            let reducer = numbers.isWhole(place.seq) ? place.reducer : nil
            return Recording.Position(seq: numbers.end(at: place.seq), reducer: reducer)
        }
        try tables.finish(try facts(schema: schema))
    }

    private func facts(schema: Int) throws(RecordingError) -> [String: Metadata.Value] {
        var facts = try recording.rawFacts()
        facts[Metadata.Key.schema] = schema == AppInfo.firstSchema ? nil : .number(Int64(schema))
        if numbers.isUnchanged { return facts }
        // It names actions by their recorded numbers.
        facts[Metadata.Key.during] = nil
        if case .text(let text)? = facts[Metadata.Key.died], var died = RecordingPosition(text) {
            let isRemoved = !numbers.isWhole(died.seq)
            died.seq = numbers.end(at: died.seq)
            facts[Metadata.Key.died] = isRemoved ? nil : .text(died.description)
        }
        if let lost = recording.lost {
            let moved = numbers.last - recording.actionCount
            facts[Metadata.Key.lost] = .text("\(lost.lowerBound + moved)-\(lost.upperBound + moved)")
        }
        return facts
    }
}

extension Node {
    /// The name of the case that an action is: the only key of an object, or a string.
    var caseName: String? {
        switch self {
        case .object(let members) where members.count == 1: members[0].key
        case .string(let text): text
        default: nil
        }
    }
}
